"""The scan of pages, and the URLs found there: each once, without its fragment, and within limits."""
