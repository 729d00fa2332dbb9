"""Fetch the pages of a finished job again: conditional requests, and comparison with the last visit."""
