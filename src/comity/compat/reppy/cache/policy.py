"""Policies of a cache for a failed request."""

import time
from collections.abc import Callable
from typing import Any

__all__ = ["CachePolicyBase", "DefaultObjectPolicy", "ReraiseExceptionPolicy"]


class CachePolicyBase:
    """The result of a failure; a subclass defines `exception`.

    >>> class Forgiving(CachePolicyBase):
    ...     def exception(self, url, exception):
    ...         return time.time() + 60, f"no file at {url}"
    >>> Forgiving().exception("https://example.com/robots.txt", OSError())[1]
    'no file at https://example.com/robots.txt'
    """

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:
        """Return when the result expires, and the result: an object, or an exception to raise.

        `url` is that of the robots.txt, and `exception` the failure.
        """
        raise NotImplementedError("CachePolicyBase has no exception: define it in a subclass")


class DefaultObjectPolicy(CachePolicyBase):
    """A failure counts as another file.

    - `ttl`: seconds until it is requested again
    - `factory`: returns the object for the URL of a robots.txt

    >>> policy = DefaultObjectPolicy(ttl=600, factory=lambda url: f"no file at {url}")
    >>> policy.exception("https://example.com/robots.txt", OSError())[1]
    'no file at https://example.com/robots.txt'
    """

    def __init__(self, ttl: float, factory: Callable[[str], Any]) -> None:
        """Create a policy."""
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:
        """Return when the object expires, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """A failure is raised again, without another request, for `ttl` seconds.

    >>> policy = ReraiseExceptionPolicy(ttl=600)
    >>> policy.exception("https://example.com/robots.txt", OSError("no answer"))[1]
    OSError('no answer')
    """

    def __init__(self, ttl: float) -> None:
        """Create a policy."""
        self.ttl = ttl

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:
        """Return when the exception expires, and the exception."""
        return time.time() + self.ttl, exception
