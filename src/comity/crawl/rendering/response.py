"""A page after it was rendered, as a response of Scrapy."""

from typing import Any

from scrapy.http import Response

from .result import Rendering

#: The beginning of a file in UTF-8 whose META tags name another encoding.
_MARK = b"\xef\xbb\xbf"


class RenderedResponse(Response):
    """A response whose body is the DOM in UTF-8; `received` is the response of the site."""

    attributes: tuple[str, ...] = (*Response.attributes, "received", "rendering")

    def __init__(self, *args: Any, received: Response, rendering: Rendering, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.received = received
        self.rendering = rendering

    @property
    def is_rendered(self) -> bool:
        """Whether the body is the DOM, and not the body of the response."""
        return self.rendering.html is not None


def rendered_response(received: Response, rendering: Rendering) -> RenderedResponse:
    r"""Return a response with the DOM of a page; with the received body if there is none.

    >>> page = Response("http://a.example/", headers={"Content-Type": "text/html; charset=koi8-r"}, body=b"a")
    >>> found = rendered_response(page, Rendering("<p>\u0431", "KOI8-R", (), ()))
    >>> found.body.decode("utf-8-sig"), found.headers[b"Content-Type"]
    ('<p>б', b'text/html; charset=utf-8')
    """
    body, headers = received.body, received.headers.copy()
    if rendering.html is not None:
        body = rendering.html.encode(errors="replace")
        if rendering.charset.upper() != "UTF-8":
            body = _MARK + body
        media = (headers.get(b"Content-Type") or b"text/html").partition(b";")[0].strip()
        headers[b"Content-Type"] = media + b"; charset=utf-8"
        for validator in (b"ETag", b"Last-Modified"):  # a refresh renders the page again
            headers.pop(validator, None)
    return RenderedResponse(
        received.url,
        status=received.status,
        headers=headers,
        body=body,
        flags=received.flags,
        request=received.request,
        received=received,
        rendering=rendering,
    )


def explain_rendering(response: Response) -> str | None:
    """Return why a rendered page is incomplete; None for any other response."""
    return response.rendering.explain() if isinstance(response, RenderedResponse) else None
