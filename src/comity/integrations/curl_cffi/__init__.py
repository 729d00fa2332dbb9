"""Sessions of curl_cffi that obey robots.txt and keep the delays of sites.

`RobotsSession(robot).get(url)` asks the robot for each request and each step of a redirect.
"""

from typing import Any

from curl_cffi.requests import AsyncSession, Response, Session
from curl_cffi.requests import exceptions as curl_errors

from ... import errors
from ...robot._async.client import AsyncRobot
from ...robot._sync.client import Robot
from ..permitted import AsyncPermittedRequest, PermittedRequest, require_kind, require_own_fields
from .held_response import AsyncHeldResponse, HeldResponse, held_class
from .steps import Steps, network_error

__all__ = [
    "AsyncRobotsSession",
    "Disallowed",
    "InvalidURL",
    "MustWait",
    "RobotsSession",
    "StoreUnavailable",
    "Unreachable",
    "UsageDisallowed",
]


class Disallowed(errors.Disallowed, curl_errors.RequestException):
    """A request that was not sent because robots.txt forbids it."""


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent because the robots.txt is unreachable."""


class UsageDisallowed(errors.UsageDisallowed, curl_errors.RequestException):
    """Content that is not returned because a use of it is disallowed."""


class MustWait(errors.MustWait, curl_errors.RequestException):
    """A request that was not sent because it would have been too early."""


class StoreUnavailable(errors.StoreUnavailable, curl_errors.RequestException):
    """A request that was not sent because the robot's store is unavailable."""


class InvalidURL(errors.InvalidURL, curl_errors.InvalidURL):
    """A URL that the robot cannot judge, such as `file:`."""


_ERRORS = (Unreachable, Disallowed, UsageDisallowed, MustWait, StoreUnavailable, InvalidURL)


class RobotsSession(Session[Response]):
    """A session of curl_cffi that asks a `robot` before each request.

    `options` are those of `curl_cffi.requests.Session`. Redirects are followed one by one, so each target
    needs a permission of its own. A header User-Agent of another robot raises `InvalidArgument`, and so does
    `impersonate` without `default_headers=False`, because it sends that of a browser.
    """

    def __init__(self, robot: Robot, **options: Any) -> None:
        require_kind("robot", robot, Robot)
        kind = held_class(HeldResponse, options.pop("response_class", None))
        super().__init__(response_class=kind, **options)
        self.robot = robot

    def request(self, method: str, url: str, **options: Any) -> Response:  # type: ignore[override]
        """Send a request as soon as the robot permits it, and follow its redirects."""
        steps = Steps(self, method, url, options)
        while True:
            response = self._step(steps)
            if not steps.follow(response):
                return response
            response.close()

    def _step(self, steps: Steps) -> Response:
        require_own_fields(self.robot, steps.url, steps.given_fields)
        with PermittedRequest(self.robot, steps.url, steps.method, _ERRORS) as permitted:
            try:
                response = super().request(**steps.sent(permitted.permit))
            except curl_errors.RequestException as error:
                if error.code and not getattr(error.response, "status_code", 0):
                    permitted.fail(network_error(error))
                elif error.response is not None:
                    permitted.record(error.response.status_code, error.response.headers.multi_items())
                permitted.end(ValueError(str(error)))
                raise
            try:
                permitted.record(response.status_code, response.headers.multi_items())
            except BaseException:
                response.close()
                raise
            if response.queue is None:  # the body was read
                permitted.end()
            else:
                assert isinstance(response, HeldResponse)  # noqa: S101  # by the constructor
                response.permitted = permitted
            return response


class AsyncRobotsSession(AsyncSession[Response]):
    """A session of curl_cffi for asyncio that asks a `robot` before each request; see `RobotsSession`."""

    def __init__(self, robot: AsyncRobot, **options: Any) -> None:
        require_kind("robot", robot, AsyncRobot)
        kind = held_class(AsyncHeldResponse, options.pop("response_class", None))
        super().__init__(response_class=kind, **options)
        self.robot = robot

    async def request(self, method: str, url: str, **options: Any) -> Response:  # type: ignore[override]
        """Send a request as soon as the robot permits it, and follow its redirects."""
        steps = Steps(self, method, url, options)
        while True:
            response = await self._step(steps)
            if not steps.follow(response):
                return response
            await response.aclose()

    async def _step(self, steps: Steps) -> Response:
        require_own_fields(self.robot, steps.url, steps.given_fields)
        wait = AsyncPermittedRequest.wait(self.robot, steps.url, steps.method, _ERRORS)
        async with await wait as permitted:
            try:
                response = await super().request(**steps.sent(permitted.permit))
            except curl_errors.RequestException as error:
                if error.code and not getattr(error.response, "status_code", 0):
                    await permitted.fail(network_error(error))
                elif error.response is not None:
                    permitted.record(error.response.status_code, error.response.headers.multi_items())
                await permitted.end(ValueError(str(error)))
                raise
            try:
                permitted.record(response.status_code, response.headers.multi_items())
            except BaseException:
                await response.aclose()
                raise
            if response.queue is None:  # the body was read
                await permitted.end()
            else:
                assert isinstance(response, AsyncHeldResponse)  # noqa: S101  # by the constructor
                response.permitted = permitted
            return response
