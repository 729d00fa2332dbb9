"""Limits of a crawl: media types, bandwidth, time and sizes."""
