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

#: What pip says when it reaches no registry; what a build needs comes from there.
ALONE = ("No matching distribution found", "Could not find a version", "ConnectionError")

pytestmark = pytest.mark.skipif(
    os.environ.get("COMITY_PURE") == "1", reason="a wheel is the same whichever engine runs the tests"
)


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
    """Build as a release is built; give the wheel."""
    done = run(sys.executable, "-m", "build", *arguments, folder=folder, **variables)
    said = done.stdout + done.stderr
    if done.returncode and "CI" not in os.environ and any(sign in said for sign in ALONE):
        pytest.skip("no registry can be reached, from which a build takes setuptools and Cython")
    assert done.returncode == 0, said
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def engine_of(wheel, folder):
    """Install a wheel where there is nothing else, and ask which engine runs."""
    made = run(sys.executable, "-m", "venv", "fresh", folder=folder)
    assert made.returncode == 0, made.stderr
    python = str(folder / "fresh" / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    done = run(python, "-m", "pip", "install", "--no-index", "--no-deps", str(wheel), folder=folder)
    assert done.returncode == 0, done.stderr
    code = "import comity; print(comity.engine, comity.parse('User-agent: *\\nDisallow: /').allowed('/', agent='x'))"
    done = run(python, "-c", code, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that `python -m build` makes: of the source distribution, which it makes first."""
    names = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cl"]
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not any(name and shutil.which(name.split()[0]) for name in names) or not header.exists():
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("wheel") / "comity"
    copy_to(folder)
    return build(folder)


@pytest.fixture(scope="module")
def pure_wheel(tmp_path_factory):
    """The wheel where every call of the compiler fails."""
    if os.name == "nt":
        pytest.skip("the compiler of Windows is not chosen by a variable")
    folder = tmp_path_factory.mktemp("pure") / "comity"
    copy_to(folder)
    return build(folder, "--wheel", CC="/bin/false")


def test_it_carries_the_compiled_engine(wheel):
    names = names_in(wheel)
    libraries = {name for name in names if name.endswith((".so", ".pyd"))}

    assert not wheel.name.endswith("-none-any.whl")
    assert any(name.startswith(f"{PACKAGE}_compiled.") for name in libraries)
    assert all(name.startswith(f"{PACKAGE}_compiled") for name in libraries)


def test_it_carries_all_that_is_in_the_package(wheel):
    source = ROOT / "src"
    kinds = ("*.py", "*.pyi", "*.txt", "*.toml", "*.json", "*.lua", "py.typed")
    expected = {
        str(path.relative_to(source).as_posix())
        for kind in kinds
        for path in source.glob(f"comity/**/{kind}")
    }
    names = names_in(wheel)

    certain = {
        f"{PACKAGE}_compiled.pyi",
        "comity/py.typed",
        "comity/examples/robots.txt",
        "comity/agents/agents.toml",
    }
    assert certain <= expected <= names
    assert not [name for name in names if name.endswith((".c", ".html"))]
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"comity"}


def test_it_runs_the_compiled_engine(wheel, tmp_path):
    assert engine_of(wheel, tmp_path) == "compiled False"


def test_without_a_compiler_the_reference_runs(pure_wheel, tmp_path):
    names = names_in(pure_wheel)

    assert not [name for name in names if name.endswith((".so", ".pyd"))]
    assert {f"{PACKAGE}reference.py", "comity/py.typed"} <= names
    assert engine_of(pure_wheel, tmp_path) == "reference False"
