"""Where pages are stored: a mirror folder or a WARC file."""
