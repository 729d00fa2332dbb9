"""How requests are sent, and with which deadline, in async code.

`_sync/sending.py` has the same names for code that runs in threads. Both files are written by hand.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

import anyio
import httpx2

from ...politeness.origin_state import AgentRules
from ..credentials import Credentials

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: A call that is made later.
Deferred = Callable[[], Awaitable[_Result]]

#: Sends one request and follows no redirect, as the method of a transport does.
Send = Callable[[httpx2.Request], Awaitable[httpx2.Response]]

#: Called with each request before it is sent; may raise to refuse it.
Prepare = Callable[[httpx2.Request], Awaitable[None]]

#: Sends a request as a client does, redirects included, and leaves the body to be read.
Fetch = Callable[..., Awaitable[httpx2.Response]]

#: Returns a URL as it is judged, and the rules for it; with the credentials for its robots.txt.
RulesOf = Callable[[httpx2.URL, Credentials | None], Awaitable[tuple[str, AgentRules]]]


async def with_deadline(
    seconds: float,
    request: httpx2.Request,
    function: Callable[[httpx2.Request, *_Args], Awaitable[_Result]],
    *arguments: *_Args,
) -> _Result:
    """Call a function that sends a request. Raise `TimeoutError` if it takes more than `seconds`."""
    with anyio.move_on_after(seconds):  # `fail_after` costs twice as much
        return await function(request, *arguments)
    raise TimeoutError(f"it takes more than {seconds:g} s")
