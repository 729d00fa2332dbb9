"""Compare Comity's speed with other libraries, in one run on one machine.

python bench/run.py            print the figures
python bench/run.py --write    also write them to docs/explanation/bench.md, with a chart
python bench/run.py --quick    measure a sample, in about a minute

Creates an environment, `.venv-bench`, and installs the compared libraries there. A second one has a newer
Python for its `urllib.robotparser`, if there is any. `COMITY_CORPUS` can name a folder of real robots.txt
files.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import chart
import report

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "bench" / "requirements.txt"

#: The Python version that every library supports: fastrobots has a wheel for this one only.
FITTEST = (3, 12)

#: The first Python version whose `urllib.robotparser` follows RFC 9309.
RENEWED = (3, 13, 14)

#: The parts of the project that the install needs.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src")


def main() -> int:
    """Prepare, measure, print, and write the figures if requested."""
    arguments = _arguments()
    quick = ["--quick"] if arguments.quick else []
    pythons = {sys.executable: sys.version_info[:3], **dict(_interpreters())}
    chosen = sys.executable if arguments.here else _fittest(pythons)
    python = _prepare(".venv-bench", chosen, REQUIREMENTS.read_text(encoding="utf-8"))
    results = _measure(python, quick)
    _add(results, _measure(python, [*quick, "--races", "Protego", "Comity"], COMITY_PURE="1"), _REFERENCE)
    newest = max(pythons, key=lambda each: pythons[each])
    if pythons[newest] >= RENEWED > pythons[chosen]:
        newer = _prepare(".venv-bench-newer", newest)
        _add(results, _measure(newer, [*quick, "--races", "Comity", "urllib.robotparser"]))
    block = report.markdown(results)
    print(block)
    if arguments.write:
        _write(block, chart.svg(results))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare Comity's speed with that of other libraries.")
    parser.add_argument("--quick", action="store_true", help="measure fewer files, with less precision")
    parser.add_argument(
        "--write", action="store_true", help="rewrite bench.md and bench.svg in docs/explanation"
    )
    parser.add_argument("--here", action="store_true", help="use this Python, even if there is a 3.12")
    return parser.parse_args()


def _measure(python: str, options: list[str], **variables: str) -> dict[str, Any]:
    """Run `measure.py` in an environment, and return its results."""
    command = [python, "-W", "ignore", str(ROOT / "bench" / "measure.py"), *options]
    done = subprocess.run(
        command, env={**_variables(), **variables}, stdout=subprocess.PIPE, encoding="utf-8"
    )
    if done.returncode:
        sys.exit(done.returncode)
    results: dict[str, Any] = json.loads(done.stdout)
    return results


_REFERENCE = "Comity, reference engine"


def _add(results: dict[str, Any], others: dict[str, Any], title: str = "") -> None:
    """Add the second library of a process that raced two. Its ratios are those to the first.

    The ratio to Comity is the ratio to the first library, times that library's ratio in the main process.
    There is none if that library is Comity with another engine than in the main process.
    """
    base, peer = others["raced"]
    title = title or others["titles"][peer]
    results["titles"][title] = title
    is_comparable = base != "Comity" or others["engine"] == results["engine"]
    for key, works in others["races"].items():
        for work, figures in works.items():
            known = results["races"][key][work].get(base)
            if peer in figures and known:
                ratio = figures[peer]["ratio"] * known["ratio"] if is_comparable else None
                results["races"][key][work][title] = {**figures[peer], "ratio": ratio}


def _interpreters() -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the Pythons that run and can create environments, with their versions."""
    folders = [*map(Path, os.get_exec_path()), *Path.home().glob(".pyenv/versions/*/bin")]
    for folder in folders:
        for python in folder.glob("python3.*"):
            if re.fullmatch(r"python3\.\d+(\.exe)?", python.name):
                version = _version(str(python))
                if version:
                    yield str(python), version


def _version(python: str) -> tuple[int, ...]:
    """Return the version of a Python, `()` if it does not run; a version manager's stub may not."""
    code = "import ensurepip, sys, venv; print(*sys.version_info[:3])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8")
    except OSError:
        return ()
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()


def _fittest(pythons: dict[str, tuple[int, ...]]) -> str:
    """Return the Python that supports most libraries, or this one."""
    fit = [python for python, version in pythons.items() if version[:2] == FITTEST]
    return max(fit, key=lambda python: pythons[python], default=sys.executable)


def _variables() -> dict[str, str]:
    """Return the environment variables, without those that affect imports."""
    disturbing = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONPROFILEIMPORTTIME", "COMITY_PURE")
    return {name: value for name, value in os.environ.items() if name not in disturbing}


def _prepare(name: str, python: str, requirements: str = "") -> str:
    """Create an environment unless it is up to date, install the current Comity, and return its Python."""
    folder = ROOT / name
    own = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    stamp = folder / "made-for.txt"
    wanted = f"{python}\n{requirements}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"installing the libraries to compare with into {name}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True, env=_variables())
        _install_peers(own, requirements.splitlines())
        stamp.write_bytes(wanted.encode())
    _install_comity(own)
    return own


def _install_peers(python: str, lines: Iterable[str]) -> None:
    packages = [line.partition("#")[0].strip() for line in lines]
    packages = [package for package in packages if package]
    if packages and _pip(python, *packages).returncode:
        for package in packages:  # continue without a library that cannot be installed
            _pip(python, package)


def _install_comity(python: str) -> None:
    """Install from a copy, so that nothing is built in the project's folders."""
    print("installing Comity", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for source in filter(Path.exists, (ROOT / name for name in SOURCES)):
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, Path(folder) / source.name)
        done = _pip(python, "--force-reinstall", "--no-deps", folder)
    if done.returncode:
        sys.exit(f"Comity cannot be installed:\n{done.stderr}")


def _pip(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    only_wheels = ["--only-binary", "fastrobots,fast-robotstxt"]  # others need Rust or CMake
    return subprocess.run(
        [*install, *only_wheels, *arguments],
        env=_variables(),
        stdout=sys.stderr,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _write(block: str, picture: str) -> None:
    """Write the figures between their markers in docs/explanation/bench.md, and the chart next to it."""
    page = ROOT / "docs/explanation/bench.md"
    before, begin, rest = page.read_text(encoding="utf-8").partition("<!-- bench -->")
    _, end, after = rest.partition("<!-- /bench -->")
    if not begin or not end:
        sys.exit(f"{page.name} has no marks to write between")
    page.write_text(f"{before}{begin}\n\n{block}\n\n{end}{after}", encoding="utf-8")
    page.with_suffix(".svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
