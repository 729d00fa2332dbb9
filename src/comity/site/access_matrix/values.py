"""The parts of a `Matrix` as values: its robots, rows, columns, cells and totals."""

from ...agents import PURPOSES
from ...protocol import Value, counted, printable, shortened
from ...protocol.robotstxt import Reason, Rule

#: The purpose of robots that Comity does not know, and of any robot that the file does not name.
UNKNOWN, ANY_OTHER = "unknown", "any-other"

#: All purposes, in the order of the sections of a matrix.
SECTIONS = (*PURPOSES, UNKNOWN, ANY_OTHER)


class MatrixRobot(Value):
    r"""A robot of a matrix.

    `agent` is its name, or "*" for any robot that the file does not name. `line` is the line of the
    `User-agent` field that selects its group by one of its names. It is `None` if only the groups for `*`
    apply, or none. `named` is true if that line has the robot's own name, and not one that it falls back to.
    `group` is the name that selected the group: "*" for a default group, `None` for no group.

    `dialect` is the name of the dialect that it reads the file by. `obeys` is a key of `comity.agents.OBEYS`.
    `assumptions` are the sentences that `comity.agents.question` has about it.

    >>> import comity
    >>> table = comity.matrix("User-agent: Googlebot\nDisallow: /a", agents="Googlebot-Image")
    >>> robot = table.rows[0].robots[0]
    >>> robot.agent, robot.line, robot.named, robot.group
    ('Googlebot-Image', 1, False, 'Googlebot')
    """

    agent: str
    line: int | None
    named: bool
    group: str | None
    dialect: str
    obeys: str
    assumptions: tuple[str, ...]


class MatrixColumn(Value):
    r"""One or several paths with the same answers for all robots of a matrix.

    `path` is one of them, which the rules of the cells are about. `count` is their number. `examples` are the
    first of them, at most 100, beginning with `path`. `rules` are the rules of the file whose shortest path
    is among them, at most 100, with the first line of each pattern; URLs of a caller have none.

    >>> import comity
    >>> columns = comity.matrix("User-agent: *\nDisallow: /a/\nDisallow: /*.pdf$").columns
    >>> [(column.path, column.count, [rule.pattern for rule in column.rules]) for column in columns]
    [('/', 1, []), ('/a/', 2, ['/a/', '/*.pdf$'])]
    """

    path: str
    count: int
    examples: tuple[str, ...]
    rules: tuple[Rule, ...]


class MatrixCell(Value):
    r"""The answer for the robots of a row about the paths of a column.

    `allowed` is the answer for all of them. `rules` has, for each robot of the row, the rule that decides
    about the `path` of the column; it is `None` if no rule does. `reason` is the reason for the first robot.

    >>> import comity
    >>> cell = comity.matrix("User-agent: *\nDisallow: /a").rows[0].cells[1]
    >>> cell.allowed, cell.line, cell.explain()
    (False, 2, 'disallowed by line 2 `Disallow: /a`: the longest matching rule decides')
    """

    allowed: bool
    reason: Reason
    rules: tuple[Rule | None, ...]

    @property
    def rule(self) -> Rule | None:
        """The rule that decides for the first robot, or `None`."""
        return self.rules[0]

    @property
    def line(self) -> int | None:
        """The line of `rule`, or `None`."""
        return self.rule.line if self.rule else None

    @property
    def lines(self) -> tuple[int | None, ...]:
        """The line that decides for each robot of the row, `None` for no line."""
        return tuple(rule.line if rule else None for rule in self.rules)

    def record(self) -> dict[str, object]:
        """Return the cell as a dict for JSON: of the rules, the first one, and the lines of all."""
        return {
            "allowed": self.allowed,
            "reason": self.reason.code,
            "rule": None if self.rule is None else self.rule.record(),
            "line": self.line,
            "lines": list(self.lines),
        }

    def explain(self) -> str:
        """Return the answer as a sentence, with control characters escaped."""
        answer = "allowed" if self.allowed else "disallowed"
        by = f" by line {self.line} `{shortened(str(self.rule))}`" if self.rule else ""
        more = len({*self.lines} - {self.line, None})
        others = f"; {counted(more, 'more line decides', 'more lines decide')} for others" if more else ""
        return printable(f"{answer}{by}: {self.reason.sentence}{others}")


class MatrixRow(Value):
    r"""The robots of one purpose with the same answers in all columns.

    `purpose` is a key of `comity.agents.PURPOSES`, "unknown" for robots that Comity does not know, or
    "any-other" for any robot that the file does not name. `robots` are the robots: those that the file names
    come first, in the order of their lines. The others are in the order of how often robots.txt files name
    them. `obeys` is false if these robots need not follow robots.txt, by
    the statements of their operators: they may fetch a page although it is disallowed. `cells` has the answer
    for each column, and `allowed` is the number of paths in columns that are allowed.

    >>> import comity
    >>> body = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /"
    >>> row = comity.matrix(body, agents=["CCBot", "GPTBot"]).rows[0]
    >>> row.purpose, [(robot.agent, robot.line) for robot in row.robots], row.allowed
    ('training', [('GPTBot', 1), ('CCBot', 2)], 0)
    """

    purpose: str
    robots: tuple[MatrixRobot, ...]
    obeys: bool
    cells: tuple[MatrixCell, ...]
    allowed: int

    @property
    def line(self) -> int | None:
        """The first line that names one of the robots, or `None`."""
        return self.robots[0].line if self.robots[0].named else None


class MatrixTotal(Value):
    r"""The number of robots of one purpose, and how many of them may fetch each column.

    `purpose` is that of the rows, or "all", where a robot with several purposes counts once. `robots` is the
    number of robots, `named` the number of those that the file names, and `disobedient` the number of those
    that need not follow robots.txt. `allowed` has, for each column, the number of robots that the file allows
    to fetch it.

    >>> import comity
    >>> total = comity.matrix("User-agent: GPTBot\nDisallow: /", agents=["GPTBot", "CCBot"]).totals[0]
    >>> total.purpose, total.robots, total.named, total.allowed
    ('training', 2, 1, (1,))
    """

    purpose: str
    robots: int
    named: int
    disobedient: int
    allowed: tuple[int, ...]


def audience(purpose: str, count: int) -> str:
    """Return words for some robots of a purpose.

    >>> audience("search", 2), audience("any-other", 1), audience("unknown", 1)
    ('2 robots for search', 'any other robot', '1 robot of unknown purpose')
    """
    if purpose == ANY_OTHER:
        return "any other robot"
    robots = counted(count, "robot")
    return f"{robots} of unknown purpose" if purpose == UNKNOWN else f"{robots} for {purpose}"
