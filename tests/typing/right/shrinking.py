"""A robots.txt without rules that have no effect, in the canonical layout."""

import comity
from comity.site import Minimized, UnreachableRule, unreachable_rules

body = "user-agent:*\ndisallow:/a\ndisallow:/a/b # never wins\n"
smaller: Minimized = comity.minimize(body)
tidied: bytes = comity.tidy(smaller.body)
removed: list[str] = [rule.pattern for rule in smaller.removed]
assert removed == ["/a/b"]
assert tidied.startswith(b"User-agent: *\nDisallow: /a\n")
beaten: tuple[UnreachableRule, ...] = unreachable_rules(
    comity.parse("User-agent: *\nDisallow: /a*b\nAllow: /a*b").rules_for("A")
)
assert all(one.by for one in beaten)
