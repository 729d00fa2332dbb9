"""The operations that are timed, and their files.

The calls of the libraries (`peers.py`) use these names: `body` or `text`, a file; `agent`, a robot; `path`,
`url`, `paths` and `urls`, of pages; `robots`, a parsed file; `rules`, that file prepared for the robot.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import corpus

__all__ = ["WORKLOADS", "FileSet", "Workload", "file_sets"]


@dataclass(frozen=True)
class Workload:
    """One operation of a library, and the input that is different each time.

    `call` is the key of the calls in `peers.py`. `over` is "file", "question" or "batch". `argument` is
    "path" or "url". If `speed` is true, the figure for many files is in MB/s.
    """

    title: str
    call: str
    over: str = "file"
    argument: str = "path"
    speed: bool = False

    @property
    def variable(self) -> str:
        """The name of the input in a question."""
        return f"{self.argument}s" if self.over == "batch" else self.argument


WORKLOADS = {
    "parse": Workload("parse (lazy in Comity)", "parse", speed=True),
    "groups": Workload("parse and build all groups", "groups", speed=True),
    "first-path": Workload("parse and ask once, path", "first"),
    "first-url": Workload("parse and ask once, URL", "first", argument="url"),
    "ask-path": Workload("a question, path", "ask", "question"),
    "ask-url": Workload("a question, URL", "ask", "question", "url"),
    "named-path": Workload("a question that names the robot, path", "named", "question"),
    "named-url": Workload("a question that names the robot, URL", "named", "question", "url"),
    "batch-path": Workload("a question in batch, path", "batch", "batch"),
    "batch-url": Workload("a question in batch, URL", "batch", "batch", "url"),
    "check-path": Workload("an answer with its reason, path", "check", "question"),
    "check-url": Workload("an answer with its reason, URL", "check", "question", "url"),
    "lines": Workload("parse and list all lines", "lines"),
    "diagnostics": Workload("parse and list all diagnostics", "diagnostics"),
    "lint": Workload("lint", "lint"),
    "format": Workload("format", "format"),
}

_FILES = ("parse", "groups", "first-path", "first-url")
_TOOLS = ("lines", "diagnostics", "lint", "format")
_QUESTIONS = tuple(key for key in WORKLOADS if key not in (*_FILES, *_TOOLS))


@dataclass(frozen=True)
class FileSet:
    """Files, and the workloads that are timed on them. `title` and `text` describe the files."""

    key: str
    title: str
    text: str
    bodies: tuple[bytes, ...]
    works: tuple[str, ...]


def file_sets(files: corpus.Corpus, sample: int) -> Iterator[FileSet]:
    """Yield a small, a typical and a large file, all files, the 50 largest, and a random sample."""
    by_size = sorted(files.bodies, key=len)
    one = {
        "small": ("A small file", corpus.SMALL),
        "typical": ("A typical file", by_size[len(by_size) // 2]),
        "large": ("A large file", by_size[len(by_size) * 99 // 100]),
    }
    for key, (title, body) in one.items():
        lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
        text = f"{len(body):,} bytes, {lines:,} lines"
        yield FileSet(key, title, text, (body,), (*_FILES, *_QUESTIONS, *_TOOLS))
    yield FileSet("all", "All files", files.shape(), files.bodies, _FILES)
    largest = files.largest(50)
    rules = statistics.median(len(corpus.patterns(body)) for body in largest)
    text = f"the files with the most rules: {rules:,.0f} in the median one"
    yield FileSet("largest", f"The {len(largest)} largest files", text, largest, ("first-path", "ask-path"))
    bodies = files.sample(sample)
    text = f"{len(bodies)} files drawn at random"
    yield FileSet("sample", "A sample of files", text, bodies, (*_QUESTIONS, *_TOOLS))
