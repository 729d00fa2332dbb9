"""What is installed: the wheel of this checkout, with a C compiler and without one."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "comity/protocol/robotstxt/engine/"

#: What a checkout has lying about that is not of the project, where no git tells.
LITTER = (".*", "build", "dist", "__pycache__", "*.egg-info", "*.so", "*.pyd")

pytestmark = [pytest.mark.first, pytest.mark.timeout(600)]


def run(*command, folder, **variables):
    """Run a program in a folder with this process's variables, its proxy among them, and some more."""
    disturbing = ("COMITY_PURE", "PYTHONPATH", "CFLAGS", "LDFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in disturbing}
    return subprocess.run(
        command, cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=600
    )


def copy_to(folder):
    """Copy what belongs to the project, and nothing that was built in the checkout."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LITTER))
        return
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def build(folder, *arguments, **variables):
    """Build the wheel of a copy with this environment's setuptools and Cython."""
    done = run(sys.executable, "-m", "build", "--no-isolation", *arguments, folder=folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def engine_of(wheel, folder):
    """Install a wheel in an empty environment, and return the engine that runs there."""
    made = run(sys.executable, "-m", "venv", "--without-pip", "fresh", folder=folder)
    assert made.returncode == 0, made.stderr
    python = str(folder / "fresh" / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [sys.executable, "-m", "pip", "--python", python]
    done = run(*pip, "install", "--no-index", "--no-deps", str(wheel), folder=folder)
    assert done.returncode == 0, done.stderr
    code = "import comity; print(comity.engine, comity.parse('User-agent: *\\nDisallow: /').allowed('/', agent='x'))"
    done = run(python, "-c", code, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_wheel_has_every_file_and_the_compiled_engine(tmp_path):
    """The wheel is built as for a release: from the source distribution."""
    names = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cl"]
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not any(name and shutil.which(name.split()[0]) for name in names) or not header.exists():
        pytest.skip("needs a C compiler and Python.h: apt-get install gcc python3-dev")
    copy_to(tmp_path / "comity")
    wheel = build(tmp_path / "comity", CFLAGS="-O0")  # compiles in half the time

    assert not wheel.name.endswith("-none-any.whl")
    assert_has_compiled_engine(names_in(wheel))
    assert_has_every_file(names_in(wheel))
    assert engine_of(wheel, tmp_path) == "compiled False"


def assert_has_compiled_engine(names):
    libraries = {name for name in names if name.endswith((".so", ".pyd"))}

    assert any(name.startswith(f"{PACKAGE}_compiled.") for name in libraries)
    assert all(name.startswith(f"{PACKAGE}_compiled") for name in libraries)


def assert_has_every_file(names):
    source = ROOT / "src"
    kinds = ("*.py", "*.pyi", "*.txt", "*.toml", "*.json", "*.lua", "py.typed")
    expected = {
        str(path.relative_to(source).as_posix())
        for kind in kinds
        for path in source.glob(f"comity/**/{kind}")
    }

    certain = {
        f"{PACKAGE}_compiled.pyi",
        "comity/py.typed",
        "comity/examples/robots.txt",
        "comity/agents/agents.toml",
    }
    assert certain <= expected <= names
    assert not [name for name in names if name.endswith((".c", ".html"))]
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"comity"}


def test_wheel_without_a_compiler_has_the_reference_engine(tmp_path):
    """Every call of the compiler fails."""
    if os.name == "nt":
        pytest.skip("the compiler of Windows is not chosen by a variable")
    copy_to(tmp_path / "comity")
    wheel = build(tmp_path / "comity", "--wheel", CC="/bin/false")
    names = names_in(wheel)

    assert not [name for name in names if name.endswith((".so", ".pyd"))]
    assert {f"{PACKAGE}reference.py", "comity/py.typed"} <= names
    assert engine_of(wheel, tmp_path) == "reference False"
