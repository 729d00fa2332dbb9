"""The answers of `comity check`: verdicts about URLs, and permissions of pages."""
