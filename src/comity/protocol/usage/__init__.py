"""Preferences for the use of fetched content: the sources beside robots.txt, and the combined answer."""
