"""WRITE: what site owners need to write robots.txt well."""
