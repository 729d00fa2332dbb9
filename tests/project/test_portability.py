"""Text files and pipes have an encoding, code that needs POSIX says so, and patterns work in old releases."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "tools", "bench", "fuzz")
FILES = [
    ROOT / "conftest.py",
    ROOT / "setup.py",
    *(path for name in FOLDERS for path in (ROOT / name).rglob("*.py")),
]
TESTS = [path for path in FILES if path.is_relative_to(ROOT / "tests")]
SOURCES = [path for path in FILES if path.is_relative_to(ROOT / "src")]

#: Modules that only POSIX has, and functions and constants of others.
POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
POSIX_NAMES = {
    *("os.fork", "os.geteuid", "os.getuid", "os.mkfifo", "os.openpty", "os.umask", "os.getpgid", "os.killpg"),
    *(
        "signal.SIGINT",
        "signal.SIGKILL",
        "signal.SIGHUP",
        "signal.SIGUSR1",
        "signal.SIGALRM",
        "signal.setitimer",
    ),
    *("socket.AF_UNIX", "socket.send_fds", "socket.recv_fds", "select.poll", "time.tzset"),
}
POSIX_METHODS = {"symlink_to", "chown", "setxattr", "getxattr", "listxattr"}
#: Text in the arguments of calls that means the same.
POSIX_PATHS = ("/dev/", "/proc/")

#: Texts of which `unmarked` needs one. Most files have none, and are not parsed.
POSIX = (*POSIX_MODULES, *(name.partition(".")[2] for name in POSIX_NAMES), *POSIX_METHODS, *POSIX_PATHS)

#: Files that ask for the system themselves.
CHOOSE = {ROOT / "tests/support/forked_python.py", ROOT / "tests/support/platforms.py", Path(__file__)}


def parse(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def in_project(path):
    return path.relative_to(ROOT).as_posix()


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def opens_text(call):
    """Return whether a call of `open` opens a text file."""
    method = isinstance(call.func, ast.Attribute)
    if method and ast.unparse(call.func.value) in (
        "os",
        "tarfile",
        "gzip",
        "progress",
        "scheduler",
        "client",
        "self._zip",
    ):
        return False
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] or call.args[
        0 if method else 1 :
    ]
    return not modes or not (isinstance(modes[0], ast.Constant) and "b" in str(modes[0].value))


#: The calls that `without_encoding` looks at. Most files have none of these names, and are not parsed.
OPENING = re.compile(r"\b(?:read_text|write_text|open|run|Popen|check_output)\b")


def without_encoding(tree):
    """Yield the calls whose encoding depends on the system."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        arguments = {keyword.arg for keyword in call.keywords}
        if arguments & {"encoding", None} or ast.unparse(call.func).startswith("super()."):
            continue
        match name_of(call):
            case "read_text" if not call.args:
                yield call
            case "write_text" if len(call.args) < 2:
                yield call
            case "open" if opens_text(call):
                yield call
            case "run" | "Popen" | "check_output" if arguments & {"text", "universal_newlines"}:
                yield call


def test_text_has_an_encoding():
    found = [
        f"{in_project(path)}:{call.lineno}: {ast.unparse(call)}"
        for path in FILES
        if OPENING.search(path.read_text(encoding="utf-8"))
        for call in without_encoding(parse(path))
    ]

    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("path.read_text()", 1),
        ("path.read_text('utf-8')", 0),
        ("path.write_text(text)", 1),
        ("open(path)", 1),
        ("open(path, 'rb')", 0),
        ("path.open()", 1),
        ("path.open(mode='wb')", 0),
        ("subprocess.run(command, text=True)", 1),
        ("subprocess.run(command, encoding='utf-8')", 0),
        ("subprocess.run(command)", 0),
    ],
)
def test_missing_encoding_is_found(code, found):
    assert len(list(without_encoding(ast.parse(code)))) == found


def needs_posix(node):
    """Yield what a function or statement uses that Windows lacks, unless it asks with `hasattr`."""
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call) and name_of(inner) == "hasattr"]
    asked = {".".join(ast.unparse(part).strip("'") for part in call.args) for call in calls}
    names = POSIX_NAMES - asked
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and f"{getattr(inner.value, 'id', '')}.{inner.attr}" in names:
            yield ast.unparse(inner)
        elif isinstance(inner, ast.Attribute) and inner.attr in POSIX_METHODS:
            yield inner.attr
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):  # code for another process
            yield from (
                name for name in POSIX_NAMES if f"{name}(" in inner.value or f"{name})" in inner.value
            )
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            modules = (
                {inner.module} if isinstance(inner, ast.ImportFrom) else {name.name for name in inner.names}
            )
            yield from sorted(modules & POSIX_MODULES)
        elif isinstance(inner, ast.Call):
            values = (
                part.value for each in inner.args for part in ast.walk(each) if isinstance(part, ast.Constant)
            )
            yield from (value for value in values if isinstance(value, str) and value.startswith(POSIX_PATHS))


def names_posix(code):
    return any(text in code for text in POSIX)


def is_marked(statement):
    """Return whether a test is skipped on Windows."""
    marks = [ast.unparse(mark) for mark in getattr(statement, "decorator_list", ())]
    return any(name in mark for mark in marks for name in ("posix", "not_root", "as_root", "skipif"))


def names_in(function):
    """Return the names that a function uses: those of helpers, and of the fixtures that are its parameters."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return names | {argument.arg for argument in function.args.args}


def unmarked(tree):
    """Yield the tests and other statements that need POSIX without a mark; one mark can be for the module.

    A test needs what its helpers and fixtures need.
    """
    assigned = (ast.unparse(statement) for statement in tree.body if isinstance(statement, ast.Assign))
    if any("pytestmark = posix_only" in statement for statement in assigned):
        return
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    helpers = {
        node.name: node for node in functions if not node.name.startswith("test_") and not is_marked(node)
    }
    needs = {name: set(needs_posix(node)) for name, node in helpers.items()}
    for _ in helpers:
        for name, node in helpers.items():
            needs[name] |= {need for other in names_in(node) & needs.keys() for need in needs[other]}
    for statement in tree.body:
        if is_marked(statement) or getattr(statement, "name", None) in helpers:
            continue
        found = set(needs_posix(statement))
        if statement in functions:
            found |= {need for name in names_in(statement) & needs.keys() for need in needs[name]}
        if found:
            yield f"line {statement.lineno}: {', '.join(sorted(found))}"


def test_use_of_posix_is_marked():
    found = [
        f"{in_project(path)}: {use}"
        for path in TESTS
        if path not in CHOOSE and names_posix(path.read_text(encoding="utf-8"))
        for use in unmarked(parse(path))
    ]

    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import fcntl", 1),
        ("def test_it(): os.fork()", 1),
        ("@posix_only('fork')\ndef test_it(): os.fork()", 0),
        ("pytestmark = posix_only('pty')\nimport pty", 0),
        ("def test_it(): open('/dev/full', 'wb')", 1),
        ("def test_it(): ask('/proc/self', '/developers')", 1),
        ("CODE = 'import os; os.fork()'", 1),
        ("def start(): os.fork()\ndef run(): start()\ndef test_it(): run()", 1),
        ("def start(): os.fork()\ndef run(): start()\n@posix_only('fork')\ndef test_it(): run()", 0),
        ("@pytest.fixture\ndef child(): os.fork()\ndef test_it(child): pass", 1),
        ("def test_it(): os.getpid()", 0),
    ],
)
def test_unmarked_use_of_posix_is_found(code, found):
    assert names_posix(code) or not found
    assert len(list(unmarked(ast.parse(code)))) == found


def without_platform(tree):
    """Yield the imports of POSIX modules outside of a branch for a platform.

    Type checkers read these branches. After `except ImportError`, they report each use on Windows.
    """
    chosen = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "sys.platform" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    yield from (node for node in imports if node not in chosen and list(needs_posix(node)))


def test_sources_import_posix_modules_by_platform():
    found = [
        f"{in_project(path)}:{node.lineno}"
        for path in SOURCES
        if names_posix(path.read_text(encoding="utf-8"))
        for node in without_platform(parse(path))
    ]

    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("try:\n    import resource\nexcept ImportError: pass", 1),
        ("if sys.platform != 'win32':\n    import resource", 0),
        ("if sys.platform == 'win32': import msvcrt\nelse: import fcntl", 0),
    ],
)
def test_import_without_a_platform_is_found(code, found):
    assert len(list(without_platform(ast.parse(code)))) == found


def test_possessive_groups_fail_at_their_start():
    """Before 3.11.5, Python continues in the middle of a failed repetition, unless its last alternative fails."""
    group = re.compile(r"(?<=[^(\\])\)(?:[*+?]|\{+[0-9,]+\}+)\+")
    found = [
        f"{in_project(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for end in group.finditer(line)
        if not line[: end.start()].endswith("|(?!)")
    ]

    assert found == []
