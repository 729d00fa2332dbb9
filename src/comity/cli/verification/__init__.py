"""`comity agents --verify` and `--refresh`: stored lists of addresses, their download, and many claims."""
