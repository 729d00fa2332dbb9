"""Replacement of a user's file: a reader sees the old content or the new one.

A file that takes the place of another must be as readable as the other was: a server that may not read
robots.txt answers 403, and for most robots the whole site is then open (RFC 9309 2.3.1.3). So the owner, the
group, the mode and the extended attributes stay, access control lists included. If a new file cannot have
them, or if the old one has several names, the old one is written in place.

macOS shows Python no extended attributes, and Windows no access control lists. There a file keeps its mode,
and has the attributes and lists of a new file in its folder.
"""

import errno
import os
import stat
import sys
from contextlib import suppress
from functools import partial
from secrets import token_hex

from .private_files import when_unused

_BINARY = getattr(os, "O_BINARY", 0)


def replace_file(path: str, body: bytes) -> None:
    """Write a file, which may be new. A symbolic link stays, and so do the other names of the file.

    Raises `OSError`; the file is then unchanged.
    """
    target = os.path.realpath(path)
    try:
        if not stat.S_ISREG(os.stat(target).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        # Opening it shows whether it may be written; os.replace would ignore that.
        old = os.open(target, os.O_RDWR | _BINARY)
    except FileNotFoundError:
        _create(target, body)
        return
    try:
        part = _like(old, os.path.dirname(target), body)
        if part is None:
            _overwrite(old, body)
    finally:
        os.close(old)
    if part is None:
        return
    try:
        when_unused(partial(os.replace, part, target))
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def _create(target: str, body: bytes) -> None:
    """Write a new file, with the owner, group and mode that new files have."""
    part = _part(os.path.dirname(target))
    try:
        _write(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666), body)
        when_unused(partial(os.replace, part, target))
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def _like(old: int, folder: str, body: bytes) -> str | None:
    """Write a new file in all respects like an open one; return its path, or None if that is impossible."""
    if os.fstat(old).st_nlink > 1:
        return None
    part = _part(folder)
    try:
        new = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    except PermissionError:
        return None  # the folder takes no new files, but the file itself may be written
    try:
        kept = _copy_rights(old, new)
    except BaseException:
        os.close(new)
        os.unlink(part)
        raise
    if not kept:
        os.close(new)
        os.unlink(part)
        return None
    try:
        _write(new, body)
    except BaseException:
        os.unlink(part)
        raise
    if sys.platform == "win32":
        os.chmod(part, stat.S_IMODE(os.fstat(old).st_mode))
    return part


def _copy_rights(old: int, new: int) -> bool:
    """Set the owner, group, mode and extended attributes of an open file; return whether it has them all."""
    if sys.platform == "win32":
        return True
    wanted = os.fstat(old)
    # One by one: who may not give a file to another owner may still give it to one of his groups.
    with suppress(PermissionError):
        os.fchown(new, -1, wanted.st_gid)
    with suppress(PermissionError):
        os.fchown(new, wanted.st_uid, -1)
    found = os.fstat(new)
    if (found.st_uid, found.st_gid) != (wanted.st_uid, wanted.st_gid):
        return False  # and so it never has set-uid or set-gid bits that the old file had
    with suppress(OSError):
        _copy_attributes(old, new)
    os.fchmod(new, stat.S_IMODE(wanted.st_mode))
    return os.fstat(new).st_mode == wanted.st_mode and _attributes(old) == _attributes(new)


def _copy_attributes(old: int, new: int) -> None:
    if sys.platform == "linux":
        wanted = _attributes(old)
        for name, value in wanted.items():
            os.setxattr(new, name, value)
        for name in _attributes(new).keys() - wanted.keys():
            os.removexattr(new, name)  # such as the list that the folder gives to new files


def _attributes(file: int) -> dict[str, bytes]:
    """Return the extended attributes of an open file, access control lists included."""
    if sys.platform == "linux":
        try:
            return {name: os.getxattr(file, name) for name in os.listxattr(file)}
        except OSError:  # the file system has none
            return {}
    return {}


def _overwrite(file: int, body: bytes) -> None:
    """Write an open file in place; if that fails, restore its content."""
    with open(os.dup(file), "r+b", buffering=0) as stream:
        before = stream.read()
    try:
        _fill(file, body)
    except BaseException:
        with suppress(OSError):
            _fill(file, before)
        raise


def _fill(file: int, body: bytes) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    left = memoryview(body)
    while left:
        left = left[os.write(file, left) :]
    os.ftruncate(file, len(body))
    os.fsync(file)


def _write(file: int, body: bytes) -> None:
    """Write an open file, and close it."""
    try:
        _fill(file, body)
    finally:
        os.close(file)


def _part(folder: str) -> str:
    """Return the path of a temporary file beside the target, so that it can be renamed."""
    return os.path.join(folder, f".robots.{token_hex(8)}")
