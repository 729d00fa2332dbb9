"""The extension `trace` of a request, which sees the steps of httpx2 and must not change them."""

import copy
from collections.abc import Callable, Mapping
from typing import Any


class ReadOnlyTrace:
    """Calls the trace function of a request with copies of what it sees.

    httpcore2 passes the arguments of each step before it uses them. A function that changed them would send
    another request than the one that was judged, or would send it to another host.

    >>> class Request:
    ...     url, headers, extensions = ["/ok"], [], {}
    >>> request = Request()
    >>> ReadOnlyTrace(lambda event, info: info["request"].url.clear())("started", {"request": request})
    >>> request.url
    ['/ok']
    """

    def __init__(self, function: Callable[[str, dict[str, Any]], object]) -> None:
        """Call a function; what it returns is returned, as an async function is awaited by httpcore2."""
        self._function = function

    def __call__(self, event: str, info: Mapping[str, Any]) -> object:
        """Call the function for a step, such as "connection.connect_tcp.started"."""
        seen = dict(info)
        if "request" in seen:
            request = seen["request"] = copy.copy(seen["request"])
            request.url, request.extensions = copy.copy(request.url), dict(request.extensions)
            request.headers = list(request.headers)
        return self._function(event, seen)
