"""Tools for site owners: compare, build, format, check and serve robots.txt."""
