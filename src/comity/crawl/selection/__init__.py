"""Selection of URLs by domains, patterns and parameters."""
