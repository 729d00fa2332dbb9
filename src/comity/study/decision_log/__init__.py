"""Decision logs, read and filtered; each line is verified against what it names."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".chain": "ChainFinding NOTES begins_like_record",
        ".log_verification": "LogVerification",
        ".record_filter": "COLUMNS HostSummary LogSummary RecordFilter host_of read_records row",
    },
)
