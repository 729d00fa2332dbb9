"""The decision log as evidence: chained lines, stored robots.txt files, and their verification."""
