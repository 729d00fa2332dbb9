"""Answers about live sites, as functions: the robots by name, and pages with their problems and licences."""

from .._lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .license_documents import LicenseReader
    from .page_checks import PageCheck, check_page
    from .permissions import PageAnswer, PagePermissions, page_permissions
    from .robots_by_name import NamedRobot, named_robots
    from .site_client import SiteClient

__all__ = [
    "LicenseReader",
    "NamedRobot",
    "PageAnswer",
    "PageCheck",
    "PagePermissions",
    "SiteClient",
    "check_page",
    "named_robots",
    "page_permissions",
]

__getattr__, __dir__ = lazy(
    __name__,
    __all__,
    {
        "LicenseReader": ".license_documents",
        "NamedRobot": ".robots_by_name",
        "PageAnswer": ".permissions",
        "PageCheck": ".page_checks",
        "PagePermissions": ".permissions",
        "SiteClient": ".site_client",
        "check_page": ".page_checks",
        "named_robots": ".robots_by_name",
        "page_permissions": ".permissions",
    },
)
