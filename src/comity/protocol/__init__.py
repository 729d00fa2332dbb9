"""READ: the standards. This package does no I/O and no logging, reads no clock and has no dependency."""
