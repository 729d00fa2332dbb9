"""Fetching a robots.txt, and the meaning of each answer (RFC 9309 2.3 to 2.5), without I/O."""
