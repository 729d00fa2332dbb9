"""A site's robots.txt and header fields in front of a WSGI application (PEP 3333).

With Flask: `app.wsgi_app = RobotsMiddleware(app.wsgi_app, site)`.
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from ..site.serve import CONDITIONS, NOT_FOUND, ServedRequest, ServedResponse, Site, Sites, split_target

__all__ = ["RobotsApp", "RobotsMiddleware", "request_of"]

_VARIABLES = tuple((name, "HTTP_" + name.upper().replace("-", "_")) for name in CONDITIONS)


class RobotsMiddleware:
    r"""Answers `/robots.txt`, and adds the fields of a `site` to each response of an application, `app`.

    The body of the application is passed on unchanged: streams stay streams, and the server closes them. An
    application that is mounted below a path (`SCRIPT_NAME`) has no robots.txt. `site` may be the `Sites` of
    several hosts.

    >>> from wsgiref.simple_server import demo_app
    >>> app = RobotsMiddleware(demo_app, Site("User-agent: *\nDisallow: /cart\n", environment="production"))
    """

    def __init__(self, app: WSGIApplication, site: Site | Sites) -> None:
        self._app = app
        self._site = site

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, or call the application."""
        request = request_of(environ)
        answer = self._site.answer(request)
        if answer is not None:
            return _sent(answer, start_response)
        fields = self._site.fields_for(request)
        if not fields:
            return self._app(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *failure: Any) -> Callable[[bytes], object]:
            return start_response(status, fields.added_to(headers), *failure)

        return self._app(environ, start)


class RobotsApp(RobotsMiddleware):
    r"""A WSGI application with the `/robots.txt` of a `site` only; other paths are not found.

    >>> from wsgiref.util import setup_testing_defaults
    >>> app = RobotsApp(Site("User-agent: *\nDisallow: /cart\n", environment="production"))
    >>> environ = {"PATH_INFO": "/robots.txt"}
    >>> setup_testing_defaults(environ)
    >>> b"".join(app(environ, lambda status, headers: None))
    b'User-agent: *\nDisallow: /cart\n'
    """

    def __init__(self, site: Site | Sites) -> None:
        super().__init__(_not_found, site)


def request_of(environ: WSGIEnvironment) -> ServedRequest:
    r"""Return the request of a WSGI `environ`.

    WSGI decodes the bytes of a path as ISO 8859-1, whatever their encoding is.

    >>> request_of({"REQUEST_METHOD": "GET", "SCRIPT_NAME": "/shop", "PATH_INFO": "/caf\u00c3\u00a9"}).path
    b'/shop/caf\xc3\xa9'
    """
    host, path = split_target(environ.get("PATH_INFO", "").encode("latin-1", "replace"))
    if not host:
        path = environ.get("SCRIPT_NAME", "").encode("latin-1", "replace") + path
        host = environ.get("HTTP_HOST") or environ.get("SERVER_NAME", "")
    return ServedRequest(
        environ["REQUEST_METHOD"],
        path,
        environ.get("QUERY_STRING", "").encode("latin-1", "replace"),
        tuple((name, environ[variable]) for name, variable in _VARIABLES if variable in environ),
        host,
    )


def _not_found(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    return _sent(NOT_FOUND, start_response)


def _sent(answer: ServedResponse, start_response: StartResponse) -> list[bytes]:
    start_response(f"{answer.status} {HTTPStatus(answer.status).phrase}", list(answer.headers))
    return [answer.body] if answer.body else []
