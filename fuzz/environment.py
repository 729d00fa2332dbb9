"""Create a virtual environment for a target, and build a copy of the checkout in it."""

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

#: Folder of builds, corpus and findings.
STATE = ROOT / ".fuzz"

#: Compiler flags of the sanitizers. Cython itself adds 0 to null pointers, which clang would report. Accesses
#: to
#: wrong addresses are still reported.
CHECKS = (
    "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    " -fno-sanitize=pointer-overflow -fno-omit-frame-pointer"
)

#: These replace Python's own flags, under which signed overflow is silent.
OPTIMISED = "-g -O1"

#: The parts of the project that a build needs.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src")

#: Variables that affect imports or memory allocation.
_DISTURBING = ("PYTHONPATH", "PYTHONMALLOC", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "COMITY_PURE")


class Unable(Exception):
    """The platform lacks a requirement; the message names it."""


def in_project(**more: str) -> dict[str, str]:
    """Return the environment variables, without those that interfere, and with additional ones."""
    kept = {name: value for name, value in os.environ.items() if name not in _DISTURBING}
    return {**kept, **more}


def compiler() -> str:
    """Return the compiler in `CC`, or the first one that supports the sanitizers."""
    for name in filter(None, (os.environ.get("CC"), "clang", "gcc")):
        if shutil.which(name.split()[0]):
            return name
    raise Unable("no C compiler (gcc or clang) found; install one")


def made(name: str, requirements: Sequence[str]) -> Path:
    """Create a virtual environment with the build requirements and other packages; return its Python."""
    folder = ROOT / name
    python = folder / "bin" / "python"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["build-system"]["requires"], *requirements]
    stamp = folder / "made-for.txt"
    wanted = "\n".join([sys.executable, sys.version, *needed])
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"making {name}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # Use a wheel only: building Atheris from source means building LLVM.
        done = subprocess.run([*install, "--only-binary", "atheris", *needed], env=in_project())
        if done.returncode:
            raise Unable(f"pip cannot install the requirements: {', '.join(needed)} (see above)")
        stamp.write_bytes(wanted.encode())
    return python


def build(python: Path, name: str, flags: Mapping[str, str], inputs: Sequence[Path] = ()) -> Path:
    """Build a copy with variables for the C compiler, unless it exists; return its `src`."""
    folder = STATE / name
    stamp = folder / "built-from.txt"
    wanted = _digest([str(python), sys.version, repr(sorted(flags.items()))], inputs)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"building {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for source in (ROOT / source for source in SOURCES):
            if source.is_dir():
                # An extension built in place would be imported instead of this build.
                without = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
                shutil.copytree(source, folder / source.name, ignore=without)
            else:
                shutil.copy(source, folder / source.name)
        command = [str(python), "setup.py", "--quiet", "build_ext", "--inplace"]
        done = subprocess.run(
            command, cwd=folder, env=in_project(**flags), capture_output=True, encoding="utf-8"
        )
        if done.returncode or not list(folder.glob("src/**/_compiled*.so")):
            raise Unable(f"the extension cannot be built:\n{done.stdout}{done.stderr}")
        stamp.write_bytes(wanted.encode())
    return folder / "src"


def _digest(words: Sequence[str], inputs: Sequence[Path]) -> str:
    content = hashlib.sha256("\0".join(words).encode())
    files = [path for source in SOURCES for path in (ROOT / source, *sorted((ROOT / source).rglob("*.py*")))]
    for path in (*files, *inputs):
        if path.is_file() and path.suffix not in (".pyc", ".pyd"):
            content.update(str(path).encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
