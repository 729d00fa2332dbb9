"""Known findings, which the linter does not report again.

A finding is known by its rule and the text of its lines, so that it stays known if lines move. The baselines
of several files are one JSON text, to be stored beside the files.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ...errors import InvalidArgument
from ...protocol.robotstxt.engine.lexer import Line
from ...protocol.text import to_text
from ...protocol.value import Value

#: The version of the JSON format.
_VERSION = 1

#: Maximum number of characters of a line in a baseline; of a longer line it has a hash.
_LONGEST = 200


class Baseline(Value):
    r"""The known findings of a file: for each rule and line, how many there are.

    `entries` has the code of a rule, the text of a line without its comment, and the number of findings.

    >>> from comity.site import baseline_of
    >>> known = baseline_of(b"User-agent: *\nDisallow: private")
    >>> known.entries
    (('C301', 'Disallow: private', 1),)
    >>> import comity
    >>> body = b"User-agent: *\nDisallow: a\nDisallow: private"
    >>> [finding.line for finding in comity.lint(body, baseline=known)]
    [2]
    """

    entries: tuple[tuple[str, str, int], ...]


class KnownFindings:
    """The findings of a baseline, while they are found in a file."""

    __slots__ = ("_left", "_texts")

    def __init__(self, baseline: Baseline | None = None) -> None:
        entries = baseline.entries if baseline else ()
        self._left = Counter({(code, line): count for code, line, count in entries})
        self._texts: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._left)

    def take(self, code: str, lines: Iterable[Line]) -> bool:
        """Return whether a finding in some lines is known, and count it as found."""
        keys = Counter(self.keys(code, lines))
        if not keys or any(self._left[key] < count for key, count in keys.items()):
            return False
        self._left.subtract(keys)
        return True

    def keys(self, code: str, lines: Iterable[Line]) -> list[tuple[str, str]]:
        """Return the code of a finding with the text of each of its lines."""
        return [(code, self._text(line)) for line in lines]

    def _text(self, line: Line) -> str:
        if line.number not in self._texts:  # a long line may have many findings
            text = line.text[: line.comment_start].split() or line.text.split()
            whole = b" ".join(text)
            long = len(whole) > _LONGEST
            self._texts[line.number] = f"sha256:{sha256(whole).hexdigest()}" if long else to_text(whole)
        return self._texts[line.number]


def baseline_with(keys: Iterable[tuple[str, str]]) -> Baseline:
    """Create a baseline from the rules and lines of all findings."""
    return Baseline(tuple((code, line, count) for (code, line), count in sorted(Counter(keys).items())))


def format_baselines(baselines: Mapping[str, Baseline]) -> str:
    r"""Return the baselines of some files, by name, as a JSON text.

    >>> from comity.site import baseline_of, parse_baselines
    >>> known = {"robots.txt": baseline_of(b"User-agent: *\nDisallow: private")}
    >>> parse_baselines(format_baselines(known)) == known
    True
    """
    files = {
        name: [{"code": code, "line": line, "count": count} for code, line, count in baselines[name].entries]
        for name in sorted(baselines)
    }
    return json.dumps({"version": _VERSION, "files": files}, indent=1) + "\n"


def parse_baselines(text: str | bytes) -> dict[str, Baseline]:
    """Return the baselines of a JSON text, by the names of their files.

    Raises `InvalidArgument` for a text that `format_baselines` does not write.

    >>> from comity.site import format_baselines
    >>> parse_baselines(format_baselines({}))
    {}
    """
    try:
        data = json.loads(text)
        if data["version"] != _VERSION:
            raise ValueError
        return {str(name): _baseline(entries) for name, entries in data["files"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InvalidArgument(
            "not a baseline: expected JSON that this version of comity lint wrote"
        ) from None


def _baseline(entries: list[dict[str, object]]) -> Baseline:
    found = []
    for entry in entries:
        code, line, count = entry["code"], entry["line"], entry["count"]
        if not (isinstance(code, str) and isinstance(line, str) and isinstance(count, int)):
            raise TypeError
        found.append((code, line, count))
    return Baseline(tuple(found))
