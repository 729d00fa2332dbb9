"""The options of `comity crawl` by purpose."""
