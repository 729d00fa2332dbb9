"""The stored versions of robots.txt files, and the changes between them."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

from ...errors import EvidenceError, UnusableInput
from ...politeness.log_files import RawLine, evidence_folder, stored_body, version_of
from ...protocol import printable
from ...protocol.access import Outcome
from ...stores import Version, VersionStore
from ...study.decision_log import read_records
from ..compare import Agents
from .site_change import SiteChange, site_change

#: Maximum number of changes in memory, with their bodies.
_MAX_CHANGES = 64

#: Number of the last transitions that a feed can choose from.
_RECENT = 200


class Transition(NamedTuple):
    """Two versions of a site in a row: `before` is None for the first one.

    `known` is the last answer of the server, if `before` is a failure.
    """

    before: Version | None
    after: Version
    known: Version | None

    @property
    def number(self) -> int:
        """The number of the new version."""
        return self.after.number


class Journal:
    """The transitions of some origins in a store, and the changes that they mean."""

    def __init__(
        self, body_of: Callable[[Version], bytes], origins: Iterable[str], *, agents: Agents | None = None
    ) -> None:
        """Prepare it. `body_of` returns the body of a version, and may raise `EvidenceError`."""
        self._body_of = body_of
        self._origins = frozenset(origins)
        self._agents = agents
        self._last: dict[str, Version] = {}
        self._known: dict[str, Version] = {}
        self._changes: OrderedDict[int, SiteChange] = OrderedDict()
        #: the last transitions, the oldest first
        self.recent: deque[Transition] = deque(maxlen=_RECENT)
        #: the URLs to count for some versions, by number
        self.urls: dict[int, list[str]] = {}
        #: the number of the last version that was read
        self.number: int = 0

    def add(self, versions: Iterable[Version]) -> list[Transition]:
        """Return the transitions to new versions of the store, in order."""
        found = []
        for version in versions:
            self.number = version.number
            if version.origin not in self._origins:
                continue
            before, known = self._last.get(version.origin), self._known.get(version.origin)
            found.append(Transition(before, version, known))
            self._last[version.origin] = version
            if version.outcome is not Outcome.UNREACHABLE:
                self._known[version.origin] = version
        self.recent += found
        return found

    def change(self, transition: Transition) -> SiteChange:
        """Return what a transition means."""
        number = transition.number
        change = self._changes.get(number)
        if change is None:
            versions = [version for version in transition if version is not None]
            bodies = {version.number: self._body(version) for version in versions}
            before, after, known = (
                None if version is None else version.access(bodies[version.number] or b"")
                for version in transition
            )
            assert after is not None  # noqa: S101  # a transition has a new version
            change = site_change(
                before,
                after,
                known=known,
                agents=self._agents,
                urls=self.urls.pop(number, None),
                is_stored=None not in bodies.values(),
            )
            self._changes[number] = change
            if len(self._changes) > _MAX_CHANGES:
                self._changes.popitem(last=False)
        return change

    def _body(self, version: Version) -> bytes | None:
        """Return the body of a version, None if it is not stored."""
        try:
            return self._body_of(version)
        except EvidenceError:
            return None


#: The fewest digits of a digest that name a version.
_FEWEST = 6


class StoredVersions:
    r"""The versions of robots.txt files that were stored, by site: of a watch, or of a robot's decision log.

    `sites` has the versions of each origin, the oldest first.

    >>> from pathlib import Path
    >>> stored = StoredVersions.of_folder(Path("no such folder"))
    Traceback (most recent call last):
    ...
    comity.errors.UnusableInput: no such folder: not a folder
    """

    def __init__(self, versions: Iterable[Version], body_of: Callable[[Version], bytes]) -> None:
        """Prepare versions, the oldest first. `body_of` returns a body, and may raise `EvidenceError`."""
        self.sites: dict[str, list[Version]] = {}
        for version in versions:
            self.sites.setdefault(version.origin, []).append(version)
        self._body_of = body_of
        #: the damaged lines of the file of versions, by their numbers, each with the reason
        self.damaged: dict[int, str] = {}

    @classmethod
    def of_folder(cls, folder: Path) -> Self:
        """Read the versions that a watch stored. Raises `UnusableInput` if they cannot be read."""
        if not folder.is_dir():
            raise UnusableInput(f"{printable(str(folder))}: not a folder")
        store = VersionStore(folder)
        try:
            found = cls(store.read(), store.body)
        except OSError as error:
            raise UnusableInput(
                f"{printable(str(store.path))}: cannot be read: {error.strerror or error}"
            ) from None
        found.damaged = dict(store.damaged)
        return found

    @classmethod
    def of_log(cls, lines: Iterable[RawLine], log: Path) -> Self:
        """Read the versions that the lines of a decision log name; the bodies are in the folder beside it."""
        evidence = evidence_folder(log)

        def body_of(version: Version) -> bytes:
            if version.sha256 is None:
                return b""
            if not version.kept:
                raise EvidenceError(f"the body of version {version.number:,} was not stored")
            return stored_body(evidence, version.sha256)

        return cls(_logged(lines), body_of)

    def find(self, origin: str, name: str) -> Version:
        """Return the version with a number, or with a digest that begins with at least six digits.

        Raises `UnusableInput` if there is none, or if there are several.
        """
        wanted, versions = name.lower(), self.sites.get(origin, ())
        by_number = [version for version in versions if str(version.number) == wanted]
        by_digest = [
            version
            for version in versions
            if len(wanted) >= _FEWEST and version.sha256 is not None and version.sha256.startswith(wanted)
        ]
        if not by_number and len({version.sha256 for version in by_digest}) > 1:
            raise UnusableInput(f"{printable(name)}: several versions begin with it; give more digits")
        found = by_number or by_digest
        if not found:
            raise UnusableInput(f"{printable(name)!r:.100}: no such version; comity history lists them")
        return found[-1]

    def body(self, version: Version) -> bytes:
        """Return the body of a version. Raises `UnusableInput` if it is missing or damaged."""
        try:
            return self._body_of(version)
        except EvidenceError as error:
            raise UnusableInput(str(error)) from None

    def changes(self, origin: str, *, last: int | None = None) -> Iterator[tuple[Version, SiteChange]]:
        """Yield the versions of a site, or the `last` ones, each with what it changed."""
        journal = Journal(self._body_of, [origin])
        transitions = journal.add(self.sites.get(origin, ()))
        for transition in transitions if last is None else transitions[-last:]:
            yield transition.after, journal.change(transition)


def _logged(lines: Iterable[RawLine]) -> Iterator[Version]:
    """Yield each robots.txt of a decision log that differs from the one before of its site."""
    last: dict[str, object] = {}
    for _, record in read_records(lines):
        if record is None or record.get("robots") is None:
            continue
        try:
            version = version_of(record)
        except (ValueError, KeyError, TypeError):
            continue
        if last.get(version.origin) != version.answer:
            last[version.origin] = version.answer
            yield version
