"""The report of a crawl."""
