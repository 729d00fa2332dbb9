"""Fuzz both engines: they must agree on every input, without memory errors.

make fuzz                    for a minute
make fuzz SECONDS=600        for ten
make fuzz INPUT=FILE         reduce and show one finding

Two targets run at once. `answers` compares the engines on files and URLs (`agree.py`); `calls` calls the
classes of the compiled engine in any order, with hostile arguments (`calls.py`).

Atheris mutates inputs, guided by the coverage of the reference (Python) and of the compiled engine (C). The
compiled engine is built with AddressSanitizer and UBSan. Inputs with new coverage are stored in
`.fuzz/corpus/TARGET`, so that each run continues the last one; findings are stored in
`.fuzz/findings/TARGET`. The exit status is 0 without a finding, 1 with one, and 2 if this machine cannot run
the fuzzer.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from environment import CHECKS, OPTIMISED, ROOT, STATE, Unable, build, compiler, in_project, made

FOLDER = ROOT / "fuzz"
CORPUS, FINDINGS, SEEDS = STATE / "corpus", STATE / "findings", STATE / "seeds"
TARGETS = ("answers", "calls")
VOCABULARY = STATE / "vocabulary.txt"

COVERAGE = "-fsanitize-coverage=trace-pc,trace-cmp"

#: The sanitizer runtime is the one in Atheris, which does not support gcc: globals would be reported twice.
#: Allocation stacks are not recorded while fuzzing, because that takes three times as long.
SANITIZER = "detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1:quarantine_size_mb=8"

#: Grace period in seconds after the time limit; a process that runs longer hangs.
GRACE = 300


def main() -> int:
    """Prepare, fuzz, report."""
    parser = argparse.ArgumentParser(description="Look for inputs on which the two engines differ.")
    parser.add_argument("--seconds", type=int, default=60, help="how long to look")
    parser.add_argument("--input", type=Path, help="show one input instead")
    arguments = parser.parse_args()
    try:
        python, environment = _prepared()
    except Unable as lack:
        print(f"This machine cannot fuzz: {lack}", file=sys.stderr)
        return 2
    if arguments.input:
        return int(_replayed(arguments.input, python, environment))
    for target in TARGETS:
        for folder in (CORPUS, FINDINGS, SEEDS):
            (folder / target).mkdir(parents=True, exist_ok=True)
    before = _written(FINDINGS)
    logs = _fuzz(arguments.seconds, python, environment)
    # A finding of an earlier run has the same name.
    findings = sorted(path for path, when in _written(FINDINGS).items() if before.get(path) != when)
    return _report(logs, findings, python, environment)


def _prepared() -> tuple[Path, dict[str, str]]:
    """Create the environment, the instrumented build and the seeds; return the Python and its variables."""
    if not sys.platform.startswith("linux") or sys.implementation.name != "cpython":
        raise Unable("Atheris has wheels for CPython on Linux alone")
    cc = compiler()
    lines = (FOLDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    python = made(".venv-fuzz", [line for line in lines if line and not line.startswith("#")])
    shim = FOLDER / "coverage.c"
    counters = STATE / "coverage.o"
    STATE.mkdir(exist_ok=True)
    if subprocess.run([*cc.split(), "-O2", "-fPIC", "-c", str(shim), "-o", str(counters)]).returncode:
        raise Unable(f"{cc} cannot compile {shim.name} (see above)")
    # Pass the flags to the compiler only: the linker would add a second runtime.
    flags = {
        "CC": f"{cc} {CHECKS} {COVERAGE}",
        "CFLAGS": OPTIMISED,
        "LDSHARED": f"{cc} -shared {counters}",
    }
    source = build(python, "fuzzed", flags, [shim])
    found = subprocess.run(
        [str(python), "-c", "import atheris; print(atheris.path())"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=in_project(),
    )
    runtime = Path(found.stdout.strip()) / "asan_with_fuzzer.so"
    if not runtime.exists():
        raise Unable(f"this Atheris comes without {runtime.name}")
    subprocess.run(
        [str(python), str(FOLDER / "seeds.py"), str(SEEDS), str(VOCABULARY)],
        check=True,
        env=in_project(PYTHONPATH=str(source), COMITY_PURE="1"),
    )
    variables = {
        "PYTHONPATH": str(source),
        "PYTHONMALLOC": "malloc",  # so that each access outside a body is outside its memory
        "LD_PRELOAD": str(runtime),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    return python, in_project(**variables)


def _fuzz(seconds: int, python: Path, environment: dict[str, str]) -> list[str]:
    """Run one process for each processor, and at least one for each target; return their output."""
    count = max(len(TARGETS), min(os.cpu_count() or 1, 8))
    known = len(_inputs())
    print(f"fuzzing for {seconds} s in {count} processes, from {known} inputs", flush=True)
    environment = {**environment, "ASAN_OPTIONS": f"{SANITIZER}:malloc_context_size=0"}
    paths = [STATE / f"log-{number}.txt" for number in range(count)]
    running = []
    for number, path in enumerate(paths):
        command = _command(TARGETS[number % len(TARGETS)], seconds, python)
        with path.open("wb") as log:
            running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT))
    for process in running:
        try:
            process.wait(seconds + GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    logs = [path.read_text(errors="replace", encoding="utf-8") for path in paths]
    return [
        log if process.returncode == 0 else f"{log}\nended with {process.returncode}"
        for log, process in zip(logs, running, strict=True)
    ]


def _command(target: str, seconds: int, python: Path) -> list[str]:
    """Return the command of a process. The processes of a target share its corpus."""
    command = [str(python), str(FOLDER / "target.py"), target, f"-max_total_time={seconds}"]
    command += ["-timeout=30", "-rss_limit_mb=2048", "-print_final_stats=1", "-print_funcs=0", "-reload=10"]
    command += [f"-dict={VOCABULARY}"] if target == "answers" else ["-max_len=1000", "-len_control=0"]
    return [
        *command,
        f"-artifact_prefix={FINDINGS / target}/",
        str(CORPUS / target),
        str(SEEDS / target),
    ]


def _report(logs: list[str], findings: list[Path], python: Path, environment: dict[str, str]) -> int:
    """Print the number of runs and the findings; return the exit status."""
    findings = [path for path in findings if not path.name.startswith("slow-unit")]
    for path in findings:
        print(f"\n{path.relative_to(ROOT)}")
        _replayed(path, python, environment)
    failed = [log for log in logs if "\nended with " in log]
    if failed and not findings:
        print(f"The fuzzer itself failed:\n{failed[0][-3000:]}", file=sys.stderr)
    # libFuzzer prints its number of runs at the end, and at each power of two.
    runs = sum(max(_numbers(log, r"^#(\d+)\s"), default=0) for log in logs)
    speed = sum(max(_numbers(log, r"^stat::average_exec_per_sec:\s+(\d+)"), default=0) for log in logs)
    edges = max((number for log in logs for number in _numbers(log, r"\scov: (\d+)")), default=0)
    new = sum(max(_numbers(log, r"^stat::new_units_added:\s+(\d+)"), default=0) for log in logs)
    print(f"{runs} inputs run, {speed} a second; {edges} places of the code reached; {new} inputs kept")
    print(f"corpus: {CORPUS.relative_to(ROOT)}, {len(_inputs())} inputs; logs: .fuzz/log-*.txt")
    if findings:
        where = FINDINGS.relative_to(ROOT)
        print(f"{len(findings)} findings in {where}; make fuzz INPUT=FILE shows one again")
    else:
        print("no findings")
    return 1 if findings or failed else 0


def _written(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.glob("*/*")}


def _inputs() -> list[Path]:
    return list(CORPUS.glob("*/*"))


def _numbers(log: str, pattern: str) -> list[int]:
    return [int(number) for number in re.findall(pattern, log, re.MULTILINE)]


def _replayed(path: Path, python: Path, environment: dict[str, str]) -> bool:
    """Reduce and show one input; return whether it is still a finding."""
    environment = {**environment, "ASAN_OPTIONS": SANITIZER}
    command = [str(python), str(FOLDER / "replay.py"), str(path)]
    return subprocess.run(command, env=environment).returncode != 0


if __name__ == "__main__":
    sys.exit(main())
