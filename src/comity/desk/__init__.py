"""Answers about live sites, as functions: robots by name, pages, and the licences that they name."""

from .._lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .license_documents import LicenseReader
    from .named_robots import NamedRobot, named_robots
    from .page_permissions import PageAnswer, PagePermissions, page_permissions
    from .site_client import SiteClient

__all__ = [
    "LicenseReader",
    "NamedRobot",
    "PageAnswer",
    "PagePermissions",
    "SiteClient",
    "named_robots",
    "page_permissions",
]

__getattr__, __dir__ = lazy(
    __name__,
    __all__,
    {
        "LicenseReader": ".license_documents",
        "NamedRobot": ".named_robots",
        "PageAnswer": ".page_permissions",
        "PagePermissions": ".page_permissions",
        "SiteClient": ".site_client",
        "named_robots": ".named_robots",
        "page_permissions": ".page_permissions",
    },
)
