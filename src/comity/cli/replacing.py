"""Writes a file whole or not at all: what reads it meanwhile sees the old one or the new one."""

import errno
import os
import stat
from contextlib import suppress

__all__ = ["replace_file"]


def replace_file(path: str, body: bytes) -> None:
    """Put octets into a file, which may be new; a symbolic link stays one, and permissions stay.

    Raises `OSError`; then the file is as it was.
    """
    from tempfile import NamedTemporaryFile

    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # which replacing it would pass by
    with NamedTemporaryFile(dir=os.path.dirname(target), prefix=".robots.", delete=False) as file:
        try:
            file.write(body)
            file.close()
            if old is None:
                os.chmod(file.name, 0o666 & ~_umask())
            else:
                with suppress(OSError, AttributeError):  # only root may give files away
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
