"""robots.txt: bytes -> lines -> groups -> the rules of one robot -> a verdict."""
