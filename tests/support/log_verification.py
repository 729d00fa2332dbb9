"""Verify decision logs as `comity log verify` does."""

from comity.politeness.evidence.reading import read_lines
from comity.politeness.evidence.verification import Verification


def lines_of(file):
    """Yield the lines of a file."""
    with open(file, "rb") as stream:
        yield from read_lines(file, stream)


def verified(*paths, **options):
    """Return the verification of logs and its findings."""
    verification = Verification(map(str, paths), **options)
    return verification, list(verification.findings(lines_of))
