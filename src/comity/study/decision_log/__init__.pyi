# Written by tools/faces.py.
from .chain import ChainFinding, NOTES
from .log_verification import LogVerification
from .record_filter import COLUMNS, HostSummary, LogSummary, RecordFilter, host_of, log_lines, read_records, row

__all__ = [
    "COLUMNS",
    "ChainFinding",
    "HostSummary",
    "LogSummary",
    "LogVerification",
    "NOTES",
    "RecordFilter",
    "host_of",
    "log_lines",
    "read_records",
    "row",
]
