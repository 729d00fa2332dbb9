"""Run the engine's tests on a build with AddressSanitizer and UBSan.

The extension is built in `.fuzz/asan`, not in the checkout. An access out of bounds or undefined behaviour
ends the run with a report and exit status 1. The status is 2 if this machine cannot run the sanitizers.
Leaks are not checked here, because an interpreter does not free all memory at exit;
`tests/protocol/robotstxt/test_leaks.py` checks for leaks.
"""

import subprocess
import sys
from pathlib import Path

from environment import CHECKS, OPTIMISED, ROOT, Unable, build, compiler, in_project, made

TESTS = ROOT / "tests" / "protocol" / "robotstxt"
NAMES = (
    "test_engines.py",
    "test_engine_calls.py",
    "test_hostile.py",
    "test_properties.py",
    "test_conformance.py",
)

#: The packages of `requirements-dev.txt` that these tests need.
NEEDED = ("hypothesis", "pytest", "pytest-timeout")


def main() -> int:
    """Build, test, and return the exit status."""
    try:
        environment, python = _prepared()
    except Unable as lack:
        print(f"This machine cannot look for errors of memory: {lack}", file=sys.stderr)
        return 2
    check = "import comity; print(comity.engine, comity.__file__)"
    said = subprocess.run([str(python), "-c", check], env=environment, capture_output=True, encoding="utf-8")
    if said.returncode or not said.stdout.startswith(f"compiled {ROOT / '.fuzz'}"):
        print(f"the build does not serve:\n{said.stdout}{said.stderr}", file=sys.stderr)
        return 1
    # Write reports of the sanitizers to a file, because pytest would lose them when it dies.
    tests = [str(TESTS / name) for name in NAMES]
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "--timeout=0",
        "-p",
        "no:cacheprovider",
        "--capture=sys",
        *tests,
    ]
    return 1 if subprocess.run(command, cwd=ROOT, env=environment).returncode else 0


def _prepared() -> tuple[dict[str, str], Path]:
    cc = compiler()
    checks = f"{CHECKS} {'-shared-libasan' if _is_clang(cc) else ''}".strip()
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    python = made(".venv-asan", [line for line in lines if line.startswith(NEEDED)])
    source = build(python, "asan", {"CC": cc, "CFLAGS": f"{OPTIMISED} {checks}", "LDFLAGS": checks})
    variables = {
        "PYTHONPATH": str(source),
        # Each object gets separate memory, so that an access after its end is detected.
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": _runtime(cc),
        "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=6:allocator_may_return_null=1:strict_memcmp=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    return in_project(**variables), python


def _is_clang(cc: str) -> bool:
    return "clang" in subprocess.run([*cc.split(), "--version"], capture_output=True, encoding="utf-8").stdout


def _runtime(cc: str) -> str:
    """Return the library that must be loaded before Python."""
    machine = subprocess.run([*cc.split(), "-dumpmachine"], capture_output=True, encoding="utf-8").stdout
    names = [f"libclang_rt.asan-{machine.partition('-')[0]}.so", "libclang_rt.asan.so", "libasan.so"]
    for name in names if _is_clang(cc) else names[-1:]:
        found = subprocess.run(
            [*cc.split(), f"-print-file-name={name}"], capture_output=True, encoding="utf-8"
        )
        path = Path(found.stdout.strip())
        if path.is_absolute() and path.exists():
            return str(path.resolve())
    raise Unable(f"{cc} comes without the library of AddressSanitizer")


if __name__ == "__main__":
    sys.exit(main())
