"""Selection of URLs by domains, patterns and parameters, and of hosts that may be private."""
