"""Recursive retrieval on Scrapy: a persistent job, its scheduler and spider, output and report (extra `crawl`)."""
