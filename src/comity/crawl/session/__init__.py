"""Cookies and passwords of a crawl, which a person requests."""
