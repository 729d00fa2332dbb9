"""ACAP's permissions to crawl (2007), for callers that request them: robots ignore them by default.

Groups begin with `ACAP-crawler`, as others do with `User-agent`. The specification is no longer available, so
doubtful lines are read strictly. A permission with a qualifier, for a purpose, or for a usage that the site
defines itself is not granted. A prohibition that is not understood is in force.
"""

from collections.abc import Mapping, Sequence

from ..robotstxt.dialect import Dialect
from ..robotstxt.fields.acap import Acap, AcapGroup
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference
from ..robotstxt.groups import RawGroup, Record
from ..robotstxt.rules import Rules
from ..robotstxt.selection import Directory
from ..robotstxt.verdict import Field
from ..text import to_bytes

#: Usages of ACAP other than crawling: a prohibition of these does not forbid to crawl.
_OTHER_USAGES = frozenset(("follow", "index", "preserve", "present", "other"))


def statements(acap: Acap, url: str, names: Sequence[str], dialect: Dialect) -> list[Statement]:
    """Return the statement of the winning ACAP line about crawling a URL, if a line matches."""
    groups = [group for group in acap.groups if group.crawlers]
    selection = Directory([[to_bytes(name) for name in group.crawlers] for group in groups], dialect).select(
        names
    )
    local = {name: usage for group in acap.groups for name, usage in map(_local_usage, group.fields) if name}
    chosen = [groups[place] for place in dict.fromkeys(place for place, _ in selection.mentions)]
    by_line = {field.line: field for group in chosen for field in group.fields}
    rules = Rules(dialect, [_as_robots(group, local) for group in chosen], tuple(names), selection.name, True)
    verdict = rules.check(url)
    if verdict.rule is None:
        return []
    field = by_line[verdict.rule.line]
    return [
        Statement(
            vocabulary="acap",
            source="robots.txt",
            place=field.line,
            text=f"{_title(field.name)}: {field.value}",
            category="crawl",
            preference=Preference.ALLOW if verdict.allowed else Preference.DISALLOW,
            standing=Standing.DECIDES,
            policy=None,
        )
    ]


def _as_robots(group: AcapGroup, local: Mapping[str, str]) -> RawGroup:
    """Convert the crawl permissions of a group to Allow and Disallow."""
    raw = RawGroup()
    raw.agents = [(group.line, "user-agent", to_bytes(name)) for name in group.crawlers]
    purposes = {field.value for field in group.fields if field.name == "acap-usage-purpose"}
    for field in group.fields:
        rule = _rule(field, local)
        if rule is not None and not (rule[1] == "allow" and purposes - {"*"}):
            raw.rules.append(rule)
    return raw


def _rule(field: Field, local: Mapping[str, str]) -> Record | None:
    """Return the rule of a line, or `None` if it is not about crawling."""
    _, permission, usage = (*field.name.split("-", 2), "", "")[:3]
    words = field.value.split()
    if permission not in ("allow", "disallow") or not words:
        return None
    qualified = usage.startswith("(") or len(words) > 1
    if usage.startswith("("):
        usage = local.get(usage.strip("()"), "")
    if permission == "allow":
        plain = usage == "crawl" and not qualified and words[0].startswith(("/", "*"))
        return (field.line, "allow", to_bytes(words[0])) if plain else None
    if usage.partition("-")[0] in _OTHER_USAGES:
        return None
    # A resource that is not a path may name a set of paths, which is not known here.
    path = words[0] if words[0].startswith(("/", "*")) else "/"
    return field.line, "disallow", to_bytes(path)


def _local_usage(field: Field) -> tuple[str, str]:
    """Parse `ACAP-qualified-usage: <local-name> <usage> <qualifier>=<value>`."""
    words = field.value.lower().split()
    return (words[0], words[1]) if field.name == "acap-qualified-usage" and len(words) > 1 else ("", "")


def _title(field: str) -> str:
    return "ACAP" + field[4:]
