"""The site and the crawl of `comity demo`."""
