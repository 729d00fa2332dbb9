"""The state of a crawl, stored in SQLite or Redis."""
