"""Extraction of URLs from pages: each once, without its fragment, and within limits."""
