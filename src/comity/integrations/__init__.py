"""Adapters for other libraries: one file or folder each, which imports only its own library."""
