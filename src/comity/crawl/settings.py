"""The settings of Scrapy for a run."""

from urllib.request import getproxies

from .options import CrawlOptions

#: Maximum size of a page in bytes, and maximum seconds for its download.
_MAX_PAGE_SIZE, _TIMEOUT = 15_000_000, 60

#: The download handler, for http and https.
_HANDLER = "comity.crawl.output.reception.CrawlDownloadHandler"

#: Number of pages that may share the bandwidth of --limit-rate before a download takes too long.
_SHARES = 4

#: The middlewares of Scrapy that a crawl needs, in their places. The others would take time for each request
#: and when they are imported: redirects, repeated requests, cookies and passwords are matters of the job.
_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
}

#: The codings of bodies that all readers of WARC files can remove. `warcio check` fails at "br" if a library
#: for it is installed, and pywb cannot replay "zstd".
_ARCHIVED = {"Accept-Encoding": "gzip, deflate"}


def settings_of(options: CrawlOptions) -> dict[str, object]:
    """Return the settings for the options of a run."""
    headers = dict(options.identity.headers)
    max_size = int(min(options.max_size or _MAX_PAGE_SIZE, _MAX_PAGE_SIZE))
    slowest = 0.0 if options.limit_rate is None else _SHARES * max_size / options.limit_rate
    return {
        "ADDONS": {"comity.integrations.scrapy.Addon": 500},
        "DOWNLOADER_MIDDLEWARES_BASE": _MIDDLEWARES,
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {
            "comity.crawl.output.decoding.DecodingMiddleware": 590,  # where Scrapy has its own
            "comity.crawl.host_leases.LeaseMiddleware": 990,
            **_optional_middlewares(options),
        },
        "COMITY_BROWSER": options.browser,
        "SCHEDULER": "comity.crawl.frontier.Scheduler",
        "DUPEFILTER_CLASS": "comity.crawl.frontier.DuplicateFilter",
        "USER_AGENT": headers.pop("User-Agent"),
        "DEFAULT_REQUEST_HEADERS": {"Accept": "*/*", **headers, **(_ARCHIVED if options.warc else {})},
        "ROBOTSTXT_USER_AGENT": options.identity.names[0],
        "COMITY_POLICY": options.policy,
        "COMITY_DIALECT": options.dialect,
        "COMITY_AGENT_MATCH": options.agent_match,
        "COMITY_ACAP": options.acap,
        "COMITY_DELAY": options.delay,
        "COMITY_SLOW_DOWN": options.slow_down,
        "COMITY_MAX_WAIT": 0,  # the scheduler waits, without holding a request
        "COMITY_STORE": options.store,
        "COMITY_RESPECT": list(options.respect),
        "COMITY_NOFOLLOW": False,  # the spider reads `Page.links` itself
        "COMITY_MARK": "",  # the spider has no items to mark
        "COMITY_PUBLIC_ONLY": True,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), _HANDLER),
        "COMITY_PRIVATE_HOSTS": sorted(options.scope.private_hosts),
        "COMITY_LOG": str(options.folder / "decisions.jsonl"),
        "CONCURRENT_ITEMS": 1,  # Scrapy starts a task for each, and the spider has no items
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_MAXSIZE": max_size,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_VERIFY_CERTIFICATES": not options.no_check_certificate,
        "DOWNLOAD_TIMEOUT": _TIMEOUT + slowest,
        "WARN_ON_GENERATOR_RETURN_VALUE": False,  # a check of the spider for each response
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
    }


def _optional_middlewares(options: CrawlOptions) -> dict[str, float]:
    """Return the middlewares for options that the run has; each would take time for every request."""
    found: dict[str, float] = {}
    if options.browser is not None:
        found["comity.crawl.rendering.middleware.RenderMiddleware"] = 100.5  # between robots.txt and uses
    if options.authorization:
        found["comity.crawl.session.authorization.AuthorizationMiddleware"] = 300  # where Scrapy has its own
    if options.cookies is not None:
        found["comity.crawl.session.cookies.CookieMiddleware"] = 310
    if getproxies():
        found["scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware"] = 750
    return found
