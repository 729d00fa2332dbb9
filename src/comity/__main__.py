"""`comity` and `python -m comity`: the command line, and its exit status after any failure.

This module works without the packages of the extra `cli`.
"""

import gc
import io
import os
import sys
from contextlib import suppress

from ._extras import install_hint
from ._version import version_line
from .protocol.text import printable

#: Exit status for wrong usage, including a missing package.
_USAGE = 2

#: Exit status after an error in Comity itself (EX_SOFTWARE of sysexits.h).
_INTERNAL = 70

#: Exit status after an interruption from the keyboard: 128 and the number of the signal.
_INTERRUPTED = 130

#: Thresholds of the garbage collector. The values of a large file are many and have no cycles, and with the
#: usual thresholds, searching them for garbage takes a third of the time.
_GARBAGE = (200_000, 50, 100)


def main() -> None:
    """Run the command line. `--version` works without the packages of the extra `cli`."""
    _prepare_streams()
    gc.set_threshold(*_GARBAGE)
    status = _status()
    _flush_streams()
    gc.freeze()  # Python would search for garbage before it exits, for a tenth of a second
    sys.exit(status)


def _status() -> int:
    """Run the command line, and return its exit status. An error is never 1, which means disallowed."""
    try:
        from .cli import run

        return run()
    except ImportError as error:
        return _missing(error)
    except KeyboardInterrupt:
        _complain("interrupted")
        return _INTERRUPTED
    except MemoryError:
        _complain("comity: out of memory")
        return _INTERNAL
    except Exception as error:
        return _internal(error)


def _prepare_streams() -> None:
    """Let no character fail to be printed, and let no file that is opened later be a standard stream."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with suppress(OSError):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # this one was closed
            os.set_inheritable(descriptor, True)
        os.close(descriptor)


def _flush_streams() -> None:
    """Write the rest of the output. Python exits with status 120 if it cannot write it, so drop it then."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:  # for example, the reader of a pipe has ended; `run` has reported standard output
            with suppress(OSError), open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), stream.fileno())


def _missing(error: ImportError) -> int:
    """Report a package that is not installed, or show the version without it."""
    package = (error.name or "").partition(".")[0]
    if package == "comity":
        return _internal(error)
    if sys.argv[1:] == ["--version"]:
        print(version_line())
        return 0
    if not package:
        _complain(f"comity: {error}")
        return _USAGE
    _complain(f"comity: this command needs the package {package}; {install_hint(package)}")
    _show_traceback()
    return _USAGE


def _internal(error: Exception) -> int:
    _complain(
        f"comity: internal error: {type(error).__name__}: {str(error)[:500]}; please report it, with the "
        "command and the traceback that COMITY_DEBUG=1 shows"
    )
    _show_traceback()
    return _INTERNAL


def _show_traceback() -> None:
    if os.environ.get("COMITY_DEBUG"):
        import traceback

        for line in traceback.format_exc().split("\n"):
            _complain(line)


def _complain(text: str) -> None:
    with suppress(OSError):
        print(printable(text), file=sys.stderr)  # prints nothing if standard error is closed


if __name__ == "__main__":
    main()
