"""Cookies of a crawl, which a person requests."""
