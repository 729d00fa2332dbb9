"""A sitemap is on a host that robots cannot reach, or that a template left.

Private addresses, `localhost`, names such as `shop.local`, and names such as `yourdomain.com` are reported.

Why: The line was copied from a test server or from a template. Robots cannot fetch the sitemap.

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
from ..facts.hosts import host_of
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C507"
SEVERITY = "warning"

_ENDINGS = (".local", ".localhost", ".localdomain", ".internal", ".intranet", ".lan", ".invalid", ".test")
_TEMPLATE = re.compile(
    r"(?:www\.)?(?:your|my)-?(?:domain|site|website|host|store|shop)(?:-?name)?\.[a-z.]{2,6}"
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report sitemaps on such hosts."""
    for line in subject.sitemaps:
        host = host_of(to_text(line.value))
        if host and is_private(host):
            yield at_value(line, f"robots cannot reach {quoted(host)}; write the public host of the sitemap")
        elif host and _TEMPLATE.fullmatch(host):
            yield at_value(
                line, f"{quoted(host)} seems to come from a template; write the host of the sitemap"
            )


def is_private(host: str) -> bool:
    """Return whether a host is one of a private network.

    >>> is_private("localhost"), is_private("10.0.0.1"), is_private("example.com")
    (True, True, False)
    """
    if host == "localhost" or host.endswith(_ENDINGS) or "." not in host.strip("."):
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False
