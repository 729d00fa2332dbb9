"""The proxies that the environment names, and the check of their URLs."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.request import getproxies

import httpx2

from ..errors import InvalidArgument
from ..protocol.userinfo import without_password

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


#: The schemes of the proxies that httpx2 can use.
_WEB, _SOCKS = ("http", "https"), ("socks5", "socks5h")


def check_proxy(name: str, address: str | httpx2.URL) -> None:
    """Raise `InvalidArgument` if the URL of a proxy cannot be used; `name` is its argument or variable.

    >>> check_proxy("HTTP_PROXY", "foo://x")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid HTTP_PROXY 'foo://x': expected a URL such as http://proxy.example:3128
    """
    try:
        url = httpx2.URL(address)
        is_valid = url.scheme in _WEB + _SOCKS and url.host and (url.port or 0) <= 65_535
    except httpx2.InvalidURL:
        is_valid = False
    shown = f"{without_password(address)!r:.200}"
    if not is_valid:
        raise InvalidArgument(
            f"invalid {name} {shown}: expected a URL such as http://proxy.example:3128", name=name
        )
    if url.scheme in _SOCKS and find_spec("socksio") is None:
        raise InvalidArgument(
            f"{name} {shown}: a SOCKS proxy needs the package socksio; install it", name=name
        )


class Proxies:
    """The proxies of the environment: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, and the hosts of NO_PROXY.

    An entry of NO_PROXY is a host name, which stands for its subdomains too, or a network such as
    10.0.0.0/8. A host may have a port. `settings` is what `urllib.request.getproxies` returns.

    Raises `InvalidArgument`, which names the variable, for a proxy that cannot be used.

    >>> proxies = Proxies({"https": "proxy.example:3128", "no": "localhost, shop.example:8443, 10.0.0.0/8"})
    >>> proxies.proxy_of(httpx2.URL("https://example.com/"))
    'http://proxy.example:3128'
    >>> direct = "http://example.com/", "https://a.localhost/", "https://shop.example:8443/", "https://10.1.2.3/"
    >>> {proxies.proxy_of(httpx2.URL(url)) for url in direct}
    {None}
    """

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        """Read the proxies, from the environment by default."""
        settings = getproxies() if settings is None else settings
        direct = [name.strip().lower() for name in settings.get("no", "").split(",") if name.strip()]
        schemes = () if "*" in direct else ("http", "https", "all")
        self._by_scheme = {
            scheme: address if "://" in address else f"http://{address}"
            for scheme in schemes
            if (address := settings.get(scheme))
        }
        for scheme, address in self._by_scheme.items():
            check_proxy(_variable(scheme), address)
        self._hosts = set(map(_host_and_port, direct))
        self._networks = [network for name in direct if "/" in name and (network := _network(name))]

    @property
    def addresses(self) -> set[str]:
        """The URLs of all proxies."""
        return set(self._by_scheme.values())

    def proxy_of(self, url: httpx2.URL) -> str | None:
        """Return the URL of the proxy for a URL, or None if it needs no proxy."""
        address = self._by_scheme.get(url.scheme) or self._by_scheme.get("all")
        return None if address is None or self._is_direct(url) else address

    def _is_direct(self, url: httpx2.URL) -> bool:
        host, port = url.raw_host.decode("ascii").lower(), url.port or _PORTS.get(url.scheme)
        try:
            numeric = ip_address(host)
        except ValueError:
            labels = host.rstrip(".").split(".")
            names = [".".join(labels[start:]) for start in range(len(labels))]
        else:
            if any(numeric in network for network in self._networks):
                return True
            names = [host]
        return any((name, each) in self._hosts for name in names for each in (None, port))


def _variable(scheme: str) -> str:
    """Return the variable of the proxy for a scheme, as the environment spells it."""
    name = f"{scheme}_proxy"
    spellings = [each for each in os.environ if each.lower() == name]
    return max(spellings, default=name.upper())  # the lower case counts, as in `getproxies`


def _host_and_port(entry: str) -> tuple[str, int | None]:
    """Return the host and the port of an entry of NO_PROXY.

    >>> _host_and_port(".example.com"), _host_and_port("[::1]:8080"), _host_and_port("::1")
    (('example.com', None), ('::1', 8080), ('::1', None))
    """
    host, colon, port = entry.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        host, port = entry, ""
    return host.removeprefix("*").lstrip(".").strip("[]"), int(port) if port else None


def _network(entry: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(entry, strict=False)
    except ValueError:
        return None
