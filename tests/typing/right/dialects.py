"""The same file in several dialects."""

import comity
from comity.protocol.robotstxt import DIALECTS, GOOGLE, RFC9309, Line, RequestRate, VisitTime

BODY = b"User-agent: *\nDisallow: /a$\nRequest-rate: 1/10 0600-0845\nVisit-time: 0100-0200\nCrawl-delay: 5\n"

answers: dict[str, bool] = {
    name: comity.parse(BODY, dialect=dialect).allowed("/ab", agent="ExampleBot")
    for name, dialect in DIALECTS.items()
}
assert answers["rfc9309"] is True
custom: comity.Dialect = RFC9309.replace(typos=False)
robots: comity.RobotsTxt = comity.parse(BODY.decode(), dialect=custom)
rules: comity.Rules = robots.rules_for("ExampleBot/1.0")
rates: tuple[RequestRate, ...] = rules.request_rates
times: tuple[VisitTime, ...] = rules.visit_times
delay: float | None = rules.crawl_delay
lines: tuple[Line, ...] = tuple(robots.lines)
judged: tuple[bool, ...] = rules.allowed_many(["/a", "/b"])
assert (len(rates), len(times), delay, judged) == (1, 1, 5.0, (False, True))
assert b"".join(line.raw for line in lines) == BODY
assert GOOGLE.name == "google"
assert comity.robots_url("https://example.com/a") == "https://example.com/robots.txt"
assert [group.agents for group in robots.groups] == [("*",)]
