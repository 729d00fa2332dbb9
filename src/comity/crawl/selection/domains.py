"""Domains with their subdomains, as `comity crawl --domains` names them."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from ...errors import InvalidURL
from ...protocol import Origin
from ...protocol.special_use import special_use

if TYPE_CHECKING:
    from tldextract import TLDExtract


class Domains:
    """A set of domains; a host belongs to it if it is one of them, or a subdomain.

    >>> domains = Domains(["Example.com", "10.0.0.1"])
    >>> ["www.example.com" in domains, "example.com" in domains, "notexample.com" in domains]
    [True, True, False]
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Create the set; raises `ValueError` for a name that is not a domain, or is a public suffix."""
        self._names = frozenset(map(_domain, names))

    def __contains__(self, host: str) -> bool:
        """Return whether a host, without its port, belongs to the domains."""
        labels = host.rstrip(".").split(".")
        return any(".".join(labels[start:]) in self._names for start in range(len(labels)))


def _domain(name: str) -> str:
    """Return a domain as hosts are written; raises `ValueError`."""
    try:
        origin = Origin.of(f"http://{name}")
        host = origin.host.rstrip(".")
    except InvalidURL:
        host = ""
    if not host or not set(name).isdisjoint("/:@?#*,"):
        raise ValueError(f"invalid domain {name!r}: expected a domain, such as example.com")
    if _is_address(host):
        return host
    if is_public_suffix(host):
        raise ValueError(f"invalid domain {name!r}: it is a public suffix; name a domain below it")
    return host


def is_public_suffix(host: str) -> bool:
    """Return whether independent sites are registered directly below a name.

    >>> is_public_suffix("co.uk"), is_public_suffix("example.co.uk")
    (True, False)
    """
    return "." not in host or not _suffixes()(host).domain


def _is_address(host: str) -> bool:
    try:
        special_use(host)
    except ValueError:
        return False
    return True


@lru_cache
def _suffixes() -> "TLDExtract":
    """Return the list of public suffixes that comes with the package; no request is sent."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)
