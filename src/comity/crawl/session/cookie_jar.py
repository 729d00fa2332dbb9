"""The jar of a crawl's cookies, with a policy like that of browsers."""

from collections.abc import Iterable
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from typing import Any

from ..selection.domains import is_public_suffix

#: Maximum number of cookies, and of those of one domain, as in browsers.
_MAX_COOKIES, _MAX_DOMAIN_COOKIES = 3000, 180

#: Maximum length of a cookie in characters.
_MAX_LENGTH = 4096


class _Policy(DefaultCookiePolicy):
    """Refuses cookies for public suffixes, large ones, and too many."""

    jar: CookieJar

    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        """Return whether a cookie of a response is kept."""
        domain, text = cookie.domain, cookie.name + (cookie.value or "")
        return (
            super().set_ok(cookie, request)
            and len(text) <= _MAX_LENGTH
            and text.isprintable()
            and not (cookie.domain_specified and is_public_suffix(domain.lstrip(".")))
            and len(self.jar) < _MAX_COOKIES
            and sum(other.domain == domain for other in self.jar) < _MAX_DOMAIN_COOKIES
        )


def cookie_jar(cookies: Iterable[Cookie] = ()) -> CookieJar:
    """Create a jar with some cookies; it keeps those of responses too."""
    policy = _Policy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
    policy.jar = jar = CookieJar(policy)
    for cookie in cookies:
        jar.set_cookie(cookie)
    return jar
