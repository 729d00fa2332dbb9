"""The source distribution and the wheels of this checkout, with a C compiler and without one."""

import email
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "comity/protocol/robotstxt/engine/"

#: Files that builds and tools write; they are excluded if there is no git that knows the project's files.
LITTER = (
    *(".git", ".venv*", ".fuzz", ".hypothesis", ".*_cache", "build", "dist", "__pycache__"),
    *("*.egg-info", "*.so", "*.pyd", "PKG-INFO", "setup.cfg"),
)

#: Tags of wheels.
PURE = "py3-none-any"
COMPILED = r"cp3\d+-cp3\d+t?-\w+"

pytestmark = [pytest.mark.first, pytest.mark.timeout(600)]


def run(*command, folder, **variables):
    """Run a program in a folder with this process's variables, its proxy among them, and some more."""
    variables = {"PYTHONUTF8": "1", **variables}
    disturbing = ("COMITY_PURE", "PYTHONPATH", "CFLAGS", "LDFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in disturbing}
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )


def tracked(*options):
    """Return the names of the files that git knows, or None if there is no git."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return None
    command = ["git", "ls-files", "-z", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def copy_to(folder):
    """Copy the files of the project, and nothing that was built in the checkout."""
    names = tracked("--cached", "--others", "--exclude-standard")
    if names is None:
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LITTER))
        return
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def build(folder, kind, **variables):
    """Build a distribution of a folder with this environment's setuptools and Cython."""
    command = [sys.executable, "-m", "build", "--no-isolation", kind]
    done = run(*command, folder=folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr


def build_wheel(folder, **variables):
    """Build a wheel in a folder that has no other one."""
    shutil.rmtree(folder / "dist", ignore_errors=True)
    build(folder, "--wheel", **variables)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def tag_of(wheel):
    """Return the tag in the name of a wheel; its file WHEEL has the same."""
    tag = wheel.stem.split("-", 2)[2]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        inside = email.message_from_bytes(archive.read(name))
    assert inside.get_all("Tag") == [tag]
    assert inside["Root-Is-Purelib"] == str(tag == PURE).lower()
    return tag


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def engine_of(wheel):
    """Install a wheel in an empty folder, and return the engine that runs there."""
    folder = wheel.parent / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile"]
    done = run(*pip, "--target", str(folder), str(wheel), folder=wheel.parent)
    assert done.returncode == 0, done.stderr
    code = "import comity; print(comity.engine, comity.parse('User-agent: *\\nDisallow: /').allowed('/', agent='x'))"
    done = run(sys.executable, "-S", "-c", code, folder=wheel.parent, PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def can_compile(folder):
    """Whether the compiler that a build would take can compile an empty extension."""
    if os.name != "posix":
        return shutil.which("cl") is not None
    (folder / "probe.c").write_text("#include <Python.h>\n", encoding="utf-8")
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    command = [*shlex.split(compiler), "-I", sysconfig.get_path("include"), "-c", "probe.c", "-o", "probe.o"]
    return shutil.which(command[0]) is not None and run(*command, folder=folder).returncode == 0


def unpacked(folder):
    """Build the source distribution of a copy, unpack it, and return its folder."""
    build(folder, "--sdist")
    (archive,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as members:
        members.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has no filters
        members.extractall(folder.parent / "source")
    (source,) = (folder.parent / "source").iterdir()
    assert_has_every_tracked_file({name.relative_to(source).as_posix() for name in source.rglob("*")})
    return source


def test_wheels_of_the_source_distribution(tmp_path):
    """With a compiler, a wheel has the compiled engine; on request and without a compiler, it is pure."""
    copy_to(tmp_path / "comity")
    source = unpacked(tmp_path / "comity")
    wheel = build_wheel(source, COMITY_PURE="1")
    assert_is_pure(wheel)
    assert engine_of(wheel) == "reference False"
    if os.name == "posix":  # where a variable chooses the compiler
        assert_is_pure(build_wheel(source, CC="false"))
    if not can_compile(tmp_path):
        pytest.skip("needs a C compiler and Python.h: apt-get install gcc python3-dev")
    wheel = build_wheel(source, CFLAGS="-O0")  # compiles in half the time

    assert re.fullmatch(COMPILED, tag_of(wheel))
    assert_has_compiled_engine(names_in(wheel))
    assert_has_every_file(names_in(wheel))
    assert_links_work_on_a_package_page(wheel)
    assert engine_of(wheel) == "compiled False"


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


def assert_links_work_on_a_package_page(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()

    assert "`docs/explanation/engines.md`" in text
    assert not [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def assert_is_pure(wheel):
    names = names_in(wheel)

    assert tag_of(wheel) == PURE
    assert not [name for name in names if name.endswith((".so", ".pyd"))]
    assert {f"{PACKAGE}reference.py", "comity/py.typed"} <= names


def assert_has_every_tracked_file(names):
    expected = tracked()
    if expected is None:
        expected = {
            path.relative_to(ROOT).as_posix()
            for path in ROOT.rglob("*")
            if path.is_file()
            and not any(fnmatch(part, litter) for part in path.relative_to(ROOT).parts for litter in LITTER)
        }

    assert set(expected) <= names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".c")) and name != "fuzz/coverage.c"]


def test_workflow_tests_every_supported_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    versions = {text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r":: 3\.\d+$", text)}

    assert set(re.findall(r'"(3\.\d+)"', workflow)) == versions
    assert f">={min(versions, key=lambda text: int(text[2:]))}" == project["requires-python"]


@pytest.mark.parametrize("name", ["release", "test"])
def test_actions_are_pinned_by_commit(name):
    """A tag can be moved to other code, which would run beside the right to publish."""
    workflow = (ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: *(.*)", workflow)

    assert used
    assert [text for text in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", text)] == []


def test_release_builds_a_wheel_for_every_supported_python():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(text)["tool"]["cibuildwheel"]
    classifiers = tomllib.loads(text)["project"]["classifiers"]
    versions = [re.sub(r".*:: 3\.", "cp3", text) for text in classifiers if re.search(r":: 3\.\d+$", text)]

    assert settings["build"] == [f"{version}-*" for version in (*versions, f"{versions[-1]}t")]
    assert all((ROOT / source).exists() for source in settings["test-sources"])


def test_requirements_of_wheel_tests_are_those_of_tests():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()

    assert set(settings["test-requires"]) <= set(lines)


def test_requirements_of_builds_and_tests_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()

    assert set(project["build-system"]["requires"]) <= set(lines)
    assert all(re.search(r",<\d+$", requirement) for requirement in project["build-system"]["requires"])


def test_hooks_of_pre_commit_install_the_extra_of_the_commands():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    lists = re.findall(r"additional_dependencies: (\[.*\])", hooks)

    assert len(lists) == hooks.count("- id: ")
    assert all(json.loads(text) == extras["optional-dependencies"]["cli"] for text in lists)
