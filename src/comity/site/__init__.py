"""WRITE: what owners of sites do with a robots.txt before anybody reads it."""
