"""A crawl that loses nothing: what a job wants and has, and how Scrapy does it (extra `crawl`)."""
