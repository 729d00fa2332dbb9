"""The output of a crawl: a mirror folder or a WARC file."""
