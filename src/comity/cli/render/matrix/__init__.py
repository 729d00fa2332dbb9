"""A `Matrix` as a table for the terminal, as CSV, and as a web page."""
