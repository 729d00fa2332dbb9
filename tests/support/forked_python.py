"""Python processes that start in milliseconds: forked from a process that has imported Scrapy and Comity.

`Popen` and `run` are used as those of `subprocess`, except that a command does not name the interpreter:
`["-m", "comity", "crawl", URL]`. Each process has its own signals, files and environment; it only skips the
imports, which take a second. Variables that the interpreter reads when it starts, such as PYTHONPATH, have
the values that the tests have.

On other systems than Linux, `Popen` and `run` start an interpreter: Windows has no fork, and on macOS the
libraries of the system do not survive one.
"""

import atexit
import gc
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
import types
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from subprocess import DEVNULL, PIPE, STDOUT, CompletedProcess, TimeoutExpired

__all__ = ["DEVNULL", "PIPE", "STDOUT", "Popen", "TimeoutExpired", "run"]

#: Packages that the server imports with all their modules.
_PACKAGES = (
    "comity.cli",
    "comity.crawl",
    "comity.integrations.scrapy",
    "comity.robot",
    "scrapy.core",
    "scrapy.downloadermiddlewares",
    "scrapy.extensions",
    "scrapy.spidermiddlewares",
)


class _ForkedProcess:
    """A forked process; its methods and attributes are those of `subprocess.Popen`, in text mode."""

    def __init__(self, args, *, cwd=None, env=None, stdin=None, stdout=None, stderr=None, encoding=None):
        assert encoding == "utf-8" or PIPE not in (stdin, stdout, stderr), "pipes are opened in text mode"
        self.args = args
        self.returncode = None
        self._status = self.stdin = self.stdout = self.stderr = None
        self._readers = []
        first = [_stream(stdin, 0), _stream(stdout, 1)]
        errors = (os.dup(first[1][0]), None) if stderr == STDOUT else _stream(stderr, 2)
        theirs, ours = zip(*first, errors, strict=True)
        self.stdin, self.stdout, self.stderr = ours
        reading, status = os.pipe()
        self._status = io.FileIO(reading)  # unbuffered: a line is read only when it is awaited
        task = {"args": args, "cwd": os.fspath(cwd or os.getcwd()), "env": env or dict(os.environ)}
        control = _server()
        socket.send_fds(control, [json.dumps(task).encode("utf-8", "surrogateescape")], [*theirs, status])
        for descriptor in (*theirs, status):
            os.close(descriptor)
        self.pid = int(self._status.readline())

    def __del__(self):
        """Close the pipes that a failed test has left open: a warning about them would fail a later test."""
        for stream in (self._status, *(() if self._readers else (self.stdin, self.stdout, self.stderr))):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def poll(self):
        with suppress(TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            ended = select.poll()
            ended.register(self._status, select.POLLIN)
            if not ended.poll(None if timeout is None else timeout * 1000):
                raise TimeoutExpired(self.args, timeout)
            self.returncode = int(self._status.readline())
            self._status.close()
        return self.returncode

    def communicate(self, input=None, timeout=None):  # noqa: A002  # the name in subprocess
        if not self._readers:
            if self.stdin is not None:
                self.stdin.write(input or "")
                self.stdin.close()
            self._readers = [_Reader(stream) for stream in (self.stdout, self.stderr) if stream is not None]
        self.wait(timeout)
        for reader in self._readers:
            reader.join()
        texts = {reader.stream: reader.text for reader in self._readers}
        return texts.get(self.stdout), texts.get(self.stderr)

    def send_signal(self, number):
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()


def _started(args, **options):
    return subprocess.Popen([sys.executable, *args], **options)


Popen = _ForkedProcess if sys.platform == "linux" else _started


def run(args, *, capture_output=False, timeout=None, **options):
    """Run a process until it ends; see `subprocess.run`."""
    if capture_output:
        options |= {"stdout": PIPE, "stderr": PIPE}
    process = Popen(args, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        process.kill()
        raise
    return CompletedProcess(args, process.returncode, out, err)


class _Reader(threading.Thread):
    """Reads a stream to its end, and closes it."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream = stream
        self.text = ""
        self.start()

    def run(self):
        with self.stream:
            self.text = self.stream.read()


def _stream(kind, number):
    """Return the descriptor that a process gets as a standard stream, and our end of it if it is a pipe."""
    if kind == PIPE:
        reading, writing = os.pipe()
        return (
            (reading, open(writing, "w", buffering=1, encoding="utf-8"))
            if number == 0
            else (writing, open(reading, encoding="utf-8"))
        )
    if kind == DEVNULL:
        return os.open(os.devnull, os.O_RDWR), None
    return os.dup(number), None


@cache
def _server():
    """Start the server, once in each process of the test run; return the socket that it listens to."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, __file__, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=DEVNULL,
        stdout=DEVNULL,
    )
    theirs.close()

    def stop():
        ours.close()
        server.wait()

    atexit.register(stop)
    return ours


# The server ---------------------------------------------------------------------------------------


def _import_all():
    with warnings.catch_warnings(action="ignore"):  # some modules of Scrapy are deprecated
        for name in _PACKAGES:
            for module in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
                with suppress(ImportError):  # it needs a library that is not installed
                    import_module(module.name)
    assert "twisted.internet.reactor" not in sys.modules, "each process installs its own reactor"


def _serve(control):
    """Fork a process for each message. Return its task in the process, and None once the tests have ended."""
    while True:
        with suppress(ChildProcessError):  # supervisors that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        message, descriptors, *_ = socket.recv_fds(control, 1 << 20, 4)
        if not message:
            return None
        if os.fork() == 0:
            control.close()
            return json.loads(message) if _supervise(descriptors) else None
        for descriptor in descriptors:
            os.close(descriptor)


def _supervise(descriptors):
    """Fork the process and return True in it; the supervisor waits for its end and writes its exit status."""
    *streams, status = descriptors
    pid = os.fork()
    if pid == 0:
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
        for descriptor in descriptors:
            os.close(descriptor)
        # The streams of the server believe that they can seek.
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        options = {"buffering": 1, "encoding": "utf-8", "errors": "backslashreplace", "closefd": False}
        sys.stderr = sys.__stderr__ = open(2, "w", **options)  # noqa: SIM115
        return True
    for descriptor in (0, 1, 2, *streams):
        os.close(descriptor)
    with suppress(BrokenPipeError):
        os.write(status, f"{pid}\n".encode())
        os.write(status, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
    os._exit(0)


def _run(args, cwd, env):
    """Do what `python ARGS` does."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    kind, *rest = args
    if kind == "-m":
        sys.path[0] = cwd
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *rest[1:]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(main))
    else:
        sys.path[0] = os.path.dirname(kind)
        sys.argv = args
        runpy.run_path(kind, run_name="__main__")


def _exit(task):
    """Run a task, and exit with its status after its threads and exit functions.

    The interpreter is not torn down: that would copy each page of memory that is shared with the server.
    """
    status = 0
    try:
        _run(**task)
        threading._shutdown()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        if error.code is not None and status is not error.code:
            print(error.code, file=sys.stderr)
    except BaseException as error:
        traceback.print_exc()
        status = 1
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _import_all()
    gc.collect()
    gc.freeze()  # collections in the processes leave the shared memory alone
    with suppress(KeyboardInterrupt):
        task = _serve(socket.socket(fileno=int(sys.argv[1])))
        if task:
            _exit(task)
