"""Run the tests that go deepest over a build with AddressSanitizer and UBSan: no error of memory.

The extension is built anew in `.fuzz/asan`, never in the checkout. A read or write out of bounds, or
what C leaves undefined, ends the run with a report and an exit status of 1; the status is 2 if this
machine cannot do it. Leaks are not looked for here, since an interpreter that ends frees only what it
must; `tests/robot/test_leaks.py` counts what stays.
"""

import subprocess
import sys
from pathlib import Path

from environment import CHECKS, OPTIMISED, ROOT, Unable, build, compiler, in_project, made

TESTS = ("test_engines.py", "test_hostile.py", "test_properties.py", "test_conformance.py")

#: What of `requirements-dev.txt` these tests need.
NEEDED = ("hypothesis", "pytest", "pytest-timeout")


def main() -> int:
    """Build, test, and give the exit status."""
    try:
        environment, python = _prepared()
    except Unable as lack:
        print(f"This machine cannot look for errors of memory: {lack}", file=sys.stderr)
        return 2
    check = "import comity; print(comity.engine, comity.__file__)"
    said = subprocess.run([str(python), "-c", check], env=environment, capture_output=True, text=True)
    if said.returncode or not said.stdout.startswith(f"compiled {ROOT / '.fuzz'}"):
        print(f"the build does not serve:\n{said.stdout}{said.stderr}", file=sys.stderr)
        return 1
    # What the sanitizers write is for whoever looks, so pytest must not take it with it when it dies.
    tests = [str(ROOT / "tests" / name) for name in TESTS]
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
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    python = made(".venv-asan", [line for line in lines if line.startswith(NEEDED)])
    source = build(python, "asan", {"CC": cc, "CFLAGS": f"{OPTIMISED} {checks}", "LDFLAGS": checks})
    variables = {
        "PYTHONPATH": str(source),
        # Each object has memory of its own, so that the octet after it is nobody's.
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": _runtime(cc),
        "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=6:allocator_may_return_null=1:strict_memcmp=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "CI": "1",  # the same examples each time, however slow
    }
    return in_project(**variables), python


def _is_clang(cc: str) -> bool:
    return "clang" in subprocess.run([*cc.split(), "--version"], capture_output=True, text=True).stdout


def _runtime(cc: str) -> str:
    """Find the library that has to be loaded before Python itself."""
    machine = subprocess.run([*cc.split(), "-dumpmachine"], capture_output=True, text=True).stdout
    names = [f"libclang_rt.asan-{machine.partition('-')[0]}.so", "libclang_rt.asan.so", "libasan.so"]
    for name in names if _is_clang(cc) else names[-1:]:
        found = subprocess.run([*cc.split(), f"-print-file-name={name}"], capture_output=True, text=True)
        path = Path(found.stdout.strip())
        if path.is_absolute() and path.exists():
            return str(path.resolve())
    raise Unable(f"{cc} comes without the library of AddressSanitizer")


if __name__ == "__main__":
    sys.exit(main())
