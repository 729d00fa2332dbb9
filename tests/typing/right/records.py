"""Answers as JSON and as sentences."""

import json

import comity

robots = comity.parse("User-agent: *\nDisallow: /cart\nDisalow: /x\nContent-Usage: train-ai=n")
verdict = robots.check("/cart", agent="ExampleBot")
usage = robots.rules_for("ExampleBot").usage("/")
findings = comity.lint(robots)
changes = comity.diff(robots, "")
page = comity.page_directives(html="<meta name=robots content=noindex>", agent="ExampleBot")


def lines(*records: dict[str, object]) -> list[str]:
    return [json.dumps(record) for record in records]


written = lines(
    verdict.record(),
    usage.record(),
    findings[0].record(),
    robots.diagnostics[0].record(),
    changes.record(),
    page.record(),
)
assert len(written) == 6
assert json.loads(written[0])["reason"] == verdict.reason.code == "longest-match"
sentences: list[str] = [verdict.explain(), usage.explain(), changes.explain(), page.explain()]
assert all(sentences)
reasons: dict[str, comity.Reason] = {reason.code: reason for reason in comity.Reason}
assert reasons["longest-match"] is verdict.reason
