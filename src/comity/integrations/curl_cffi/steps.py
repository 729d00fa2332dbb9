"""The steps of one request of curl_cffi: the request itself, and the targets of its redirects."""

import socket
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from curl_cffi import CurlOpt
from curl_cffi.const import CurlECode
from curl_cffi.requests import Headers, Response
from curl_cffi.requests.exceptions import InvalidURL, RequestException, TooManyRedirects
from curl_cffi.requests.utils import update_url_params

from ...errors import InvalidArgument
from ...robot._async.permission import AsyncPermit
from ...robot._sync.permission import Permit

#: Options of libcurl by which another request would be sent than the one that is judged.
_REFUSED_OPTIONS = (
    *(CurlOpt.URL, CurlOpt.CURLU, CurlOpt.REQUEST_TARGET, CurlOpt.FOLLOWLOCATION, CurlOpt.CONNECT_TO),
    *(CurlOpt.USERAGENT, CurlOpt.HTTPHEADER, CurlOpt.PORT),
    *(CurlOpt.HSTS, CurlOpt.HSTS_CTRL, CurlOpt.HSTSREADFUNCTION),  # change http to https
    CurlOpt.HTTPAUTH,  # Digest and others send a request again at once
)

#: Arguments of a body, which a redirect to a GET loses.
_BODY = ("data", "content", "json", "files", "multipart")


class Steps:
    """The steps of one request: the request itself, and the targets of its redirects."""

    def __init__(self, session: Any, method: str, url: str, options: dict[str, Any]) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        browser = given.get("impersonate", session.impersonate)
        self.follows: bool = given.pop("allow_redirects", session.allow_redirects)
        self.limit: int = given.pop("max_redirects", session.max_redirects)
        self.fields = Headers(session.headers)
        self.fields.update(given.pop("headers", None))
        sends_browser = browser and given.get("default_headers", session.default_headers)
        problem = None
        if sends_browser and "user-agent" not in self.fields:
            problem = (
                f"invalid impersonate {browser!r}: its User-Agent is a browser; add default_headers=False"
            )
        elif not isinstance(self.follows, bool):
            problem = f"invalid allow_redirects {self.follows!r}: expected True or False"
        elif session.params or session.retry.count or set(_REFUSED_OPTIONS) & set(session.curl_options):
            problem = (
                "a session with params, retry, or curl_options for the URL or HTTPAUTH "
                "cannot ask for each request"
            )
        if problem is not None:
            raise InvalidArgument(problem)
        self.method, self.options, self.history = method.upper(), given, list[Response]()
        params = given.pop("params", None)
        self.url = urljoin(session.base_url or "", update_url_params(url, params) if params else url)

    def sent(self, permit: Permit | AsyncPermit) -> dict[str, Any]:
        """Return the arguments of the request that is permitted."""
        self.fields.update({name: value for name, value in permit.headers.items() if name != "Authorization"})
        user = urlsplit(self.url)
        if user.username is not None:
            self.options["auth"] = unquote(user.username), unquote(user.password or "")
        once = {"allow_redirects": False, "quote": False, "headers": self.fields}
        return {"method": self.method, "url": permit.url, **self.options, **once}

    @property
    def given_fields(self) -> list[tuple[str, str]]:
        """The header fields of the caller that are sent."""
        return [(name, value) for name, value in self.fields.multi_items() if value is not None]

    def follow(self, response: Response) -> bool:
        """Go to the target of a redirect. Return False for other responses."""
        if not (self.follows and response.is_redirect and response.redirect_url):
            response.history = self.history
            return False
        if len(self.history) == self.limit:
            code = CurlECode.TOO_MANY_REDIRECTS
            raise TooManyRedirects(f"more than {self.limit} redirects", code, response)
        self.history.append(response)
        before, self.url = self.url, response.redirect_url
        if _becomes_get(response.status_code, self.method):
            self.method = "GET"
            self.options = {name: value for name, value in self.options.items() if name not in _BODY}
            self.fields.pop("Content-Type", None)
        try:
            is_elsewhere = _site(before) != _site(self.url)
        except ValueError as error:
            problem = f"redirect to {self.url!r:.200}: {error}"
            raise InvalidURL(problem, CurlECode.URL_MALFORMAT, response) from error
        if is_elsewhere:  # credentials are for one origin
            self.options = {
                name: value for name, value in self.options.items() if name not in ("auth", "cookies")
            }
            self.fields.update({"Authorization": None, "Cookie": None})
        return True


def _site(url: str) -> tuple[str, str]:
    """Return the scheme, the host and the port of a URL, as they are written."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2].lower()


def _becomes_get(status: int, method: str) -> bool:
    """Return whether a redirect is followed by a GET (RFC 9110 15.4)."""
    return (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST")


def network_error(error: RequestException) -> OSError:
    """Return the error of the standard library for an error of libcurl."""
    if error.code == CurlECode.COULDNT_CONNECT:
        return ConnectionRefusedError(str(error))
    if error.code == CurlECode.COULDNT_RESOLVE_HOST:
        return socket.gaierror(str(error))
    return TimeoutError(str(error))
