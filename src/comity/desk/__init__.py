"""Answers about live sites, as functions: the robots by name, and pages with their problems and licences."""

from .._lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .license_documents import LicenseReader
    from .page_checks import PageCheck, check_page
    from .permissions import PageAnswer, PagePermissions, page_permissions
    from .robots_by_name import NamedRobot, named_robots
    from .site_client import SiteClient
    from .site_credentials import SiteCredentials, netrc_logins
    from .sitemap_check import SitemapPage, SitemapSummary, check_sitemap, finished_pages
    from .url_lists import ListedUrl, read_urls
    from .verdicts import FileVerdicts, SiteVerdicts, UrlVerdict

__all__ = [
    "FileVerdicts",
    "LicenseReader",
    "ListedUrl",
    "NamedRobot",
    "PageAnswer",
    "PageCheck",
    "PagePermissions",
    "SiteClient",
    "SiteCredentials",
    "SiteVerdicts",
    "SitemapPage",
    "SitemapSummary",
    "UrlVerdict",
    "check_page",
    "check_sitemap",
    "finished_pages",
    "named_robots",
    "netrc_logins",
    "page_permissions",
    "read_urls",
]

__getattr__, __dir__ = lazy(
    __name__,
    __all__,
    {
        "FileVerdicts": ".verdicts",
        "LicenseReader": ".license_documents",
        "ListedUrl": ".url_lists",
        "NamedRobot": ".robots_by_name",
        "PageAnswer": ".permissions",
        "PageCheck": ".page_checks",
        "PagePermissions": ".permissions",
        "SiteClient": ".site_client",
        "SiteCredentials": ".site_credentials",
        "SiteVerdicts": ".verdicts",
        "SitemapPage": ".sitemap_check",
        "SitemapSummary": ".sitemap_check",
        "UrlVerdict": ".verdicts",
        "check_page": ".page_checks",
        "check_sitemap": ".sitemap_check",
        "finished_pages": ".sitemap_check",
        "named_robots": ".robots_by_name",
        "netrc_logins": ".site_credentials",
        "page_permissions": ".permissions",
        "read_urls": ".url_lists",
    },
)
