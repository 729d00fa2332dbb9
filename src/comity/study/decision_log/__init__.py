"""Decision logs, read and filtered; each line is verified against what it names."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".chain": "ChainFinding NOTES",
        ".log_verification": "LogVerification",
        ".record_filter": "COLUMNS HostSummary LogSummary RecordFilter host_of log_lines read_records row",
    },
)
