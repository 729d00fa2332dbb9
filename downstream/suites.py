"""The suites of `suites.toml`, and the differences of `differences.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The tests about robots.txt of one project.

    Attributes:
        name: The name of the project.
        replace: The parsers that are replaced: names of `plugin/substitution.py`; `urllib:` has a mode.
        tests: The files and folders, relative to the sources.
        needs: The packages that the tests need, pinned.
        package: The requirement for the project, pinned. It is empty for CPython.
        repository: The repository, if the source distribution has no tests, so that a clone is needed.
        select: An expression for the option `-k` of pytest; it selects the tests about robots.txt.
        installable: Whether the project itself can be installed. If not, its tests run only with Comity, and
            each test that does not pass is a difference.
        edition: For CPython, `classic` or `rfc9309`: the parsers before and since 3.13.14 and 3.14.5.
    """

    name: str
    replace: tuple[str, ...]
    tests: tuple[str, ...]
    needs: tuple[str, ...]
    package: str = ""
    repository: str = ""
    select: str = ""
    installable: bool = True
    edition: str = ""

    @property
    def folder(self) -> str:
        """The name of its folder of files."""
        return self.name.lower().replace(",", "").replace(" ", "-")

    @property
    def clone(self) -> str:
        """The name of the folder of its clone."""
        return self.folder if self.package else "cpython"

    @property
    def distribution(self) -> str:
        """The name of the package without extras and version."""
        return self.package.partition("==")[0].partition("[")[0]

    @property
    def release(self) -> str:
        """The pinned version, or an empty string for CPython."""
        return self.package.partition("==")[2]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Tests of one suite with another result, and the authority for it.

    Attributes:
        suites: The names of the suites.
        tests: The identifiers of the tests.
        section: The section of the standard that decides.
        reason: One sentence on it.
    """

    suites: tuple[str, ...]
    tests: tuple[str, ...]
    section: str
    reason: str


def load_suites() -> tuple[Suite, ...]:
    """Read `suites.toml`."""
    return tuple(Suite(**values) for values in _tables("suites"))


def load_differences() -> tuple[Difference, ...]:
    """Read `differences.toml`."""
    return tuple(Difference(**values) for values in _tables("differences"))


def _tables(name: str) -> list[dict[str, Any]]:
    tables = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))[name]
    return [
        {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        for table in tables
    ]
