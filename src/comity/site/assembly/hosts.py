"""The hosts of a plan: what each adds to the plan of all hosts, and which fragments are for it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ...errors import InvalidURL
from ...protocol import Origin, Value, printable, to_text
from ...protocol.robotstxt import Line
from .comments import hosts_in_comment
from .plan import Plan, PlanTable, SourceText, closest_match, plan_keys, tables_in

#: A part of a host name (RFC 1123 2.1); real names have underscores too.
_LABEL = re.compile("[a-z0-9_-]{1,63}")

#: The keys of a host that replace those of the plan; the others are added.
_REPLACED = ("keep_out", "inherit", "fragments")


class HostPlan(Value):
    """The part of a plan that is for one host, and the keys that it sets."""

    plan: Plan
    keys: tuple[str, ...]

    def joined_to(self, plan: Plan) -> Plan:
        """Return the plan of the host: the plan of all hosts with this part added."""
        if plan.closed:
            return plan
        changes: dict[str, object] = {"closed": self.plan.closed}
        for key in plan_keys():
            own = getattr(self.plan, key)
            if key not in _REPLACED:
                changes[key] = (*getattr(plan, key), *own)
            elif key in self.keys:
                changes[key] = own
        return plan.replace(**changes)


def read_hosts(data: Mapping[str, object], name: str, problems: list[str]) -> dict[str, HostPlan]:
    """Return the part of each host in a plan, by the name of the host in lower case and ASCII.

    `name` is the name of the plan in messages, and `problems` receives the problems.
    """
    hosts: dict[str, HostPlan] = {}
    for key, entries in tables_in(data.get("hosts", {}), f"{name}: hosts", problems).items():
        source = f'{name}: hosts."{printable(key)}"'
        try:
            host = checked_host(key)
        except ValueError as error:
            problems.append(f"{source}: {error}")
            continue
        if host in hosts:
            problems.append(f"{source}: the plan already has the host {host}")
        table = PlanTable(entries, f"{source}.", problems)
        hosts[host] = HostPlan(table.plan((*plan_keys(), "closed")), tuple(entries))
    return hosts


def checked_host(name: str) -> str:
    """Return the name of a host in lower case and ASCII. Raises `ValueError` for anything else.

    >>> checked_host("Bücher.example")
    'xn--bcher-kva.example'
    """
    expected = f"invalid host `{printable(name)}`; expected a name such as www.example.com, without a port"
    try:
        host = Origin.of(f"https://{name}").host.removesuffix(".")
    except InvalidURL:
        raise ValueError(expected) from None
    # The name is that of a folder too, so it may have no empty label.
    if any(character in name for character in ":/?#@") or not all(map(_LABEL.fullmatch, host.split("."))):
        raise ValueError(expected)
    return host


def unknown_host(host: str, hosts: Collection[str]) -> str:
    """Return the end of a message on a host that a plan does not have."""
    if not hosts:
        return 'the plan has no hosts; add a table such as [hosts."www.example.com"]'
    similar = closest_match(host, hosts)
    hint = f"did you mean {similar}?" if similar else f"expected one of {', '.join(hosts)}"
    return f"the plan has no host {printable(host)}; {hint}"


def hosts_in(lines: Sequence[Line], sources: Sequence[str], problems: list[str]) -> Iterator[SourceText]:
    r"""Yield the hosts that a fragment names in comments such as `# comity: hosts a.example b.example`.

    `problems` receives a message for a comment without a name, and for one that is not on a line of its own,
    because it concerns the whole fragment.

    >>> import comity
    >>> lines = comity.parse("# comity: hosts a.example, b.example\nUser-agent: *\nDisallow: /a/").lines
    >>> [host.text for host in hosts_in(lines, ["1", "2", "3"], [])]
    ['a.example', 'b.example']
    """
    for line, source in zip(lines, sources, strict=True):
        names = hosts_in_comment(to_text(line.text[line.comment_start :]))
        if names is None:
            continue
        if line.text[: line.comment_start].strip():
            problems.append(
                f"{source}: `comity: hosts` concerns the whole fragment; write it on its own line"
            )
        elif not names:
            problems.append(f"{source}: `comity: hosts` names no host; add a name such as www.example.com")
        yield from (SourceText(name, source) for name in names)
