"""The redirects that a command follows, for pages and for downloads."""

from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from ..errors import SiteUnavailable
from ..protocol.access.redirects import REDIRECT_STATUSES, BrokenRedirect, redirected
from ..protocol.origin import Origin
from ..protocol.text import counted

#: Maximum number of redirects.
_REDIRECTS = 10


class RedirectChain:
    """A URL and the URLs that its redirects led to; the last one is requested next.

    `statuses` has the status of each redirect.
    """

    def __init__(self, url: str, *, most: int = _REDIRECTS, schemes: Collection[str] = ()) -> None:
        """Create a chain of at most `most` redirects, to URLs of `schemes` if there are any."""
        self.urls: list[str] = [url]
        self.statuses: list[int] = []
        self._most = most
        self._schemes = schemes

    def follow(self, status: int, headers: Iterable[tuple[str, str]]) -> bool:
        """Append the URL that a response redirects to. Return whether it is a redirect.

        Raises `SiteUnavailable` for a redirect that cannot be followed.
        """
        location = next((value for name, value in headers if name.lower() == "location"), None)
        if location is None or status not in REDIRECT_STATUSES:
            return False
        base = f"{Origin.of(self.urls[-1])}{urlsplit(self.urls[-1]).path}"
        try:
            target = redirected(base, location)
        except BrokenRedirect as error:
            raise SiteUnavailable(f"{self.urls[-1]}: redirected, but {error}") from None
        if target in self.urls:
            raise SiteUnavailable(f"{self.urls[-1]}: redirect loop")
        if len(self.urls) > self._most:
            raise SiteUnavailable(f"{self.urls[0]}: more than {counted(self._most, 'redirect')}")
        if self._schemes and urlsplit(target).scheme not in self._schemes:
            raise SiteUnavailable(f"{self.urls[0]}: redirected to {target}, which is not an https URL")
        self.urls.append(target)
        self.statuses.append(status)
        return True
