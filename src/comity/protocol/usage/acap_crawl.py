"""ACAP's permissions to crawl (2007), for those who ask for them: no other robot heeds them.

Groups begin with `ACAP-crawler` as others do with `User-agent`. The specification is not to be had, so only
what is plain permits: a permission with a qualifier, for a purpose or for a usage of the site's own making
counts as not granted, and a prohibition that is not understood as in force.
"""

from collections.abc import Mapping, Sequence

from ..robotstxt.dialect import Dialect
from ..robotstxt.fields.acap import Acap, AcapGroup
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference
from ..robotstxt.groups import RawGroup, Record
from ..robotstxt.lexer import octets
from ..robotstxt.rules import Rules
from ..robotstxt.selection import Directory
from ..robotstxt.verdict import Field

__all__ = ["statements"]

#: Usages of ACAP that are no crawling: what forbids them closes nothing.
_OTHER_USAGES = frozenset(("follow", "index", "preserve", "present", "other"))


def statements(acap: Acap, url: str, names: Sequence[str], dialect: Dialect) -> list[Statement]:
    """Give what the winning ACAP line says of crawling a URL, if one matches."""
    groups = [group for group in acap.groups if group.crawlers]
    selection = Directory([[octets(name) for name in group.crawlers] for group in groups], dialect).select(
        names
    )
    local = {name: usage for group in acap.groups for name, usage in map(_local_usage, group.fields) if name}
    chosen = [groups[place] for place in dict.fromkeys(place for place, _ in selection.mentions)]
    written = {field.line: field for group in chosen for field in group.fields}
    rules = Rules(dialect, [_as_robots(group, local) for group in chosen], tuple(names), selection.name, True)
    verdict = rules.check(url)
    if verdict.rule is None:
        return []
    field = written[verdict.rule.line]
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
    """Write the permissions to crawl of a group as Allow and Disallow."""
    raw = RawGroup()
    raw.agents = [(group.line, "user-agent", octets(name)) for name in group.crawlers]
    purposes = {field.value for field in group.fields if field.name == "acap-usage-purpose"}
    for field in group.fields:
        rule = _rule(field, local)
        if rule is not None and not (rule[1] == "allow" and purposes - {"*"}):
            raw.rules.append(rule)
    return raw


def _rule(field: Field, local: Mapping[str, str]) -> Record | None:
    """Read one line as a rule, if it is one about crawling."""
    _, permission, usage = (*field.name.split("-", 2), "", "")[:3]
    words = field.value.split()
    if permission not in ("allow", "disallow") or not words:
        return None
    qualified = usage.startswith("(") or len(words) > 1
    if usage.startswith("("):
        usage = local.get(usage.strip("()"), "")
    if permission == "allow":
        plain = usage == "crawl" and not qualified and words[0].startswith(("/", "*"))
        return (field.line, "allow", octets(words[0])) if plain else None
    if usage.partition("-")[0] in _OTHER_USAGES:
        return None
    # A resource that is no path may be the name of a set of them; which is not to be known.
    path = words[0] if words[0].startswith(("/", "*")) else "/"
    return field.line, "disallow", octets(path)


def _local_usage(field: Field) -> tuple[str, str]:
    """Read `ACAP-qualified-usage: <local-name> <usage> <qualifier>=<value>`."""
    words = field.value.lower().split()
    return (words[0], words[1]) if field.name == "acap-qualified-usage" and len(words) > 1 else ("", "")


def _title(field: str) -> str:
    return "ACAP" + field[4:]
