"""READ: the standards themselves. No I/O, no clock, no logging, no dependency."""
