"""Atomic replacement of a file: a reader sees the old content or the new one."""

import errno
import os
import stat
from contextlib import suppress


def replace_file(path: str, body: bytes) -> None:
    """Write a file, which may be new; symbolic links and permissions are kept.

    Raises `OSError`; the file is then unchanged.
    """
    from tempfile import NamedTemporaryFile

    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # os.replace would ignore it
    with NamedTemporaryFile(dir=os.path.dirname(target), prefix=".robots.", delete=False) as file:
        try:
            file.write(body)
            file.close()
            if old is None:
                os.chmod(file.name, 0o666 & ~_umask())
            else:
                with suppress(OSError, AttributeError):  # only root may change the owner
                    os.chown(file.name, old.st_uid, old.st_gid)
                os.chmod(file.name, stat.S_IMODE(old.st_mode))
            os.replace(file.name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
