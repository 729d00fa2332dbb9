"""Verify decision logs as `comity log verify` does."""

from comity.politeness.log_files.line import read_lines
from comity.study.decision_log.log_verification import LogVerification


def lines_of(file):
    """Yield the lines of a file."""
    with open(file, "rb") as stream:
        yield from read_lines(file, stream)


def verified(*paths, **options):
    """Return the verification of logs and its findings."""
    verification = LogVerification(map(str, paths), **options)
    return verification, list(verification.findings(lines_of))
