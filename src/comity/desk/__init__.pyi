# Written by tools/faces.py.
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
