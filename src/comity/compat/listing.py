"""A parsed robots.txt -> its groups as text, for `str()`."""

from ..protocol.robotstxt import RobotsTxt


def groups_as_text(robots: RobotsTxt) -> str:
    r"""Return the groups of a file, each followed by a blank line.

    >>> from comity import parse
    >>> groups_as_text(parse("user-agent:a\ndisallow:/x # why"))
    'User-agent: a\nDisallow: /x\n\n'
    """
    lines: list[str] = []
    for group in robots.groups:
        lines += [f"User-agent: {name}" for name in group.agents]
        lines += [str(rule) for rule in group.rules]
        lines += [f"{field.name.capitalize()}: {field.value}" for field in group.fields]
        lines.append("")
    return "".join(f"{line}\n" for line in lines)
