"""The options of `comity crawl`, their checks, and the run."""
