"""Makes a virtual environment of a target's own, and builds in a copy what the checkout has."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["CHECKS", "OPTIMISED", "ROOT", "STATE", "Unable", "build", "compiler", "in_project", "made"]

ROOT = Path(__file__).resolve().parent.parent

#: Where everything lies that is kept: builds, the corpus, findings.
STATE = ROOT / ".fuzz"

#: What the compiler adds to look for errors of memory. Cython itself adds nothing to a null pointer,
#: which clang would tell of; what is read at a wrong address is told all the same.
CHECKS = (
    "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    " -fno-sanitize=pointer-overflow -fno-omit-frame-pointer"
)

#: Python's own flags, which these take the place of, have signed numbers wrap round in silence.
OPTIMISED = "-g -O1"

#: What of the project a build needs.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src")

#: Variables that would change what is imported, or how memory is taken.
_DISTURBING = ("PYTHONPATH", "PYTHONMALLOC", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "COMITY_PURE")


class Unable(Exception):
    """The platform lacks what it takes; the message says what, in a sentence."""


def in_project(**more: str) -> dict[str, str]:
    """Give this process's variables, without those that disturb, and with some more."""
    kept = {name: value for name, value in os.environ.items() if name not in _DISTURBING}
    return {**kept, **more}


def compiler() -> str:
    """Give the compiler that `CC` names, or else the first of those that can look for memory errors."""
    for name in filter(None, (os.environ.get("CC"), "clang", "gcc")):
        if shutil.which(name.split()[0]):
            return name
    raise Unable("there is no C compiler (gcc or clang), so there is no compiled engine to look into")


def made(name: str, requirements: Sequence[str]) -> Path:
    """Make a virtual environment with what a build needs and some more; give its Python."""
    folder = ROOT / name
    python = folder / "bin" / "python"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["build-system"]["requires"], *requirements]
    stamp = folder / "made-for.txt"
    wanted = "\n".join([sys.executable, sys.version, *needed])
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"making {name}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # Building Atheris from its source means building LLVM: a wheel, or none.
        done = subprocess.run([*install, "--only-binary", "atheris", *needed], env=in_project())
        if done.returncode:
            raise Unable(f"pip cannot install what it takes: {', '.join(needed)} (see above)")
        stamp.write_text(wanted)
    return python


def build(python: Path, name: str, flags: Mapping[str, str], inputs: Sequence[Path] = ()) -> Path:
    """Build a copy with these variables of the C compiler, unless it is there; give its `src`."""
    folder = STATE / name
    stamp = folder / "built-from.txt"
    wanted = _digest([str(python), sys.version, repr(sorted(flags.items()))], inputs)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"building {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for source in (ROOT / source for source in SOURCES):
            if source.is_dir():
                # What was built in place would be taken for the extension of this build.
                without = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
                shutil.copytree(source, folder / source.name, ignore=without)
            else:
                shutil.copy(source, folder / source.name)
        command = [str(python), "setup.py", "--quiet", "build_ext", "--inplace"]
        done = subprocess.run(command, cwd=folder, env=in_project(**flags), capture_output=True, text=True)
        if done.returncode or not list(folder.glob("src/**/_compiled*.so")):
            raise Unable(f"the extension cannot be built:\n{done.stdout}{done.stderr}")
        stamp.write_text(wanted)
    return folder / "src"


def _digest(words: Sequence[str], inputs: Sequence[Path]) -> str:
    content = hashlib.sha256("\0".join(words).encode())
    files = [path for source in SOURCES for path in (ROOT / source, *sorted((ROOT / source).rglob("*.py*")))]
    for path in (*files, *inputs):
        if path.is_file() and path.suffix not in (".pyc", ".pyd"):
            content.update(str(path).encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
