"""Verify decision logs as `comity log verify` does."""

from comity.politeness.evidence.reading import read_lines
from comity.politeness.evidence.verification import Verification


def verified(*paths, **options):
    """Return the verification of logs and its findings."""
    verification = Verification(map(str, paths), **options)
    found = []
    for path in paths:
        with open(path, "rb") as stream:
            found += verification.check(read_lines(str(path), stream))
    found += verification.end()
    return verification, found
