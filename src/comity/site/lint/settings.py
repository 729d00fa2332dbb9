"""Which rules are asked, and how severe their findings are: from `comity.toml` or `pyproject.toml`."""

from collections.abc import Mapping
from pathlib import Path

from ...errors import InvalidSettings
from ...protocol.value import Value
from .finding import SEVERITIES
from .rule import Rule
from .rules import RULES

__all__ = ["Settings", "settings_for", "settings_in"]

#: The files that may hold settings, the first wins in a folder, and the table of them that does.
_FILES = {"comity.toml": ("lint",), "pyproject.toml": ("tool", "comity", "lint")}

_KEYS = ("select", "ignore", "severity")


class Settings(Value):
    """What is asked of the linter.

    `select` and `ignore` hold codes, beginnings of codes ("C3"), or the words ALL and DEFAULT; where nothing
    is selected, that is DEFAULT. `severity` gives some codes another severity than their own.

    >>> [rule.code for rule in Settings(select=("C60",), ignore=("C601",)).rules][:2]
    ['C602', 'C603']

    Raises `InvalidSettings` for a code or a severity that does not exist.
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
            if not any(_covers(code, rule) for rule in RULES):
                raise InvalidSettings(f"no rule has the code {code!r}")
        for code, word in self.severity:
            if code not in {rule.code for rule in RULES}:
                raise InvalidSettings(f"severity: no rule has the code {code!r}")
            if word not in SEVERITIES:
                *most, last = SEVERITIES
                raise InvalidSettings(f"severity: {code} is {', '.join(most)} or {last}, not {word!r}")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that are asked, each with the severity that it is given."""
        severity = dict(self.severity)
        return tuple(
            rule.replace(severity=severity.get(rule.code, rule.severity))
            for rule in RULES
            if any(_covers(code, rule) for code in self.select or ("DEFAULT",))
            and not any(_covers(code, rule) for code in self.ignore)
        )


def _covers(code: str, rule: Rule) -> bool:
    return code == "ALL" or (rule.default if code == "DEFAULT" else bool(code) and rule.code.startswith(code))


def settings_for(folder: Path) -> Settings:
    """Give the settings of the nearest file that has any: in the folder, or else further up.

    Raises `InvalidSettings` for a file that cannot be understood, and `OSError` for one that cannot be read.
    """
    for place in (folder, *folder.parents):
        for name, table in _FILES.items():
            path = place / name
            if path.is_file():
                found = _table(path, table)
                if found is not None:
                    return _settings(found, path)
    return Settings()


def settings_in(path: Path) -> Settings:
    """Give the settings of one file, whatever its name: those of `[tool.comity.lint]`, or of `[lint]`.

    Raises `InvalidSettings` for a file that cannot be understood or has neither, and `OSError` for one that
    cannot be read.
    """
    for table in (("tool", "comity", "lint"), ("lint",)):
        found = _table(path, table)
        if found is not None:
            return _settings(found, path)
    raise InvalidSettings(f"{path}: there is no table [lint] or [tool.comity.lint]")


def _table(path: Path, names: tuple[str, ...]) -> object | None:
    import tomllib

    try:
        found: object = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise InvalidSettings(f"{path}: this is no TOML: {fault}") from None
    for name in names:
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found


def _settings(said: object, path: Path) -> Settings:
    if not isinstance(said, dict):
        raise InvalidSettings(f"{path}: the settings of the linter are a table, not {said!r}")
    for key in said:
        if key not in _KEYS:
            raise InvalidSettings(f"{path}: no setting {key!r}; there are {', '.join(_KEYS)}")
    for key in ("select", "ignore"):
        codes = said.get(key, [])
        if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
            raise InvalidSettings(f"{path}: {key} is a list of codes, such as ['C3', 'C801'], not {codes!r}")
    severity = said.get("severity", {})
    if not isinstance(severity, dict) or not all(isinstance(word, str) for word in severity.values()):
        raise InvalidSettings(f"{path}: severity is a table such as {{ C801 = 'error' }}, not {severity!r}")
    try:
        return Settings(tuple(said.get("select", ())), tuple(said.get("ignore", ())), severity)
    except InvalidSettings as fault:
        raise InvalidSettings(f"{path}: {fault}") from None
