"""Which rules apply to an origin, given the answers to its request for robots.txt (RFC 9309 2.3-2.5)."""
