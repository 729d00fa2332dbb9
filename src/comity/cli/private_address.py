"""URLs whose host is this machine or an IP address that is not public: only a person names those."""

from ..protocol.origin import Origin
from ..protocol.special_use import special_use
from ..robot.proxies import Proxies


def is_private(url: str) -> bool:
    """Return whether the host of a URL is an IP address that is not public, or this machine by its name.

    A name is not resolved.

    >>> is_private("https://127.0.0.1/"), is_private("https://a.localhost/"), is_private("https://example.com/")
    (True, True, False)
    """
    host = Origin.of(url).host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return special_use(host) is not None
    except ValueError:  # a name
        return False


def can_check_connections() -> bool:
    """Return whether the addresses of connections can be checked here: not if a proxy makes them."""
    return not any(Proxies().addresses)
