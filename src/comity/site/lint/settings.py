"""Which rules are asked, and how severe their findings are: from `comity.toml` or `pyproject.toml`."""

from collections.abc import Mapping
from pathlib import Path

from ...errors import InvalidArgument
from ...protocol.value import Value
from .finding import SEVERITIES
from .rule import Rule
from .rules import RULES

__all__ = ["Settings", "settings_for", "settings_in"]

#: The files that may hold settings, the first wins in a folder, and the table of them that does.
_FILES = {"comity.toml": ("lint",), "pyproject.toml": ("tool", "comity", "lint")}

_KEYS = ("select", "ignore", "severity")

#: What `severity` may say besides: the rule is not asked.
_OFF = "off"


class Settings(Value):
    """What is asked of the linter.

    `select` and `ignore` hold codes, beginnings of codes ("C3"), names, or the words ALL and DEFAULT; where
    nothing is selected, that is DEFAULT. `severity` gives what these mean another severity than their own, or
    "off"; of several that mean a rule, the longest beginning of its code counts, and its name above all.

    >>> [rule.code for rule in Settings(select=("C60",), ignore=("C601",)).rules][:2]
    ['C602', 'C603']

    Raises `InvalidArgument` for a code or a severity that does not exist.
    """

    __slots__ = ("select", "ignore", "severity")
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: tuple[tuple[str, str], ...]

    def __init__(
        self,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        severity: Mapping[str, str] | tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Take codes in any case."""
        severities = tuple((code.upper(), word) for code, word in dict(severity).items())
        super().__init__(tuple(map(str.upper, select)), tuple(map(str.upper, ignore)), severities)
        for code in (*self.select, *self.ignore):
            if not any(code in rule.words for rule in RULES):
                raise InvalidArgument(f"no rule has the code {code!r}")
        for code, word in self.severity:
            if not any(code in rule.words for rule in RULES):
                raise InvalidArgument(f"severity: no rule has the code {code!r}")
            if word not in (*SEVERITIES, _OFF):
                raise InvalidArgument(f"severity: {code} is {', '.join(SEVERITIES)} or {_OFF}, not {word!r}")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that are asked, each with the severity that it is given."""
        select, ignore = self.select or ("DEFAULT",), self.ignore
        asked = [
            rule for rule in RULES if not rule.words.isdisjoint(select) and rule.words.isdisjoint(ignore)
        ]
        severe = [(rule, self._severity(rule)) for rule in asked]
        return tuple([rule.replace(severity=severity) for rule, severity in severe if severity != _OFF])

    def _severity(self, rule: Rule) -> str:
        """Give what is said of a rule most exactly, or its own severity."""
        said = [(_exactness(code, rule), word) for code, word in self.severity if code in rule.words]
        return max(said, key=lambda one: one[0])[1] if said else rule.severity


def _exactness(code: str, rule: Rule) -> int:
    """Say how much a word tells of a rule: ALL and DEFAULT the least."""
    return (
        len(code) if rule.code.startswith(code) else 0 if code in ("ALL", "DEFAULT") else len(rule.code) + 1
    )


def settings_for(folder: Path) -> Settings:
    """Give the settings of the nearest file that has any: in the folder, or else further up.

    Raises `InvalidArgument` for a file that cannot be understood, and `OSError` for one that cannot be read.
    """
    for place in (folder, *folder.parents):
        for name, table in _FILES.items():
            path = place / name
            if path.is_file():
                said = _toml(path)
                found = _table(said, table)
                if found is not None:
                    return _settings(found, path)
                _check_elsewhere(said, path, table)
    return Settings()


def settings_in(path: Path) -> Settings:
    """Give the settings of one file, whatever its name: those of `[tool.comity.lint]`, or of `[lint]`.

    Raises `InvalidArgument` for a file that cannot be understood or has neither, and `OSError` for one that
    cannot be read.
    """
    said = _toml(path)
    for table in (("tool", "comity", "lint"), ("lint",)):
        found = _table(said, table)
        if found is not None:
            return _settings(found, path)
    raise InvalidArgument(f"{path}: there is no table [lint] or [tool.comity.lint]")


def _toml(path: Path) -> object:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise InvalidArgument(f"{path}: this is no TOML: {fault}") from None


def _check_elsewhere(said: object, path: Path, table: tuple[str, ...]) -> None:
    """Raise if settings stand in a file where nobody looks for them: they would be passed over in silence."""
    wanted = ".".join(table)
    other = ("tool", "comity", "lint")
    if table != other and _table(said, other) is not None:
        raise InvalidArgument(f"{path}: here the table is [{wanted}], not [{'.'.join(other)}]")
    above = _table(said, table[:-1])
    for key in _KEYS:
        if isinstance(above, dict) and key in above:
            raise InvalidArgument(f"{path}: {key} stands in no table; it belongs into [{wanted}]")


def _table(said: object, names: tuple[str, ...]) -> object | None:
    found = said
    for name in names:
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found


def _settings(said: object, path: Path) -> Settings:
    if not isinstance(said, dict):
        raise InvalidArgument(f"{path}: the settings of the linter are a table, not {said!r}")
    for key in said:
        if key not in _KEYS:
            raise InvalidArgument(f"{path}: no setting {key!r}; there are {', '.join(_KEYS)}")
    for key in ("select", "ignore"):
        codes = said.get(key, [])
        if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
            raise InvalidArgument(f"{path}: {key} is a list of codes, such as ['C3', 'C801'], not {codes!r}")
    severity = said.get("severity", {})
    if not isinstance(severity, dict) or not all(isinstance(word, str) for word in severity.values()):
        raise InvalidArgument(f"{path}: severity is a table such as {{ C801 = 'error' }}, not {severity!r}")
    try:
        return Settings(tuple(said.get("select", ())), tuple(said.get("ignore", ())), severity)
    except InvalidArgument as fault:
        raise fault.under(str(path)) from None
