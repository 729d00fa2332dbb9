"""Compare Comity's speed with other libraries, in one run on one machine.

python bench/run.py            print the figures
python bench/run.py --write    also write them to docs/explanation/bench.md, with a chart
python bench/run.py --quick    measure a sample, in less than a minute

Creates an environment, `.venv-bench`, and installs the compared libraries there. `COMITY_CORPUS` can name a
folder of real robots.txt files.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import chart
import report

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-bench"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
REQUIREMENTS = ROOT / "bench" / "requirements.txt"

#: The Python version that every library supports: fastrobots has a wheel for this one only.
FITTEST = "3.12"

#: The parts of the project that the install needs.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src")


def main() -> int:
    """Prepare, measure, print, and write the figures if requested."""
    arguments = _arguments()
    environment = _environment()
    _prepare(environment, sys.executable if arguments.here else _interpreter())
    command = [str(PYTHON), "-W", "ignore", str(ROOT / "bench" / "measure.py")]
    command += ["--quick"] if arguments.quick else []
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        return done.returncode
    results = json.loads(done.stdout)
    block = report.markdown(results)
    print(block)
    if arguments.write:
        _write(block, chart.svg(results))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare Comity's speed with that of other libraries.")
    parser.add_argument("--quick", action="store_true", help="measure fewer files, fewer times")
    parser.add_argument(
        "--write", action="store_true", help="rewrite bench.md and bench.svg in docs/explanation"
    )
    parser.add_argument("--here", action="store_true", help=f"use this Python, even if there is a {FITTEST}")
    return parser.parse_args()


def _environment() -> dict[str, str]:
    """Return the environment variables, without those that affect imports."""
    disturbing = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONPROFILEIMPORTTIME")
    return {name: value for name, value in os.environ.items() if name not in disturbing}


def _interpreter() -> str:
    """Return the Python that supports most libraries, or this one."""
    return next((python for python in _candidates() if _runs(python)), sys.executable)


def _candidates() -> Iterator[str]:
    if sys.version.startswith(f"{FITTEST}."):
        yield sys.executable
    for folder in os.get_exec_path():
        yield str(Path(folder) / f"python{FITTEST}")
    for python in sorted(Path.home().glob(f".pyenv/versions/{FITTEST}*/bin/python{FITTEST}"), reverse=True):
        yield str(python)


def _runs(python: str) -> bool:
    """Return whether a Python runs and can create environments; a version manager's stub may not."""
    try:
        return subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0
    except OSError:
        return False


def _prepare(environment: dict[str, str], python: str) -> None:
    """Create the environment unless it is up to date, and install the current Comity."""
    stamp = VENV / "made-for.txt"
    wanted = f"{python}\n{REQUIREMENTS.read_text(encoding='utf-8')}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print("installing the libraries to compare with", file=sys.stderr, flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(VENV)], check=True, env=environment)
        _install_peers(environment)
        stamp.write_bytes(wanted.encode())
    _install_comity(environment)


def _install_peers(environment: dict[str, str]) -> None:
    if _pip(environment, "--requirement", str(REQUIREMENTS)).returncode == 0:
        return
    for line in REQUIREMENTS.read_text(
        encoding="utf-8"
    ).splitlines():  # continue without a library that cannot be installed
        if line and not line.startswith("#"):
            _pip(environment, line)


def _install_comity(environment: dict[str, str]) -> None:
    """Install from a copy, so that nothing is built in the project's folders."""
    print("installing Comity", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for source in filter(Path.exists, (ROOT / name for name in SOURCES)):
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, Path(folder) / source.name)
        done = _pip(environment, "--force-reinstall", "--no-deps", folder)
    if done.returncode:
        sys.exit(f"Comity cannot be installed:\n{done.stderr}")


def _pip(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    install = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    only_wheels = ["--only-binary", "fastrobots"]  # otherwise the install needs a Rust compiler
    return subprocess.run(
        [*install, *only_wheels, *arguments],
        env=environment,
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
