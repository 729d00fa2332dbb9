"""A site's robots.txt and header fields as a middleware of Django, for sync and async alike.

Name `comity.integrations.django.RobotsMiddleware` first in MIDDLEWARE, and put the site into COMITY_SITE.
"""

import re
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django import conf
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.encoding import repercent_broken_unicode

from ..site.serve import Answer, Fields, Request, Site
from ..site.serve.fields import united
from . import asgi, wsgi

__all__ = ["RobotsMiddleware"]

#: How Django writes an octet of a path that is not UTF-8; so a path may have been written as well.
_BROKEN = re.compile(rb"(%[89A-F][0-9A-F])")

#: So many of these are read in both ways, each for itself; those behind them all in one way or the other.
_DOUBTFUL = 4


class RobotsMiddleware:
    """Answers `/robots.txt`, and adds the fields of `settings.COMITY_SITE` to each response.

    Put it first in MIDDLEWARE, so that it sees the responses of all others, redirects among them.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Stand before the other middlewares; raises `ImproperlyConfigured` where there is no site."""
        site = getattr(conf.settings, "COMITY_SITE", None)
        if not isinstance(site, Site):
            raise ImproperlyConfigured(f"COMITY_SITE must be a comity.site.serve.Site, not {site!r}")
        self._get_response = get_response
        self._site = site
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer a request, or let the others do it."""
        if self._is_async:
            return self._later(request)
        asked = _readings_of(request)
        answer = self._site.answer(asked[0])
        if answer is not None:
            return _response(answer)
        return _with(self._fields_for(asked), self._get_response(request))

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        asked = _readings_of(request)
        answer = self._site.answer(asked[0])
        if answer is not None:
            return _response(answer)
        return _with(self._fields_for(asked), await self._get_response(request))

    def _fields_for(self, asked: list[Request]) -> Fields:
        """Give all that is said of any path that may have been asked for."""
        return (
            united(map(self._site.fields_for, asked)) if len(asked) > 1 else self._site.fields_for(asked[0])
        )


def _readings_of(request: HttpRequest) -> list[Request]:
    """Give what was asked for; of WSGI, Django has decoded the path already, and put it into the environ.

    There nothing tells an octet that is not UTF-8 from its escape, if that was escaped itself (`%25E9`), so
    that some paths may have been one of several.
    """
    scope: dict[str, Any] | None = getattr(request, "scope", None)
    if scope is None:
        asked = wsgi.request_of(request.META)
        return [asked.replace(path=path) for path in _paths(request.path.encode())]
    query = scope.get("query_string", b"")  # the test client of Django gives text
    query = query.encode() if isinstance(query, str) else query
    return [asgi.request_of({**scope, "query_string": query})]


def _paths(path: bytes) -> list[bytes]:
    """Give the paths that Django would write as this one."""
    pieces = _BROKEN.split(path)
    escapes = pieces[1::2]
    several = []
    for choices in product((True, False), repeat=min(len(escapes), _DOUBTFUL + 1)):
        for at, escape in enumerate(escapes):
            is_octet = choices[min(at, _DOUBTFUL)]
            pieces[2 * at + 1] = bytes.fromhex(escape[1:].decode()) if is_octet else escape
        several.append(b"".join(pieces))
    if len(escapes) > _DOUBTFUL:
        return several
    # What is UTF-8 would not have been escaped.
    return [one for one in several if repercent_broken_unicode(one) == path]


def _response(answer: Answer) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status)
    del response.headers["Content-Type"]  # which Django adds to every response
    for name, value in answer.headers:
        response.headers[name] = value
    return response


def _with(fields: Fields, response: HttpResponseBase) -> HttpResponseBase:
    """Add the fields to a response; it has one line of each name, so that lines are joined (RFC 9110 5.3)."""
    if fields:
        joined: dict[str, str] = {}
        for name, value in fields.added_to(response.headers.items()):
            key = name.lower()
            joined[key] = f"{joined[key]}, {value}" if key in joined else value
        for name in ("X-Robots-Tag", "Content-Usage"):
            if name.lower() in joined:
                response.headers[name] = joined[name.lower()]
    return response
