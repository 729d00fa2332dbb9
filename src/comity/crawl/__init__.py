"""Recursive retrieval on Scrapy (extra `crawl`).

A URL goes round through these parts, until its result is in the job:

| part | purpose |
|---|---|
| `engine` | runs a job; `settings` turns its `options` into settings of Scrapy |
| `job/` | stores the queue and the results, in a file or on a Redis server |
| `frontier` | is Scrapy's scheduler: returns the request of an origin that is ready, and records its result |
| `origins`, `failures`, `limits/` | say how long origins wait, what follows failures, and when a run ends |
| `leases`, `session/`, `rendering/`, `output/decoding` | are downloader middlewares |
| `output/` | receives responses, and writes them to the mirror or to WARC files |
| `spider` | processes responses and failures; `checking` chooses HEAD requests, `refresh/` conditional ones |
| `extraction/` | finds the URLs on pages and in sitemaps |
| `links`, `scope`, `selection/` | sort them into URLs to request and links to skip |
| `facts/` | collects the facts about a page, and the log of links |

`monitoring/` shows a run while it lasts. `conversion/`, `report/` and `export/` work on the results after it.
"""

from .._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".job_folder": "JOB_FILE NewJob OpenJob open_job",
        ".engine": "run",
        ".options": "CrawlOptions",
        ".selection.scope": "Scope",
    },
)
