"""Write a robots.txt so that a clause of a standard has no effect on one question.

Each function returns changes of lines that keep Comity's answer. If the other parser gives this answer to the
changed file, the clause is the cause of its other answer.
"""

import re
from typing import NamedTuple

from ...protocol import to_bytes, to_text
from ...protocol.product_token import product_token
from ...protocol.robotstxt import RobotsTxt, Rule, Rules, Verdict, parse

#: New texts of lines, by their numbers. An empty text removes a line.
Edits = dict[int, bytes]

_BOM = b"\xef\xbb\xbf"

#: A line for a removed one: an empty line ends a group for some parsers.
_REMOVED = b"#"

#: A rule that matches no question: a group without rules would be merged with the next one.
_NO_MATCH = b"Disallow: /no-question-has-this-path"

#: A name that no robot has.
_NO_ROBOT = b"User-agent: no-robot-has-this-name"

#: Several slashes in a row, escaped or not, but not those of `http://`.
_SLASHES = re.compile("(?<!:)(?<!%3a)(?:/|%2f){2,}", re.IGNORECASE)

#: A delimiter in a query, escaped or not.
_DELIMITER = re.compile(r"([:/?\[\]@])|%(3a|2f|3f|5b|5d|40)", re.IGNORECASE)

_SCHEME_AND_HOST = re.compile(r"^[a-z]+://[^/?#]*", re.IGNORECASE)


class Question(NamedTuple):
    """A question about a file, and Comity's answer."""

    robots: RobotsTxt
    agent: str
    url: str
    verdict: Verdict

    @property
    def key(self) -> tuple[str, str]:
        """The robot and the URL."""
        return self.agent, self.url

    @property
    def rules(self) -> Rules:
        """The rules for the robot."""
        return self.robots.rules_for(self.agent)

    @property
    def path(self) -> str:
        """The URL without scheme and host."""
        return _SCHEME_AND_HOST.sub("", self.url) or "/"

    @property
    def rule_lines(self) -> list[Rule]:
        """The rules of all groups for the robot, in file order."""
        return [rule for group in self.rules.groups for rule in group.rules]


def written(robots: RobotsTxt, edits: Edits) -> bytes:
    r"""Return the file with changed lines. A byte order mark stays, unless line 0 is removed.

    >>> written(parse("User-agent: *\nDisallow: /a"), {2: b"Disallow: /b"})
    b'User-agent: *\nDisallow: /b\n'
    """
    mark = _BOM if robots.body.startswith(_BOM) else b""
    lines = [
        (edits[line.number] or _REMOVED) if line.number in edits else line.text.removeprefix(mark)
        for line in robots.lines
    ]
    return (b"" if 0 in edits else mark) + b"".join(b"%b\n" % line for line in lines)


def merged_slashes(text: str) -> str:
    """Return a path or URL with one slash for several in a row."""
    return _SLASHES.sub("/", text)


def without_mark(_: Question) -> Edits:
    """Remove the byte order mark."""
    return {0: b""}


def first_line_unread(question: Question) -> Edits:
    """Make the line after a byte order mark unreadable."""
    return {1: b""} if question.robots.body.startswith(_BOM) else {}


def without_fields_between_names(question: Question) -> Edits:
    """Remove the fields between two User-agent lines of a group."""
    return dict.fromkeys(_between_names(question.robots), b"")


def names_ended_by_fields(question: Question) -> Edits:
    """End a run of User-agent lines at another field."""
    return dict.fromkeys(_between_names(question.robots), b"Disallow:")


def _between_names(robots: RobotsTxt) -> list[int]:
    found = []
    for group in robots.groups:
        others: list[int] = []
        for line in robots.lines[group.line - 1 : group.end_line]:
            if line.field == "user-agent":
                found += others
                others = []
            elif line.field in ("allow", "disallow"):
                break
            elif line.field is not None:
                others.append(line.number)
    return found


def names_alone(question: Question) -> Edits:
    """Remove versions and other text after the names of robots."""
    return {number: _field("User-agent", token) for number, token in _long_names(question.robots)}


def long_names_unread(question: Question) -> Edits:
    """Make groups whose names have further text apply to no robot."""
    return {number: _NO_ROBOT for number, _ in _long_names(question.robots)}


def _long_names(robots: RobotsTxt) -> list[tuple[int, str]]:
    lines = [line for line in robots.lines if line.field == "user-agent"]
    names = [(line.number, to_text(line.value)) for line in lines if not line.value.startswith(b"*")]
    return [(number, token) for number, name in names if (token := product_token(name)) not in ("", name)]


def only_own_groups(question: Question) -> Edits:
    """Remove the groups that do not apply, and write the name of the robot in those that do."""
    rules, edits = question.rules, Edits()
    own = {group.line for group in rules.groups}
    name = _field("User-agent", rules.matched or "*")
    for group in question.robots.groups:
        for line in question.robots.lines[group.line - 1 : group.end_line]:
            if group.line not in own:
                edits[line.number] = b""
            elif line.field == "user-agent":
                edits[line.number] = name
    return edits


def one_group(question: Question) -> Edits:
    """Move the rules of all groups for the robot to the first one."""
    if not question.rules.groups:
        return {}
    first, *others = question.rules.groups
    if not others:
        return {}
    edits = {number: b"" for group in others for number in range(group.line, group.end_line + 1)}
    moved = [_rule(rule) for group in others for rule in group.rules]
    edits[first.end_line] = b"\n".join([question.robots.lines[first.end_line - 1].text, *moved])
    return edits


def without_blank_lines(question: Question) -> Edits:
    """Remove the empty lines within groups."""
    lines = question.robots.lines
    inside = [line for group in question.robots.groups for line in lines[group.line - 1 : group.end_line]]
    return {line.number: b"" for line in inside if not line.text.strip()}


def longest_first(question: Question) -> Edits:
    """Sort the rules for the robot by precedence."""
    rules = question.rule_lines
    ordered = sorted(rules, key=lambda rule: (-len(to_bytes(rule.pattern)), not rule.allow))
    return {rule.line: _rule(new) for rule, new in zip(rules, ordered, strict=True)}


def literal_rules(question: Question) -> Edits:
    """Write the path of the question for a special rule that decides, and remove the other special rules."""
    deciding, edits = question.verdict.rule, Edits()
    for rule in question.rule_lines:
        if re.search(r"[*%]|\$$|[^!-~]", rule.pattern):
            is_deciding = deciding is not None and rule.line == deciding.line
            literal = _field("Allow" if rule.allow else "Disallow", question.path)
            edits[rule.line] = literal if is_deciding else _NO_MATCH
    return edits


def without_empty_rules(question: Question) -> Edits:
    """Replace the rules without a path."""
    return {rule.line: _NO_MATCH for rule in question.rule_lines if not rule.pattern}


def without_index_pages(question: Question) -> Edits:
    """Remove the rules for index pages, or write the rules for folders that they imply."""
    edits = Edits()
    for rule in question.rule_lines:
        folder, _, page = rule.pattern.rpartition("/")
        if rule.allow and page.startswith("index.htm"):
            is_implied = question.robots.dialect.index_pages
            edits[rule.line] = (
                b"%b\nAllow: %b/$" % (_rule(rule), to_bytes(folder)) if is_implied else _NO_MATCH
            )
    return edits


def robots_txt_allowed(question: Question) -> Edits:
    """Add a rule that allows robots.txt."""
    rules = question.rule_lines
    return {rules[0].line: b"Allow: /robots.txt\n" + _rule(rules[0])} if rules else {}


def queries_of_the_url(question: Question) -> Edits:
    """Write the delimiters in the queries of the rules as the URL of the question spells them."""
    return {rule.line: _rule(rule) for rule in _respelt_queries(question)}


def other_queries_unread(question: Question) -> Edits:
    """Remove the rules that match the query of the URL only in another spelling."""
    return {rule.line: _NO_MATCH for rule in _respelt_queries(question)}


def _respelt_queries(question: Question) -> list[Rule]:
    """Return the rules that match the query of the URL in another spelling, each in that of the URL."""
    query, found = question.path.partition("?")[2], []
    for rule in question.rule_lines:
        path, mark, pattern = rule.pattern.partition("?")
        place, pieces = 0, []
        for piece in pattern.removesuffix("$").split("*"):
            match = re.compile(_any_spelling(piece)).search(query, place)
            pieces.append(match[0] if match else piece)
            place = match.end() if match else place
        respelt = path + mark + "*".join(pieces) + ("$" if pattern.endswith("$") else "")
        if respelt != rule.pattern:
            found.append(rule.replace(pattern=respelt))
    return found


def _any_spelling(text: str) -> str:
    """Return the expression for a text in a query whose delimiters may be escaped."""
    parts, place = [], 0
    for match in _DELIMITER.finditer(text):
        code = f"{ord(match[1]):02x}" if match[1] else match[2]
        parts += [re.escape(text[place : match.start()]), rf"(?:\x{code}|(?i:%{code}))"]
        place = match.end()
    return "".join((*parts, re.escape(text[place:])))


def single_slashes(question: Question) -> Edits:
    """Write one slash for several in a row, and the path of the question for the rule that decides."""
    merged = {rule.line: rule.replace(pattern=merged_slashes(rule.pattern)) for rule in question.rule_lines}
    if question.verdict.rule is not None:
        deciding = question.verdict.rule.replace(pattern=merged_slashes(question.path))
        merged[deciding.line] = deciding
    return {line: _rule(rule) for line, rule in merged.items()}


def plain_lines(question: Question, **settings: object) -> Edits:
    """Write the lines that a dialect with other settings reads differently as Comity reads them."""
    robots = question.robots
    others = parse(robots.body, dialect=robots.dialect.replace(**settings)).lines
    return {
        line.number: b"" if line.field is None else _field(line.field.capitalize(), to_text(line.value))
        for line, other in zip(robots.lines, others, strict=True)
        if line.field != other.field
    }


def _rule(rule: Rule) -> bytes:
    return _field("Allow" if rule.allow else "Disallow", rule.pattern)


def _field(name: str, value: str) -> bytes:
    return b"%b: %b" % (name.encode(), to_bytes(value))
