"""Statements of a page -> `PageProblem`: rules without effect, and rules that probably mean something else.

Robots ignore invalid rules, so a mistake in `noindex` leaves the page in the index. Statements for
all robots count, not only those for the robot that was asked about.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from ..text import printable
from ..value import Value
from .rules import FORBIDS, GRANTS, LIMITS, OTHERS, is_known
from .statements import PageStanding, PageStatement

#: Maximum number of problems of one page.
LISTED = 100

#: What separates rules in pages by mistake; only a comma does.
_SEPARATORS = re.compile(r"[\s;|/+]+")

#: The known rules, for suggestions.
_KNOWN = (*FORBIDS, *GRANTS, *LIMITS, *OTHERS)

#: How similar a word must be to a known rule to be a misspelling of it, between 0 and 1.
_SIMILARITY = 0.8

#: Names of META tags that are meant for all robots, and that no robot reads.
_MISNAMED = frozenset(("robot", "bot", "bots", "crawler", "crawlers", "spider", "spiders"))

#: The values that each limit may have.
_EXPECTED = {
    "max-snippet": "a number of characters, or -1",
    "max-image-preview": "none, standard or large",
    "max-video-preview": "a number of seconds, or -1",
    "unavailable_after": "a date, such as 2030-06-25T15:00:00Z",
}


class PageProblem(Value):
    """A mistake in the statements of a page or its response for robots.

    `code` is the kind, such as "misspelt-rule". `severity` is "error" if a rule has no effect, "warning" if
    it probably differs from the intention, and "information" otherwise. `message` is a sentence, `source` the
    place in words, and `line` the line of the tag, or `None`.

    >>> import comity
    >>> html = "<meta name=robots content='noindex nofollow'>"
    >>> print(comity.page_directives(html=html, agent="ExampleBot").problems[0].message)
    `noindex nofollow` is one unknown rule, so robots ignore it; write `noindex, nofollow`
    """

    code: str
    severity: str
    message: str
    source: str
    line: int | None

    def explain(self) -> str:
        """Return the problem as one line."""
        place = f" ({self.source})" if self.source else ""
        return printable(f"{self.severity} {self.code}: {self.message}{place}")


def problems_of(statements: Iterable[PageStatement]) -> tuple[PageProblem, ...]:
    """Return the first 100 problems of the statements, each once."""
    return tuple(islice(dict.fromkeys(_problems(tuple(statements))), LISTED))


def _problems(statements: tuple[PageStatement, ...]) -> Iterator[PageProblem]:
    for one in statements:
        if one.field == "meta" and one.agent in _MISNAMED:
            message = f"no robot reads a META tag with the name `{one.agent}`; for all robots, write `robots`"
            yield _problem("misnamed-meta", "error", message, one)
        if not is_known(one.rule):
            problem = _unknown(one)
            # `<meta name="chatbot">` may have other content, so its unknown words are not rules.
            if problem.code != "unknown-rule" or one.standing is not PageStanding.OTHER_ROBOT:
                yield problem
        elif one.rule in LIMITS and one.value is None:
            message = (
                f"the value of `{one.rule}` is not valid, so robots ignore it; expected {_EXPECTED[one.rule]}"
            )
            yield _problem("invalid-value", "error", message, one)
        elif one.rule == "unavailable_after" and one.standing is PageStanding.APPLIES:
            yield _problem("expired", "warning", f"the date of `{one}` has passed: robots drop the page", one)
        elif one.standing is PageStanding.NEEDS_NOINDEX:
            yield _problem("needs-noindex", "warning", f"`{one.rule}` has no effect without `noindex`", one)
    yield from _contradictions(statements)


def _unknown(one: PageStatement) -> PageProblem:
    """Return the problem of a rule without a meaning."""
    rule = one.rule
    words = [word.rstrip(":") for word in _SEPARATORS.split(rule) if word.strip(":")]
    if len(words) > 1 and all(is_known(word.partition(":")[0]) for word in words):
        severity = "information" if all(word in GRANTS for word in words) else "error"
        message = f"`{rule}` is one unknown rule, so robots ignore it; write `{', '.join(words)}`"
        return _problem("missing-comma", severity, message, one)
    if one.field != "meta" and (limit := _nearest(one.agent)) in LIMITS:  # the name of a robot, by its colon
        rule, near = f"{one.agent}: {rule}", f"{limit}: {rule}"
    else:
        name, colon, value = rule.partition(":")
        near = f"{found}{colon}{value if found in LIMITS else ''}" if (found := _nearest(name)) else ""
    if near:
        message = f"`{rule}` is not a known rule, so robots ignore it; did you mean `{near.rstrip(':')}`?"
        return _problem("misspelt-rule", "error", message, one)
    return _problem("unknown-rule", "information", f"`{rule}` is not a known rule, so it has no effect", one)


@lru_cache(maxsize=256)
def _nearest(word: str) -> str:
    """Return the known rule that a word is probably meant to be, or an empty string.

    >>> _nearest("no-index"), _nearest("nosnipet"), _nearest("noopener")
    ('noindex', 'nosnippet', '')
    """
    from difflib import get_close_matches

    plain = re.sub(r"[\W_]+", "", word)
    for rule in _KNOWN:
        if plain == re.sub(r"[\W_]+", "", rule):
            return rule
    return next(iter(get_close_matches(word, _KNOWN, 1, _SIMILARITY)), "")


def _contradictions(statements: Iterable[PageStatement]) -> Iterator[PageProblem]:
    """Yield pairs of rules for one robot that contradict each other."""
    granting: dict[tuple[str, str], PageStatement] = {}
    forbidding: dict[tuple[str, str], PageStatement] = {}
    for one in statements:
        for question in GRANTS.get(one.rule, ()):
            granting.setdefault((one.agent, question), one)
        for question in FORBIDS.get(one.rule, ()):
            forbidding.setdefault((one.agent, question), one)
    for key, allows in granting.items():
        if forbids := forbidding.get(key):
            message = (
                f"`{allows.rule}` contradicts `{forbids.rule}` ({forbids.source}); "
                "most robots obey the stricter one"
            )
            yield _problem("contradiction", "warning", message, allows)


def _problem(code: str, severity: str, message: str, one: PageStatement) -> PageProblem:
    return PageProblem(code, severity, printable(message), one.source, one.line)
