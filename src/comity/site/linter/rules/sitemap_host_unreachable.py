"""A sitemap is on a host that robots cannot reach, on a test server, or on a host that a template left.

Private addresses, `localhost`, names such as `shop.local`, and names such as `yourdomain.com` are reported.
So are names such as `staging.example.com`, unless the robots.txt is itself on a host of this kind.

Why: The line was copied from a test server or from a template. Robots cannot fetch the sitemap, or read the
pages of the test server.

Example:
    Sitemap: http://localhost:8080/sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Robots that read sitemaps.
Source: RFC 6761 and RFC 1918: names and addresses for private use.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from ....protocol.text import to_text
from ..facts.hosts import domain_of, host_of
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C507"
SEVERITY = "warning"

_ENDINGS = (".local", ".localhost", ".localdomain", ".internal", ".intranet", ".lan", ".invalid", ".test")
_TEMPLATE = re.compile(
    r"(?:www\.)?(?:your|my)-?(?:domain|site|website|host|store|shop)(?:-?name)?\.[a-z.]{2,6}"
)

_IPV6 = re.compile(r"https?://\[([0-9a-f:.]+)\]", re.IGNORECASE)

#: Parts of the names of test servers. The further ones are also names of public hosts, so that they are
#: reported only if the site is known to have another host.
_STAGING = frozenset(["staging", "stage", "stg", "preprod", "preproduction", "uat"])
_PERHAPS = _STAGING | {"dev", "test", "testing", "qa", "integration", "sandbox", "acceptance"}


def check(subject: Subject) -> Iterator[Problem]:
    """Report sitemaps on such hosts."""
    own = host_of(subject.url) if subject.url else ""
    hosts = [_host(to_text(line.value)) for line in subject.sitemaps]
    public = {domain_of(host) for host in (own, *hosts) if host and not _has_part(host, _PERHAPS)}
    for line, host in zip(subject.sitemaps, hosts, strict=True):
        parts = _PERHAPS if domain_of(host) in public else _STAGING
        if _has_part(host, parts) and not _has_part(own, _PERHAPS):
            message = f"{quoted(host)} seems to be a test server; write the public host of the sitemap"
            yield at_value(line, message)
        if host and is_private(host):
            yield at_value(line, f"robots cannot reach {quoted(host)}; write the public host of the sitemap")
        elif host and _TEMPLATE.fullmatch(host):
            yield at_value(
                line, f"{quoted(host)} seems to come from a template; write the host of the sitemap"
            )


def _host(url: str) -> str:
    """Return the host of a URL, or its IPv6 address."""
    address = _IPV6.match(url)
    return address[1] if address else host_of(url)


def _has_part(host: str, parts: frozenset[str]) -> bool:
    """Return whether a label below the domain has a part: `www-staging.example.com`."""
    labels = host.removesuffix(domain_of(host)).replace("-", ".").split(".")
    return not parts.isdisjoint(labels)


def is_private(host: str) -> bool:
    """Return whether a host is one of a private network.

    >>> is_private("localhost"), is_private("10.0.0.1"), is_private("example.com")
    (True, True, False)
    """
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith(_ENDINGS) or "." not in host.strip(".")
