"""Connections of Scrapy: to public IP addresses only (`COMITY_PUBLIC_ONLY`), and how they fail."""
