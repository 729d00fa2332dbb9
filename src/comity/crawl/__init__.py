"""Recursive retrieval on Scrapy: a persistent job, scheduler, spider, output and report (extra `crawl`)."""
