"""The answers of `comity check`: verdicts about URLs, and pages, each with its output."""
