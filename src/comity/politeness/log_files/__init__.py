"""Files of the decision log: chained lines, and the robots.txt files that they name."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".bodies": "stored_body",
        ".chained_file": "evidence_folder read_head",
        ".line": "ChainLink Chained Encoded NO_HASH RawLine SCHEMA START chain_fields hash_with read_lines",
        ".records": "MAX_LENGTH decision evidence masked",
        ".version": "is_version version_of",
        ".version_store": "ANSWERS VERSIONS",
    },
)
