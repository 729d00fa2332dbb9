"""The redirects that a command follows, for pages and for downloads."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from ..protocol.access.redirects import REDIRECT_STATUSES, BrokenRedirect, redirected
from ..protocol.origin import Origin
from .exit_status import UnreachableSite

#: Maximum number of redirects.
_REDIRECTS = 10


class RedirectChain:
    """A URL and the URLs that its redirects led to; the last one is requested next."""

    def __init__(self, url: str) -> None:
        self.urls: list[str] = [url]

    def follow(self, status: int, headers: Iterable[tuple[str, str]]) -> bool:
        """Append the URL that a response redirects to. Return whether it is a redirect.

        Raises `UnreachableSite` for a redirect that cannot be followed.
        """
        location = next((value for name, value in headers if name.lower() == "location"), None)
        if location is None or status not in REDIRECT_STATUSES:
            return False
        base = f"{Origin.of(self.urls[-1])}{urlsplit(self.urls[-1]).path}"
        try:
            target = redirected(base, location)
        except BrokenRedirect as error:
            raise UnreachableSite(f"{self.urls[-1]}: redirected, but {error}") from None
        if target in self.urls:
            raise UnreachableSite(f"{self.urls[-1]}: redirect loop")
        if len(self.urls) > _REDIRECTS:
            raise UnreachableSite(f"{self.urls[0]}: more than {_REDIRECTS} redirects")
        self.urls.append(target)
        return True
