"""The seeds and the dictionary of the fuzzer, made from files of the project."""

import base64
import hashlib
import json
import random
import sys
from pathlib import Path

from case import encode
from comity.protocol.robotstxt.engine.dialect import DIALECTS
from comity.protocol.robotstxt.engine.grammar import FIELDS, TYPOS

__all__ = ["cases", "programs", "vocabulary"]

ROOT = Path(__file__).resolve().parent.parent

URLS = [
    "/",
    "/a/b.php?c=d/e",
    "https://example.com/%7Ejoe/caf\u00e9#top",
    "example.com:80/a",
    "/robots.txt",
    "mailto:x",
]
HEADER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

#: Other parts of lines and URLs.
WORDS = (
    *("*", "$", "/", "%2F", "%2f", "%61", "%", "?", "#", ":", "//", "http://", "https://", ";", "\0"),
    *("\n", "\r", "\r\n", "\t", "\x0b", "\x0c", " ", "\ufeff", "/robots.txt", "/index.html", "Disallow: /"),
    *("User-agent: *\n", "Allow: /*", "[", "@", "=", "1300-1659", "1/10m", "2.5", "Googlebot"),
)


def cases() -> list[bytes]:
    """Yield the bytes of each seed."""
    return [*_of_the_tables(), *_of_the_examples(), *_of_many_patterns()]


def programs() -> list[bytes]:
    """Return the bytes of some programs for `calls`."""
    return [random.Random(seed).randbytes(400) for seed in range(50)]


def vocabulary() -> str:
    """Return a dictionary of useful words in libFuzzer's format."""
    fields = [f"{name.title()}: " for name in FIELDS] + [f"{name}:" for name in TYPOS]
    return "".join(f'"{_escaped(word)}"\n' for word in dict.fromkeys([*fields, *WORDS]))


def _escaped(word: str) -> str:
    return "".join(f"\\x{octet:02x}" for octet in word.encode())


def _of_the_tables() -> list[bytes]:
    found = []
    for path in sorted((ROOT / "conformance").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            body = base64.b64decode(case["text_b64"]) if "text_b64" in case else case["text"].encode()
            agents = [case["agent"]] if isinstance(case["agent"], str) else case["agent"][:2]
            found.append(encode(path.stem, agents, [case["url"], *URLS[:2]], body))
    return found


def _of_the_examples() -> list[bytes]:
    examples = sorted((ROOT / "src" / "comity" / "examples").glob("*.txt"))
    return [
        encode(dialect, ["ExampleBot", HEADER], URLS, path.read_bytes())
        for path in examples
        for dialect in DIALECTS
    ]


def _of_many_patterns() -> list[bytes]:
    """Yield files with enough patterns for an index, around its steps of eight bytes."""
    heads = [f"/{'a' * length}{end}" for length in range(22) for end in ("", "b$", "*c/*d")]
    names = ("Disallow", "Allow", "Disallow")
    rules = [f"{names[place % 3]}: {head}" for place, head in enumerate(heads)]
    body = "\n".join(["User-agent: *", *rules]).encode()
    urls = [f"/{'a' * length}{end}" for length, end in ((0, ""), (6, "b"), (7, ""), (8, "xc/d"), (15, "b"))]
    return [encode(dialect, ["ExampleBot"], urls, body) for dialect in DIALECTS]


def _main(folder: Path, words: Path) -> None:
    """Write each seed to a file in the folder of its target, and the dictionary."""
    for target, seeds in (("answers", cases()), ("calls", programs())):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            name = hashlib.sha1(seed, usedforsecurity=False).hexdigest()
            (folder / target / name).write_bytes(seed)
    words.write_bytes(vocabulary().encode())


if __name__ == "__main__":
    _main(*map(Path, sys.argv[1:]))
