"""Verify decision logs as `comity log verify` does."""

from functools import partial

from comity.study.decision_log import LogVerification, log_lines


def verified(*paths, **options):
    """Return the verification of logs and its findings."""
    verification = LogVerification(map(str, paths), **options)
    return verification, list(verification.findings(partial(log_lines, is_known=True)))
