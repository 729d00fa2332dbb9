"""Clocks, locks and threads, under the same names for async code and for code that runs in threads."""
