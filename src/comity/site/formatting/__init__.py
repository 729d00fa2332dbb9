"""The canonical layout of robots.txt files."""
