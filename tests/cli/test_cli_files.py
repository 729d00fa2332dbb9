"""The files that commands read and write: owner, group, mode and attributes stay, and sizes are bounded."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from platforms import as_root, posix_only

from comity.cli import main
from comity.files import owner_files
from comity.files.replaced_file import replace_file

posix = posix_only("owners and modes")

OLD = b"user-agent:*\ndisallow:/old\n"
NEW = b"User-agent: *\nDisallow: /new\n"

#: A user and his groups, as numbers.
OWNER, EDITOR, SERVERS, OTHERS = 4101, 4102, 4201, 4202


@pytest.fixture
def shared():
    """A folder that every user can enter, unlike those of `tmp_path`."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def rights(path):
    found = path.stat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)


def run_as(user, groups, function, *arguments):
    """Return the exception that a function raises in a process of a user, None if it succeeds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        name = "BaseException"
        with suppress(BaseException):
            os.setgroups(groups)
            os.setresgid(groups[0], groups[0], groups[0])
            os.setresuid(user, user, user)
            try:
                function(*arguments)
                name = ""
            except Exception as error:  # the parent compares its name
                name = type(error).__name__
        os.write(writing, name.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as stream:
        name = stream.read()
    os.waitpid(child, 0)
    return name or None


@as_root
@pytest.mark.parametrize("mode", [0o640, 0o644, 0o660, 0o600, 0o2664])
@pytest.mark.parametrize(
    ("user", "groups"),
    [
        (OWNER, [SERVERS]),
        (OWNER, [OTHERS, SERVERS]),
        (OWNER, [OTHERS]),  # not in the group of the file, so a new file cannot have it
        (EDITOR, [SERVERS]),  # may write it as a member of the group, and owns no new file of OWNER
        (EDITOR, [OTHERS]),
        (0, [0]),
    ],
)
def test_owner_group_and_mode_stay(shared, user, groups, mode):
    file = shared / "robots.txt"
    file.write_bytes(OLD)
    os.chown(file, OWNER, SERVERS)
    file.chmod(mode)
    may_write = (
        user == 0
        or (user == OWNER and mode & 0o200)
        or (user != OWNER and SERVERS in groups and mode & 0o020)
    )
    before = rights(file)

    assert run_as(user, groups, replace_file, str(file), NEW) == (None if may_write else "PermissionError")
    assert file.read_bytes() == (NEW if may_write else OLD)
    # A system may take the set-gid bit from a file that another user writes.
    assert rights(file)[:2] == before[:2]
    assert rights(file)[2] | 0o2000 == before[2] | 0o2000
    assert os.listdir(shared) == ["robots.txt"]


@as_root
def test_read_only_folder(shared):
    file = shared / "robots.txt"
    file.write_bytes(OLD)
    os.chown(file, OWNER, SERVERS)
    shared.chmod(0o555)

    assert run_as(OWNER, [SERVERS], replace_file, str(file), NEW) is None
    assert file.read_bytes() == NEW
    assert run_as(OWNER, [SERVERS], replace_file, str(shared / "new.txt"), NEW) == "PermissionError"
    assert os.listdir(shared) == ["robots.txt"]


@posix
def test_group_that_cannot_be_kept_is_written_in_place(tmp_path, monkeypatch):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    file.chmod(0o640)
    before = file.stat()

    def refuse(*_arguments):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(os, "fstat", foreign_parts(os.fstat, before.st_ino))
    replace_file(str(file), NEW)

    assert (file.read_bytes(), file.stat().st_ino, rights(file)[2]) == (NEW, before.st_ino, 0o640)
    assert os.listdir(tmp_path) == ["robots.txt"]


def foreign_parts(fstat, inode):
    """Return `os.fstat`, but new files have another group than the one with this inode."""

    def found(file):
        result = fstat(file)
        if result.st_ino == inode:
            return result
        return os.stat_result((*result[:5], result.st_gid + 1, *result[6:]))

    return found


@posix
def test_file_is_replaced_and_not_overwritten(tmp_path):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    with file.open("rb") as reader:
        replace_file(str(file), NEW)
        assert reader.read() == OLD

    assert file.read_bytes() == NEW


@posix
def test_links_stay(tmp_path):
    file, hard, soft = (tmp_path / name for name in ("robots.txt", "hard.txt", "soft.txt"))
    file.write_bytes(OLD)
    hard.hardlink_to(file)
    soft.symlink_to(file)
    replace_file(str(soft), NEW)

    assert soft.is_symlink()
    assert (file.read_bytes(), hard.read_bytes()) == (NEW, NEW)
    assert file.samefile(hard)


@posix
def test_link_to_missing_file_creates_it(tmp_path):
    (tmp_path / "soft.txt").symlink_to(tmp_path / "robots.txt")
    replace_file(str(tmp_path / "soft.txt"), NEW)

    assert (tmp_path / "robots.txt").read_bytes() == NEW
    assert (tmp_path / "soft.txt").is_symlink()


@posix
def test_new_file_obeys_umask(tmp_path):
    before = os.umask(0o027)
    try:
        replace_file(str(tmp_path / "robots.txt"), NEW)
    finally:
        os.umask(before)

    assert rights(tmp_path / "robots.txt")[2] == 0o640


@pytest.mark.skipif(sys.platform != "linux", reason="Python knows extended attributes on Linux only")
def test_extended_attributes_stay(tmp_path):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    try:
        os.setxattr(file, "user.owner", b"shop")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    replace_file(str(file), NEW)

    assert (file.read_bytes(), os.getxattr(file, "user.owner")) == (NEW, b"shop")


@pytest.mark.skipif(sys.platform != "linux", reason="Python knows extended attributes on Linux only")
def test_attributes_that_cannot_be_kept_are_written_in_place(tmp_path, monkeypatch):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    inode = file.stat().st_ino
    monkeypatch.setattr(
        os, "listxattr", lambda path: ["security.own"] if os.fstat(path).st_ino == inode else []
    )
    monkeypatch.setattr(os, "getxattr", lambda *_: b"x")
    replace_file(str(file), NEW)

    assert (file.read_bytes(), file.stat().st_ino) == (NEW, inode)


@posix
@pytest.mark.parametrize("size", [10, 1000])
def test_failed_write_in_place_restores_the_content(tmp_path, monkeypatch, size):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    (tmp_path / "hard.txt").hardlink_to(file)
    write = os.write
    fails = iter([True])

    def full(descriptor, data):
        if next(fails, False):
            write(descriptor, bytes(data)[:5])
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(str(file), b"x" * size)

    assert file.read_bytes() == OLD


def test_file_in_use_is_tried_again(tmp_path, monkeypatch):
    file = tmp_path / "robots.txt"
    file.write_bytes(OLD)
    attempts = []
    replace = os.replace

    def busy(part, target):
        attempts.append(part)
        if len(attempts) < 3:
            raise PermissionError(13, "in use")
        replace(part, target)

    monkeypatch.setattr("comity.files.private_files._PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(os, "replace", busy)
    replace_file(str(file), NEW)

    assert (file.read_bytes(), len(attempts)) == (NEW, 3)
    assert os.listdir(tmp_path) == ["robots.txt"]


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lint", "/dev/zero"], "larger than 16 MiB, the limit"),
        (["fmt", "--check", "/dev/zero"], "larger than 16 MiB, the limit"),
        (["minimize", "/dev/zero"], "larger than 16 MiB, the limit"),
        (["check", "--robots", "/dev/zero", "/"], "larger than 16 MiB, the limit"),
        (["check", "--robots", "EMPTY", "--urls", "/dev/zero"], "longer than 64 KiB, the limit"),
        (["diff", "/dev/zero", "EMPTY"], "larger than 16 MiB, the limit"),
        (["diff", "EMPTY", "CLOSED", "--urls", "/dev/zero"], "longer than 64 KiB, the limit"),
        (["build", "/dev/zero"], "larger than 16 MiB, the limit"),
        (["build", "PLAN", "--output", "/dev/zero"], "not a regular file"),
        (["lint", "--config", "/dev/zero", "EMPTY"], "larger than 16 MiB, the limit"),
    ],
)
def test_endless_file_is_2(arguments, message, tmp_path):
    files = {"EMPTY": b"", "CLOSED": NEW, "PLAN": b'sitemaps = ["https://example.com/s.xml"]\n'}
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    result = run(*(tmp_path / word if word in files else word for word in arguments))

    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lint", "-"], "standard input: cannot be read: larger than"),
        (["fmt", "-"], "standard input: cannot be read: larger than"),
        (["minimize", "-"], "standard input: cannot be read: larger than"),
        (["check", "--robots", "-", "/"], "standard input: cannot be read: larger than"),
        (["build", "-"], "standard input: cannot be read: larger than"),
        (["agents", "-"], "standard input: cannot be read: a line is longer than 64 KiB, the limit"),
    ],
)
def test_large_standard_input_is_2(arguments, message, monkeypatch):
    monkeypatch.setattr(owner_files, "MAX_BYTES", 1 << 16)
    result = run(*arguments, input=b"#" * 70_000)

    assert result.exit_code == 2
    assert message in result.stderr


NESTED = {
    "arrays": "select = " + "[" * 5000,
    "tables": "a = " + "{a=" * 5000,
    "valid arrays": "select = " + "[" * 100 + "]" * 100,
    "dots": "select" + ".a" * 100_000 + " = 1",
    "tables in headers": "[lint" + ".a" * 100_000 + "]",
    "tables below tables": "\n".join(f"[lint{'.a' * depth}]" for depth in range(1, 60)),
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_nested_settings_are_2(text, tmp_path, monkeypatch):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "comity.toml").write_text(f"[lint]\n{text}\n", encoding="utf-8")
    monkeypatch.chdir(inner)
    result = run("lint", "-", input=NEW)

    assert result.exit_code == 2
    assert f"{tmp_path / 'comity.toml'}: " in result.stderr


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("standard_input", [True, False])
def test_nested_plan_is_2(text, standard_input, tmp_path):
    plan = tmp_path / "robots.toml"
    plan.write_text(text, encoding="utf-8")
    result = run("build", "-", input=plan.read_bytes()) if standard_input else run("build", tmp_path)

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
