# Written by tools/faces.py.
from .chain import ChainFinding, NOTES, begins_like_record
from .log_verification import LogVerification
from .record_filter import COLUMNS, HostSummary, LogSummary, RecordFilter, host_of, read_records, row

__all__ = [
    "COLUMNS",
    "ChainFinding",
    "HostSummary",
    "LogSummary",
    "LogVerification",
    "NOTES",
    "RecordFilter",
    "begins_like_record",
    "host_of",
    "read_records",
    "row",
]
