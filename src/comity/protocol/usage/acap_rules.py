"""ACAP's permissions (2007) for one robot, for callers that request them: robots ignore them by default.

Groups begin with `ACAP-crawler`, as others do with `User-agent`. The specification is no longer available, so
doubtful lines are read strictly. A permission with a qualifier, for a purpose, for a part of a usage, or for
a usage that the site defines itself is not granted. A prohibition that is not understood is in force.
"""

from collections.abc import Iterator, Mapping, Sequence

from ..robotstxt.document import RobotsTxt, parse
from ..robotstxt.engine.dialect import Dialect
from ..robotstxt.engine.groups import RawGroup
from ..robotstxt.engine.known_robot import KnownRobot
from ..robotstxt.engine.selection import Directory, names_of
from ..robotstxt.engine.verdict import Field, Reason, Rule, Verdict
from ..robotstxt.fields.acap import AcapGroup, AcapRule
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference
from ..robotstxt.rules import Rules
from ..text import to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..option_names import DialectName

__all__ = ["CATEGORIES", "AcapRules"]

#: The usages of ACAP other than crawling: a prohibition of these does not forbid to crawl.
_OTHER_USAGES = ("index", "follow", "preserve", "present", "other")

#: The categories of statements about these usages. Only ACAP uses them, so no other vocabulary answers.
CATEGORIES = tuple(f"acap-{usage}" for usage in _OTHER_USAGES)

#: A permission: its usage, "allow", "disallow" or "conditional", and the path that it is for.
_Permission = tuple[str, str, str]


class AcapRules:
    r"""The ACAP lines of a robots.txt for one robot, ready for many questions; it is true if there are any.

    `robots` is a robots.txt, as for `comity.parse`, and `agent` the robot. `dialect` is the dialect in which
    names and paths are compared; a parsed file has its own.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nAllow: /\n\nACAP-crawler: *\nACAP-disallow-crawl: /archive/")
    >>> permissions = AcapRules(robots, agent="ExampleBot")
    >>> url = "https://example.com/archive/1"
    >>> verdict = permissions.restricted(robots.check(url, agent="ExampleBot"), url)
    >>> verdict.allowed, verdict.reason.code, str(verdict.rule)
    (False, 'acap', 'ACAP-disallow-crawl: /archive/')
    """

    __slots__ = ("_conditional", "_fields", "_rules")

    def __init__(
        self,
        robots: bytes | str | RobotsTxt,
        *,
        agent: str | Sequence[str] | KnownRobot,
        dialect: "DialectName | Dialect | None" = None,
    ) -> None:
        file, names = parse(robots, dialect=dialect), names_of(agent)
        groups = [group for group in file.acap.groups if group.crawlers]
        selection = Directory(
            [[to_bytes(name) for name in group.crawlers] for group in groups], file.dialect
        ).select(names)
        local = dict(_local_usages(file.acap.groups))
        chosen = [groups[place] for place in dict.fromkeys(place for place, _ in selection.mentions)]
        found = []
        for group in chosen:
            has_purpose = _has_purpose(group)
            found += [(group, field, _permission(field, has_purpose, local)) for field in group.fields]
        self._fields = {field.line: field for _, field, permission in found if permission is not None}

        def rules(usage: str, kinds: tuple[str, ...]) -> Rules | None:
            """Return the lines of some kinds about a usage, as Allow and Disallow."""
            raw = {id(group): _raw(group) for group in chosen}
            for group, field, permission in found:
                if permission is not None and permission[0] == usage and permission[1] in kinds:
                    _, kind, path = permission
                    rule = "disallow" if kind == "disallow" else "allow"
                    raw[id(group)].rules.append((field.line, rule, to_bytes(path)))
            ruled = [group for group in raw.values() if group.rules]
            return Rules(file.dialect, ruled, names, selection.name, True) if ruled else None

        usages = ("crawl", *_OTHER_USAGES)
        self._rules = {usage: rules(usage, ("allow", "disallow")) for usage in usages}
        self._conditional = {usage: rules(usage, ("conditional",)) for usage in usages}

    def __bool__(self) -> bool:
        return bool(self._fields)

    def restricted(self, verdict: Verdict, url: str) -> Verdict:
        """Return the verdict of robots.txt about a `url`, or that of the ACAP line which forbids to crawl it.

        ACAP never allows a URL that the rules of robots.txt disallow. Raises `InvalidURL` as
        `comity.RobotsTxt.check` does.
        """
        rules = self._rules["crawl"]
        if rules is None or not verdict.allowed:
            return verdict
        found = rules.check(url)
        if found.allowed or found.rule is None:
            return verdict
        return found.replace(
            reason=Reason.ACAP,
            rule=self._quoted(found.rule),
            overruled=tuple(map(self._quoted, found.overruled)),
        )

    def statements(self, url: str) -> tuple[Statement, ...]:
        """Return for each usage the statement of the winning line, and those of conditional permissions.

        Crawling is the category "crawl"; the others have the categories "acap-index", "acap-preserve" and so
        on. A line that forbids to index also disallows the use "search". Raises `InvalidURL` as
        `comity.RobotsTxt.check` does.
        """
        return tuple(self._statements(url))

    def _statements(self, url: str) -> Iterator[Statement]:
        for usage, rules in self._rules.items():
            verdict = None if rules is None else rules.check(url)
            if verdict is not None and verdict.rule is not None:
                preference = Preference.ALLOW if verdict.allowed else Preference.DISALLOW
                categories = ["crawl" if usage == "crawl" else f"acap-{usage}"]
                if usage == "index" and not verdict.allowed:
                    categories.append("search")
                for category in categories:
                    yield self._statement(verdict.rule, category, preference, Standing.DECIDES)
            conditional = self._conditional[usage]
            verdict = None if conditional is None else conditional.check(url)
            for rule in () if verdict is None or verdict.rule is None else (verdict.rule, *verdict.overruled):
                category = "crawl" if usage == "crawl" else f"acap-{usage}"
                yield self._statement(rule, category, Preference.UNKNOWN, Standing.CONDITIONAL)

    def _quoted(self, rule: Rule) -> AcapRule:
        field = self._fields[rule.line]
        return AcapRule(rule.allow, rule.pattern, rule.line, _text(field))

    def _statement(self, rule: Rule, category: str, preference: Preference, standing: Standing) -> Statement:
        text = _text(self._fields[rule.line])
        return Statement("acap", "robots.txt", rule.line, text, category, preference, standing, None)


def _raw(group: AcapGroup) -> RawGroup:
    """Return a group of robots.txt with the names of an ACAP group."""
    raw = RawGroup()
    raw.agents = [(group.line, "user-agent", to_bytes(name)) for name in group.crawlers]
    return raw


def _has_purpose(group: AcapGroup) -> bool:
    """Return whether the permissions of a group are for some purposes only."""
    return any(field.name == "acap-usage-purpose" and field.value != "*" for field in group.fields)


def _permission(field: Field, has_purpose: bool, local: Mapping[str, str]) -> _Permission | None:
    """Return the permission of a line, or `None` if it has none.

    A resource that is not a path may name a set of paths, which is not known here: then it is for all.
    """
    _, permission, usage = (*field.name.split("-", 2), "", "")[:3]
    words = field.value.split()
    if permission not in ("allow", "disallow") or not words:
        return None
    is_local = usage.startswith("(")
    if is_local:
        usage = local.get(usage.strip("()"), "")
    base = usage.partition("-")[0]
    known = base if base in _OTHER_USAGES or usage == "crawl" else None
    is_path = words[0].startswith(("/", "*"))
    path = words[0] if is_path else "/"
    if permission == "disallow":
        return known or "crawl", "disallow", path
    if known is None:
        return None
    is_plain = usage == known and is_path and not is_local and len(words) == 1 and not has_purpose
    return known, "allow" if is_plain else "conditional", path


def _local_usages(groups: Sequence[AcapGroup]) -> Iterator[tuple[str, str]]:
    """Yield the usages that the site defines: `ACAP-qualified-usage: <name> <usage> <qualifier>=<value>`."""
    for group in groups:
        for field in group.fields:
            words = field.value.lower().split()
            if field.name == "acap-qualified-usage" and len(words) > 1:
                yield words[0], words[1]


def _text(field: Field) -> str:
    return f"ACAP{field.name[4:]}: {field.value}"
