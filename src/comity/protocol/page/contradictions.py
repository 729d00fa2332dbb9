"""Statements of a page that contradict each other -> the ones that count.

Rules for all robots and rules for one robot add up. Where they contradict each other, `conflicts` decides:
the most restrictive rule wins, as for Google, or the permissive one, as for Yandex.
"""

from collections.abc import Iterable

from .rules import EXCEPTION, FORBIDS, GRANTS, LIMITS, strictness
from .statements import PageStanding, PageStatement

#: The ways to settle contradictions.
CONFLICTS = ("restrictive", "yandex")


def judged(
    statements: tuple[PageStatement, ...], now: float | None, conflicts: str
) -> tuple[PageStatement, ...]:
    """Return the statements with the standings that they have beside each other."""
    stated = {one.rule for one in statements if one.standing is PageStanding.APPLIES}
    limits = {rule: limit.value for rule in LIMITS if (limit := strictest(statements, rule))}
    granted = {answer for rule in stated & GRANTS.keys() for answer in GRANTS[rule]}
    forbidden = {answer for rule in stated & FORBIDS.keys() for answer in FORBIDS[rule]}
    if _at_date(limits.get("unavailable_after"), now) is PageStanding.APPLIES:
        forbidden.add("index")
    no_snippet = "nosnippet" in stated

    def standing(one: PageStatement) -> PageStanding:
        rule = one.rule
        if rule in limits:
            weaker = strictness(rule, one.value) > strictness(rule, limits[rule])
            if weaker or (rule == "max-snippet" and no_snippet and one.value != 0):
                return PageStanding.OVERRULED
            return _at_date(one.value, now) if rule == "unavailable_after" else PageStanding.APPLIES
        if rule == EXCEPTION:
            return PageStanding.APPLIES if stated & {"noindex", "none"} else PageStanding.NEEDS_NOINDEX
        if rule in GRANTS:
            overruled = conflicts != "yandex" and not forbidden.isdisjoint(GRANTS[rule])
        else:
            overruled = conflicts == "yandex" and granted.issuperset(FORBIDS[rule])
        # Bing, 2023: noarchive and nocache together are read as nocache
        with_nocache = rule == "noarchive" and "nocache" in stated
        return PageStanding.OVERRULED if overruled or with_nocache else PageStanding.APPLIES

    return tuple(
        one.replace(standing=standing(one)) if one.standing is PageStanding.APPLIES else one
        for one in statements
    )


def strictest(statements: Iterable[PageStatement], rule: str) -> PageStatement | None:
    """Return the strictest statement of a limit, the first if there are several, or `None`."""
    counting = (PageStanding.APPLIES, PageStanding.NOT_DUE, PageStanding.TIME_UNKNOWN)
    limits = [one for one in statements if one.rule == rule and one.standing in counting]
    return min(limits, key=lambda one: strictness(rule, one.value), default=None)


def forbidding(
    question: str, statements: Iterable[PageStatement], conflicts: str
) -> tuple[PageStatement, ...]:
    """Return the judged statements that forbid one of the answers of `PageDirectives`."""
    applying = [one for one in statements if one.standing is PageStanding.APPLIES]
    granted = conflicts == "yandex" and any(question in GRANTS.get(one.rule, ()) for one in applying)
    return tuple(
        one
        for one in applying
        if (question in FORBIDS.get(one.rule, ()) and not granted)
        or (question == "index" and one.rule == "unavailable_after")
        or (question == "snippet" and one.rule == "max-snippet" and one.value == 0)
    )


def _at_date(date: int | float | str | None, now: float | None) -> PageStanding:
    if now is None:
        return PageStanding.TIME_UNKNOWN
    return PageStanding.APPLIES if isinstance(date, float) and date <= now else PageStanding.NOT_DUE
