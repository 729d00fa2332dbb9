"""Several hosts behind one application: the host of a request -> its site."""

from collections.abc import Callable, Mapping

from ...errors import InvalidArgument, InvalidURL
from ...protocol.origin import Origin
from .answers import ServedRequest, ServedResponse
from .response_fields import Fields
from .site import Site

_NOTHING = Fields()


class Sites:
    r"""The sites of several hosts; a middleware takes it in the place of a `Site`.

    `sites` is a mapping of host names to sites, or a function that takes the name of a host and returns its
    site, or None for an unknown host. Names are compared in lower case and in ASCII, without the port and
    without the dot at the end. `otherwise` is the site of all other hosts, and of requests without a valid
    host. Without it the application answers these requests, and gets no fields for its responses.

    >>> shop = Site("User-agent: *\nDisallow: /cart/\n", environment="production")
    >>> sites = Sites({"shop.example.com": shop})
    >>> request = ServedRequest("GET", b"/robots.txt", b"", (), host="Shop.Example.com:8080")
    >>> sites.answer(request).body
    b'User-agent: *\nDisallow: /cart/\n'
    >>> sites.answer(request.replace(host="www.example.com")) is None
    True

    Raises `InvalidArgument` for a key that is not the name of a host, or that occurs twice. Raises
    `TypeError` for a value that is not a `Site`.
    """

    __slots__ = ("_find", "_otherwise")

    def __init__(
        self, sites: Mapping[str, Site] | Callable[[str], Site | None], *, otherwise: Site | None = None
    ) -> None:
        """Check the sites of a mapping; those of a function are checked with each request."""
        if otherwise is not None:
            _check_site(otherwise, "otherwise")
        self._otherwise = otherwise
        self._find: Callable[[str], Site | None] = (
            _by_name(sites).get if isinstance(sites, Mapping) else sites
        )
        if not callable(self._find):
            raise TypeError(f"sites must be a mapping or a function, not {sites!r:.60}")

    def site_for(self, host: str) -> Site | None:
        """Return the site of a `host`, as the client named it, or None for an unknown one."""
        name = host_name(host)
        found = self._find(name) if name else None
        if found is None:
            return self._otherwise
        _check_site(found, f"the site of {name}")
        return found

    def answer(self, request: ServedRequest) -> ServedResponse | None:
        """Answer a `request` for the robots.txt of its host; None for any other request or host."""
        site = self.site_for(request.host)
        return None if site is None else site.answer(request)

    def fields_for(self, request: ServedRequest) -> Fields:
        """Return the fields to add to the response to a `request`."""
        site = self.site_for(request.host)
        return _NOTHING if site is None else site.fields_for(request)


def host_name(host: str) -> str:
    """Return the name of a host in lower case and ASCII, or an empty string if it is not valid.

    >>> host_name("Shop.Example.com.:8080"), host_name("bücher.example"), host_name("a/b")
    ('shop.example.com', 'xn--bcher-kva.example', '')
    """
    if any(character in host for character in "/?#@\\") or host != host.strip():
        return ""
    try:
        return Origin.of(f"http://{host}").host.removesuffix(".")
    except InvalidURL:
        return ""


def _by_name(sites: Mapping[str, Site]) -> dict[str, Site]:
    found: dict[str, Site] = {}
    for key, site in sites.items():
        _check_site(site, f"the site of {key}")
        name = host_name(key)
        if not name or (":" in key and not key.startswith("[")):
            raise InvalidArgument(f"invalid host {key!r:.200}: expected a name without a port", name="sites")
        if name in found:
            raise InvalidArgument(f"the host {name} occurs twice", name="sites")
        found[name] = site
    return found


def _check_site(site: object, subject: str) -> None:
    if not isinstance(site, Site):
        raise TypeError(f"{subject} must be a Site, not {site!r:.60}")
