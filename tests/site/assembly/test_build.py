"""`comity.build`: the result has the verdicts of the plan in each dialect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import patterns, urls

import comity
from comity import agents as catalogue


def test_build_and_serve_close_a_site_alike():
    from comity.site.serve import ServedRequest, Site

    plan = {"environments": {"staging": {"closed": True}}}
    served = Site(None, environment="staging").answer(ServedRequest("GET", b"/robots.txt", b"", ()))

    assert comity.build(plan, environment="staging").body == served.body


def test_lines_too_long_for_a_dialect_are_refused():
    """Google ignores the rest of a long line."""
    long = "/" + "a" * 20_000
    plans = [
        ({"close": ["/x", long]}, "plan: close[1]: `Disallow: /aaa"),
        ({"groups": {"agents": "a" * 20_000, "disallow": "/"}}, "plan: groups.agents: `User-agent: aaa"),
        ({"sitemaps": f"https://example.com{long}"}, "plan: sitemaps: `Sitemap: https://example.com/aaa"),
    ]
    for plan, message in plans:
        with pytest.raises(comity.errors.InvalidPlan) as caught:
            comity.build(plan)
        (problem,) = caught.value.problems
        assert problem.startswith(message)
        assert "` has 20," in problem
        assert problem.endswith(" bytes; the dialect google reads 16,663 bytes of a line")


names = st.sampled_from(["*", "ExampleBot", "OtherBot", "MJ12bot", "examplebot"])
groups = st.fixed_dictionaries(
    {"agents": st.lists(names, min_size=1, max_size=3), "inherit": st.just(False)},
    optional={"allow": st.lists(patterns, max_size=4), "disallow": st.lists(patterns, max_size=4)},
)


@given(st.lists(groups, max_size=4), st.lists(urls, max_size=6))
def test_result_has_the_verdicts_of_the_plan(plan, several):
    """The same groups written one after the other mean the same (RFC 9309 2.2.1, 2.2.2)."""
    try:
        body = comity.build({"groups": plan}).body
    except comity.errors.InvalidPlan:
        return
    plain = "\n".join(
        line
        for group in plan
        for line in (
            *(f"User-agent: {name}" for name in group["agents"]),
            *(f"Allow: {pattern}" for pattern in group.get("allow", [])),
            *(f"Disallow: {pattern}" for pattern in group.get("disallow", [])),
            "Disallow:",
        )
    )
    for agent in ("ExampleBot", "OtherBot", "MJ12bot", "Nobody"):
        expected = comity.parse(plain).rules_for(agent)
        assert comity.parse(body).rules_for(agent).allowed_many(several) == expected.allowed_many(several)
    assert comity.build({"groups": plan}).body == body


@given(
    st.sampled_from(
        ["close", "only", "block", "let_in", "sitemaps", "agents", "allow", "content_usage", "content_signal"]
    ),
    st.text(max_size=12),
)
def test_no_value_begins_a_new_line(key, text):
    extra = {"keep_out": True}
    group = {"agents": "ExampleBot", "inherit": False}
    plan = (
        {**extra, "groups": {**group, key: text}}
        if key not in ("close", "only", "block", "let_in", "sitemaps")
        else {**extra, key: text}
    )
    try:
        body = comity.build(plan).body
    except comity.errors.InvalidPlan:
        return
    known = (b"User-agent: ", b"Disallow: ", b"Disallow:", b"Allow: ", b"Sitemap: ", b"Content-")
    lines = body.decode().splitlines()
    assert all(line == "" or line.encode().startswith(known) for line in lines)
    assert len(lines) <= 8 + 2 * len(catalogue.ALL)
    # In the older dialects a name matches parts of names, so more robots may be let in.
    for dialect in ("rfc9309", "google"):
        closed = not comity.parse(body, dialect=dialect).allowed("/x/y", agent="Nobody")
        assert closed or text.startswith(("/", "*"))
