"""Answers about live sites, as functions: the robots by name, and pages with their problems and licences."""

from .._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".license_documents": "LicenseReader",
        ".page_checks": "PageCheck check_page",
        ".permissions": "PageAnswer PagePermissions page_permissions",
        ".robots_by_name": "NamedRobot named_robots",
        ".site_client": "SiteClient",
        ".site_credentials": "SiteCredentials netrc_logins",
        ".sitemap_check": "SitemapPage SitemapSummary check_sitemap finished_pages",
        ".url_lists": "ListedUrl read_urls",
        ".verdicts": "FileVerdicts SiteVerdicts UrlVerdict",
    },
)
