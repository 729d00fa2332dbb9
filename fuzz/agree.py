"""Compare both engines on a case, and raise `Disagreement` if they differ in any respect.

The result of `comity.parse` is also checked: it loses nothing, raises only `InvalidURL`, and its reasons
agree with its answers.
"""

from collections.abc import Callable, Sequence

import comity
from case import Case
from comity.protocol.origin import RelativeReference
from comity.protocol.robotstxt.engine import _compiled
from comity.protocol.robotstxt.engine import reference as reading
from comity.protocol.robotstxt.engine.groups import RawGroup
from comity.protocol.robotstxt.engine.reference import RankedRules
from comity.protocol.robotstxt.engine.selection import names_of
from comity.protocol.robotstxt.engine.verdict import About, Reason
from comity.protocol.text import printable

__all__ = ["Disagreement", "hold"]

#: With more rules, each engine builds an index after some questions.
FEW = 8
ROUNDS = 4

#: Attributes that must not raise for any file.
WHOLE_FILE = ("groups", "fields", "sitemaps", "host", "clean_params", "acap")
OF_A_ROBOT = ("agent", "groups", "fields", "crawl_delay", "request_rates", "visit_times", "content_signals")


class Disagreement(AssertionError):
    """The engines gave different answers."""


def hold(case: Case) -> None:
    """Compare all results of both engines, and raise `Disagreement` if they differ."""
    one = reading.Reading(case.body, case.dialect)
    other = _compiled.Reading(case.body, case.dialect)
    _same("has_groups", one.has_groups, other.has_groups)
    names = names_of(case.agents)
    (name, groups), (other_name, chosen) = one.select(names), other.select(names)
    _same("the name that is recognised", name, other_name)
    reference = RankedRules(case.dialect, groups)
    of_reading = _compiled.RankedRules(case.dialect, chosen)
    many = sum(len(group.rules) for group in groups) > FEW
    for _ in range(ROUNDS if many else 1):
        _same_answers(case.urls, reference, of_reading)
    _same_answers(case.urls, reference, _compiled.RankedRules(case.dialect, groups))
    # Compared last, because the compiled engine creates its groups on demand.
    _same("the groups of a robot", _all(reference.raw_groups), _all(of_reading.raw_groups))
    _same("the values of a robot's groups", reference.values, of_reading.values)
    _same("groups", _all(one.groups), _all(other.groups))
    _same("the values of groups", one.values, other.values)
    _same("whole_file", list(one.whole_file), list(other.whole_file))
    _same("strays", list(one.strays), list(other.strays))
    _keeps_its_word(case, reference)


def _same(what: str, reference: object, compiled: object) -> None:
    if reference != compiled:
        raise Disagreement(f"{what}: the reference says {reference!r}, the compiled engine {compiled!r}")


def _all(groups: Sequence[RawGroup]) -> list[object]:
    return [(group.agents, group.rules, group.fields) for group in groups]


def _same_answers(
    urls: Sequence[str | bytes], reference: RankedRules, compiled: _compiled.RankedRules
) -> None:
    for url in urls:
        said = _outcome(reference.allowed, url)
        _same(f"allowed({url!r})", said, _outcome(compiled.allowed, url))
        said = _outcome(reference.verdict, url, _about(reference))
        _same(f"verdict({url!r})", said, _outcome(compiled.verdict, url, _about(reference)))
    said = _outcome(reference.allowed_many, urls)
    _same(f"allowed_many({urls!r})", said, _outcome(compiled.allowed_many, urls))
    for url in urls:
        _same(
            f"allowed_many({url!r})",
            _outcome(reference.allowed_many, url),
            _outcome(compiled.allowed_many, url),
        )


def _about(rules: RankedRules) -> About:
    groups = rules.values
    agents, lines = tuple(group.agents[0] for group in groups), tuple(group.line for group in groups)
    return "bot", "*", Reason.FILE_WITHOUT_GROUPS, groups, agents, lines, ()


def _outcome(question: Callable[..., object], *about: object) -> object:
    """Return the answer, or the error if the URL is not valid."""
    try:
        return question(*about)
    except RelativeReference as doubt:
        return doubt.readings
    except comity.InvalidURL as error:
        return type(error).__name__, str(error)


def _winning_line(reference: RankedRules, url: str | bytes) -> int | None:
    """Return the deciding line in the reference; if two forms of the URL differ, the disallowing one."""
    try:
        path = reference.path_of(url)
    except RelativeReference as doubt:
        lines = [_winning_line(reference, reading) for reading in doubt.readings]
        closed = [
            line
            for line, reading in zip(lines, doubt.readings, strict=True)
            if not reference.allowed(reading)
        ]
        return closed[0] if closed else lines[0]
    if path == "/robots.txt" and reference.dialect.opens_robots_txt:
        return None
    matching = reference.matching(path)
    return matching[0].line if matching else None


def _allowed(robots: comity.RobotsTxt, url: str | bytes, agents: Sequence[str]) -> bool:
    return robots.allowed(url, agent=agents[0] if len(agents) == 1 else agents)


def _keeps_its_word(case: Case, reference: RankedRules) -> None:
    """Check the guarantees of the public API, which hold for any file."""
    robots = comity.parse(case.body, dialect=case.dialect)
    lines = robots.lines
    _same("the bytes of all lines", case.body, b"".join(line.raw for line in lines))
    for problem in robots.diagnostics:
        if not 1 <= problem.line <= max(len(lines), 1) or problem.message != printable(problem.message):
            raise Disagreement(f"a diagnostic is out of place: {problem!r}")
    for value in WHOLE_FILE:
        getattr(robots, value)
    rules = robots.rules_for(case.agents)
    for value in OF_A_ROBOT:
        getattr(rules, value)
    for url in case.urls:
        first = comity.parse(case.body, dialect=case.dialect)  # whose first answer builds no rules
        said = _outcome(reference.allowed, url)
        for _ in range(2):
            _same(f"the answer of the file to {url!r}", said, _outcome(_allowed, first, url, case.agents))
        verdict = _outcome(rules.check, url)
        if isinstance(verdict, comity.Verdict):
            _same(f"the verdict on {url!r}", reference.allowed(url), verdict.allowed)
            _same(f"the line of the verdict on {url!r}", _winning_line(reference, url), verdict.line)
            if verdict.explain() != printable(verdict.explain()):
                raise Disagreement(f"the sentence is not printable: {verdict.explain()!r}")
        else:
            _same(f"the verdict on {url!r}", _outcome(reference.allowed, url), verdict)
