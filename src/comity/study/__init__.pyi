# Written by tools/faces.py.
from .decision_log.chain import ChainFinding, LineProblem, NOTES
from .decision_log.log_verification import LogVerification
from .decision_log.record_filter import HostSummary, LogSummary, RecordFilter, log_lines, read_records

__all__ = [
    "ChainFinding",
    "HostSummary",
    "LineProblem",
    "LogSummary",
    "LogVerification",
    "NOTES",
    "RecordFilter",
    "log_lines",
    "read_records",
]
