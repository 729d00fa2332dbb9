"""The environments of the suites: a virtual environment and the tests of each, below `.downstream/`."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from suites import Suite

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".downstream"

#: The parts of the sources that the tests need. The project itself is the installed release.
_PARTS = ("tests", "test", "conftest.py", "pyproject.toml", "pytest.ini", "tox.ini")

#: The first Python versions whose parser follows RFC 9309.
_RENEWED = ((3, 13, 14), (3, 14, 5))


class MissingTests(Exception):
    """The tests are not available. The message says what to do."""


def interpreter(suite: Suite, python: str) -> Path:
    """Return the Python of the virtual environment of a suite, which is created or renewed."""
    folder = STATE / suite.folder / f"venv-{version(python)}"
    binary = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    requirements = [*([suite.package] if suite.package and suite.installable else []), *suite.needs]
    stamp = folder / "requirements.txt"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8").split() != requirements:
        print(f"{suite.name}: installing {', '.join(requirements)}", file=sys.stderr)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        _pip(str(binary), "install", *requirements)
        stamp.write_text("\n".join(requirements), encoding="utf-8")
    return binary


def test_folder(suite: Suite, python: str, checkouts: Path | None) -> Path:
    """Return a folder with the tests of a suite, and without the project itself.

    Raises `MissingTests` if the source distribution has no tests and there is no clone.
    """
    staged = STATE / suite.folder / "run"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    if suite.package:
        source = _clone(suite, checkouts) if suite.repository else _source_distribution(suite)
        for part in filter(Path.exists, (source / name for name in _PARTS)):
            copy = shutil.copytree if part.is_dir() else shutil.copy
            copy(part, staged / part.name)
    elif suite.edition == edition(version(python)):
        program = "import test.test_robotparser as found; print(found.__file__)"
        shutil.copy(_output(python, program), staged)
    else:
        clone = _clone(suite, checkouts)
        shutil.copy(clone / "Lib/test/test_robotparser.py", staged)
        shutil.copytree(clone / "Lib/urllib", staged / "lib/urllib")
    settings = staged / "pyproject.toml"
    if not settings.is_file() or "[tool.pytest" not in settings.read_text(encoding="utf-8"):
        (staged / "pytest.ini").touch()  # keeps pytest from the settings of folders above
    return staged


def _clone(suite: Suite, checkouts: Path | None) -> Path:
    clone = checkouts / suite.clone if checkouts else None
    if clone is None or not (clone / ("tests" if suite.package else "Lib/test")).is_dir():
        missing = "its source distribution has no tests" if suite.package else "no Python is that new"
        raise MissingTests(
            f"{suite.name}: not run: {missing}; clone {suite.repository} into FOLDER/{suite.clone}, "
            "and run: make downstream CHECKOUTS=FOLDER"
        )
    return clone


def release_of_clone(suite: Suite, checkouts: Path | None) -> str:
    """Return the version of CPython in a clone, such as `3.14.7`."""
    text = (_clone(suite, checkouts) / "Include/patchlevel.h").read_text(encoding="utf-8")
    found = re.search(r'define PY_VERSION\s+"([^"+]+)', text)
    if not found or edition(found[1]) != suite.edition:
        raise MissingTests(f"{suite.name}: not run: the clone of CPython has another version")
    return found[1]


def edition(number: str) -> str:
    """Return the edition of the parser of a CPython release, by its version."""
    found = tuple(int(part) for part in number.rstrip("+").split(".")[:3] if part.isdigit())
    renewed = any(found >= each for each in _RENEWED if each[:2] == found[:2]) or found[:2] > _RENEWED[-1][:2]
    return "rfc9309" if renewed else "classic"


def _source_distribution(suite: Suite) -> Path:
    """Download and unpack the source distribution once. Return its folder."""
    folder = STATE / suite.folder / f"source-{suite.release}"
    if not folder.is_dir():
        downloads = STATE / suite.folder / "downloads"
        shutil.rmtree(downloads, ignore_errors=True)
        requirement = f"{suite.distribution}=={suite.release}"
        options = ("--no-deps", "--no-binary", suite.distribution, "--dest", str(downloads))
        _pip(sys.executable, "download", *options, requirement)
        [archive] = downloads.iterdir()
        with tarfile.open(archive) as opened:
            opened.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has no filters
            opened.extractall(downloads)  # noqa: S202
        [unpacked] = filter(Path.is_dir, downloads.iterdir())
        unpacked.rename(folder)
    return folder


def _pip(python: str, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)


def version(python: str) -> str:
    """Return the version of an interpreter, such as `3.13.0`."""
    return _output(python, "import platform; print(platform.python_version())")


def _output(python: str, program: str) -> str:
    return subprocess.check_output([python, "-c", program], encoding="utf-8").strip()


def interpreters(extra: list[str]) -> Iterator[str]:
    """Yield this Python, the supported ones on the search path, and `extra`; each version once."""
    found = [sys.executable, *(shutil.which(f"python3.{minor}") or "" for minor in range(11, 16)), *extra]
    seen = set()
    for python in filter(None, found):
        done = subprocess.run([python, "-c", "import test.test_robotparser"], capture_output=True)
        if not done.returncode and (number := version(python)) not in seen:
            seen.add(number)
            yield python
