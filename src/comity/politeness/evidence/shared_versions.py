"""The versions that a robot adds to the store of versions next to its decision log, as `comity watch` does.

So the store has what robots, audits and the watch of the site received. The decision log itself names each
robots.txt too, and does not depend on the store: a version that cannot be stored is reported, and left out.
"""

import logging
from pathlib import Path

from ...protocol.access.outcome import Access, Outcome
from .version_store import ANSWERS, VersionStore

#: Maximum number of sites whose versions a robot stores: each of them takes memory.
MAX_SITES = 100_000

_logger = logging.getLogger("comity.robot")


class SharedVersions:
    """The store of versions of one folder, for a robot. The caller excludes other threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = VersionStore(folder)
        self._is_adding = False
        self._is_reported = False

    def add(self, access: Access) -> None:
        """Store an answer, unless it is not the same for all robots: a failure, or by another policy.

        In the folder of a watch nothing is stored, so that the watch finds and reports each change itself.
        """
        is_common = access.outcome is Outcome.RULES or access.policy == "rfc9309"
        # A signal handler that interrupts `add` must not wait for the lock of its own thread.
        if self._is_adding or not is_common or access.failing_since is not None:
            return
        if (self._folder / ANSWERS).exists():
            return
        if self._store.latest(access.origin) is None and self._store.site_count >= MAX_SITES:
            return
        self._is_adding = True
        try:
            self._store.add(access, only_newer=True)
            self._store.forget()
        except OSError as error:
            if not self._is_reported:
                self._is_reported = True
                _logger.warning("%s: versions of robots.txt files are not stored: %s", self._folder, error)
        finally:
            self._is_adding = False

    def close(self) -> None:
        """Close the files."""
        if not self._is_adding:
            self._store.close()

    def renewed(self) -> "SharedVersions":
        """Return the store for a forked process, with files of its own."""
        self._store.close()
        return SharedVersions(self._folder)
