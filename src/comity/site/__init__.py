"""Writing robots.txt: what a site's owner asks of files, before and after they are published."""
