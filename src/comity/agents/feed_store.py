"""The copies of operators' lists of addresses, as files of a folder: one each, and its earlier copies.

A file is replaced as a whole, so a failed download or a crash leaves the last good copy. A file that is not
valid counts as missing, and is reported.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..errors import InvalidArgument, InvalidFeed, StoreUnavailable
from ..files.private_files import cache_folder, create_guarded_folder, open_regular
from ..files.replaced_file import replace_file
from ..protocol.timestamps import rfc3339
from .address_lists import Feed, FeedCopy, FeedState, Prefix, parsed_prefix

#: Maximum size of a file in bytes, and maximum number of earlier copies of a list.
_MAX_BYTES, _MAX_EARLIER = 32 << 20, 30

#: The version of the format of the files.
_FORMAT = 1


class StoredFeed(NamedTuple):
    """The stored facts about a list: its copies, the validators of the one in force, and the last request.

    `state` has the copies. `etag` and `last_modified` are header fields of the response with the copy in
    force. `asked` is the time of the last request, `not_before` the earliest time of the next one, both in
    seconds since 1970.

    >>> from comity import agents
    >>> agents.StoredFeed().state
    FeedState(copy=None, held=None)
    """

    state: FeedState = FeedState(None, None)
    etag: str | None = None
    last_modified: str | None = None
    asked: float = 0.0
    not_before: float = 0.0


class FeedStore(Mapping[str, Sequence[FeedCopy]]):
    """The lists of addresses in a folder, by URL: the copies of each, the newest first.

    `folder` is the folder, by default `feeds` in the user's cache folder, as for `comity agents --verify`.
    `refresh_feed` fills it, and `verify` reads it. A file is read when its list is needed; `problems` has a
    sentence for each file that is not valid.

    >>> from tempfile import TemporaryDirectory
    >>> from comity import agents
    >>> url = "https://openai.com/gptbot.json"
    >>> copy = agents.FeedCopy(url, agents.Feed(["192.0.2.0/24"]), since=0.0, fetched=0.0)
    >>> with TemporaryDirectory() as folder:
    ...     store = agents.FeedStore(folder)
    ...     store.save(url, agents.StoredFeed(agents.FeedState(copy, None)))
    ...     agents.verify("192.0.2.7", "GPTBot", feeds=store, now=0.0).answer
    Answer.VERIFIED

    Raises `InvalidArgument` for an empty name, and `StoreUnavailable` if the user has no cache folder.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        """Create the store for a `folder`; nothing is read yet."""
        if isinstance(folder, str) and not folder.strip():
            raise InvalidArgument(f"invalid folder {folder!r:.200}: expected a path", name="folder")
        try:
            self.folder: Path = cache_folder() / "feeds" if folder is None else Path(folder)
        except RuntimeError as error:
            raise StoreUnavailable(f"{error}; name a folder") from None
        self.problems: list[str] = []
        self._read: dict[str, tuple[FeedCopy, ...]] = {}

    def __getitem__(self, url: str) -> tuple[FeedCopy, ...]:
        if url not in self._read:
            current = self.load(url).state.copy
            earlier = [found for path in self._earlier(url) if (found := self._copy(path, url)) is not None]
            self._read[url] = (() if current is None else (current,)) + tuple(earlier)
        if not self._read[url]:
            raise KeyError(url)
        return self._read[url]

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self.folder.glob(f"*-{'[0-9a-f]' * 16}.json")):
            url = (self._content(path) or {}).get("url")
            if isinstance(url, str) and url in self:
                yield url

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def load(self, url: str) -> StoredFeed:
        """Return the stored facts about the list of a `url`; no copy if its file is missing or not valid."""
        found = self._content(self._path(url), url)
        if found is None:
            return StoredFeed()
        try:
            return StoredFeed(
                FeedState(_copy(found["copy"], url), _copy(found["held"], url)),
                _text(found["etag"]),
                _text(found["last_modified"]),
                _time(found["asked"]),
                _time(found["not_before"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            self._report(self._path(url), error)
            return StoredFeed()

    def save(self, url: str, stored: StoredFeed) -> None:
        """Write the facts `stored` about the list of a `url`, and keep the copy that they replace.

        Raises `OSError` if the folder cannot be written.
        """
        create_guarded_folder(self.folder)
        before = self.load(url).state.copy
        if before is not None and stored.state.copy is not None and before.feed != stored.state.copy.feed:
            day = re.sub(r"\D", "", rfc3339(before.since))
            self._write(self._path(url, f".{day}"), url, {"copy": _record(before)})
            for path in self._earlier(url)[_MAX_EARLIER:]:
                path.unlink(missing_ok=True)
        self._write(
            self._path(url),
            url,
            {
                "asked": stored.asked,
                "not_before": stored.not_before,
                "etag": stored.etag,
                "last_modified": stored.last_modified,
                "copy": _record(stored.state.copy),
                "held": _record(stored.state.held),
            },
        )
        self._read.pop(url, None)

    def _path(self, url: str, suffix: str = "") -> Path:
        host = re.sub(r"[^a-z0-9.-]", "_", (urlsplit(url).hostname or "").lower())[:80]
        return self.folder / f"{host}-{hashlib.sha256(url.encode()).hexdigest()[:16]}{suffix}.json"

    def _earlier(self, url: str) -> list[Path]:
        """Return the files with the earlier copies of a list, the newest first."""
        return sorted(self.folder.glob(f"{self._path(url).stem}.{'[0-9]' * 14}.json"), reverse=True)

    def _write(self, path: Path, url: str, content: dict[str, object]) -> None:
        body = json.dumps({"format": _FORMAT, "url": url, **content}, indent=1)
        replace_file(str(path), f"{body}\n".encode())

    def _copy(self, path: Path, url: str) -> FeedCopy | None:
        found = self._content(path, url)
        try:
            return None if found is None else _copy(found["copy"], url)
        except (KeyError, TypeError, ValueError) as error:
            self._report(path, error)
            return None

    def _content(self, path: Path, url: str | None = None) -> dict[str, Any] | None:
        """Return the content of a file, about the list of a URL if given; None if missing or not valid."""
        try:
            with open_regular(path) as file:
                body = file.read(_MAX_BYTES + 1)
            found = json.loads(body) if len(body) <= _MAX_BYTES else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self._report(path, error)
            return None
        if (
            not isinstance(found, dict)
            or found.get("format") != _FORMAT
            or url not in (None, found.get("url"))
        ):
            self._report(path, "it is not a list of addresses in this format")
            return None
        return found

    def _report(self, path: Path, problem: object) -> None:
        sentence = f"{path}: not valid, so it is ignored: {problem}"
        if sentence not in self.problems:
            self.problems.append(sentence)


def _record(copy: FeedCopy | None) -> dict[str, object] | None:
    """Return a copy as it is stored, with its size and digest for people who compare lists."""
    if copy is None:
        return None
    prefixes = "\n".join(sorted(copy.feed.prefixes))
    return {
        "since": copy.since,
        "fetched": copy.fetched,
        "created": copy.feed.created,
        "count": len(copy.feed),
        "sha256": hashlib.sha256(prefixes.encode()).hexdigest(),
        "services": copy.feed.services,
        "prefixes": list(copy.feed.prefixes),
    }


def _copy(found: Any, url: str) -> FeedCopy | None:
    """Return a stored copy. Raises `ValueError`, `TypeError` or `KeyError` if it is not valid."""
    if found is None:
        return None
    if not isinstance(found["services"], dict) or not isinstance(found["prefixes"], list):
        raise TypeError("prefixes or services of another type")
    services = {str(prefix): str(service) for prefix, service in found["services"].items()}
    prefixes = [Prefix(parsed_prefix(text), services.get(text)) for text in found["prefixes"]]
    created = found["created"]
    feed = Feed(prefixes, created=created if isinstance(created, str) else None)
    if len(feed) != found["count"]:
        raise InvalidFeed("prefixes are missing", step="entries")
    return FeedCopy(url, feed, _time(found["since"]), _time(found["fetched"]))


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise ValueError(f"{value!r:.40} is not a time")
    return float(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
