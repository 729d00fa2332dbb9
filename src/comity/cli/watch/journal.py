"""The changes of the watched sites, derived from the stored versions."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...errors import EvidenceError
from ...protocol.access import Outcome
from ...site import SiteChange, site_change
from ...site.compare import Agents
from ...stores import Version

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
