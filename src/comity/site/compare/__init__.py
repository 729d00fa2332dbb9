"""Comparison of robots.txt files by meaning."""
