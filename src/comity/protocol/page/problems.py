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
from .page_rules import ALL_ROBOTS, EXCEPTION, FORBIDS, GRANTS, LIMITS, is_known
from .statements import META_NAMES, PageStanding, PageStatement, meant_name

#: Maximum number of problems of one page.
LISTED = 100

#: What separates rules in pages by mistake; only a comma does.
_SEPARATORS = re.compile(r"[\s;|/+]+")

#: The standings of statements that are not for this robot.
_OTHER = (PageStanding.OTHER_ROBOT, PageStanding.UNREAD)

#: The known rules, for suggestions.
_KNOWN = (*FORBIDS, *GRANTS, *LIMITS, EXCEPTION)

#: How similar a word must be to a known rule to be a misspelling of it, between 0 and 1.
_SIMILARITY = 0.8

#: The same for the names of META tags; more, because names of other robots are similar.
_NAME_SIMILARITY = 0.9

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
        if message := _misnamed(one):
            is_read = one.field == "meta http-equiv" and one.standing is not PageStanding.UNREAD
            yield _problem("misnamed-meta", "warning" if is_read else "error", message, one)
        if not is_known(one.rule):
            problem = _unknown(one)
            # `<meta name="chatbot">` may have other content, so its unknown words are not rules.
            if problem.code != "unknown-rule" or one.standing not in _OTHER:
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


def _misnamed(one: PageStatement) -> str:
    """Return the mistake in the name of a META tag as a sentence, or an empty string."""
    if one.field == "meta http-equiv" and one.standing is not PageStanding.UNREAD:
        return (
            "search engines do not document that they read `http-equiv` as the header X-Robots-Tag; "
            'write `name="robots"`'
        )
    if one.field.startswith("meta "):
        attribute, name = one.field.removeprefix("meta "), "robots" if one.agent == ALL_ROBOTS else one.agent
        return f'robots do not read the name of a META tag in `{attribute}`; write `name="{name}"`'
    if one.field != "meta":
        return ""
    if one.standing is PageStanding.UNREAD:
        if one.agent == "google":
            return f"Google does not read `{one.rule}` in a META tag `google`; write `googlebot`"
        name = meant_name(one.agent)
    elif one.standing is PageStanding.OTHER_ROBOT and one.agent not in META_NAMES and is_known(one.rule):
        name = _nearest_name(one.agent)
    else:
        return ""
    for_all = "for all robots, " if name == "robots" else ""
    return f"no robot reads a META tag with the name `{one.agent}`; {for_all}write `{name}`" if name else ""


@lru_cache(maxsize=256)
def _nearest_name(name: str) -> str:
    """Return the name of a META tag that a misspelt name is probably meant to be, or an empty string.

    >>> _nearest_name("goglebot"), _nearest_name("googlebot-image")
    ('googlebot', '')
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, META_NAMES, 1, _NAME_SIMILARITY)), "")


def _unknown(one: PageStatement) -> PageProblem:
    """Return the problem of a rule without a meaning."""
    rule = one.rule
    words = [word.rstrip(":") for word in _SEPARATORS.split(rule) if word.strip(":")]
    if len(words) > 1 and all(is_known(word.partition(":")[0]) for word in words):
        severity = "information" if all(word in GRANTS for word in words) else "error"
        message = f"`{rule}` is one unknown rule, so robots ignore it; write `{', '.join(words)}`"
        return _problem("missing-comma", severity, message, one)
    has_scope = one.field not in ("meta", "meta property")
    if has_scope and (limit := _nearest(one.agent)) in LIMITS:  # the name of a robot, by its colon
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
        if one.standing is PageStanding.UNREAD:
            continue
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
