"""The local sites of `comity demo`."""
