"""A policy of one's own: a lone scheme is one item."""

from comity.protocol.access import AccessPolicy, Outcome, Stage

UNREACHABLE = Outcome.UNREACHABLE
policy = AccessPolicy(
    name="own",
    dialect="rfc9309",
    schemes="https",
    not_found=Outcome.UNAVAILABLE,
    forbidden=UNREACHABLE,
    too_many_requests=UNREACHABLE,
    server_error=UNREACHABLE,
    network_failure=UNREACHABLE,
    broken_answer=UNREACHABLE,
    not_text=Outcome.RULES,
    needs_disallow=False,
    redirects=5,
    too_many_redirects=UNREACHABLE,
    downgrade=False,
    limit=512 * 1024,
    conditional=True,
    lifetime=86_400.0,
    floor=600.0,
    ceiling=86_400.0,
    retry=60.0,
    retry_ceiling=3600.0,
    stages=(Stage(0.0, copy=False, answered=UNREACHABLE, unanswered=UNREACHABLE),),
    delay=1.0,
)
assert policy.schemes == ("https",)
