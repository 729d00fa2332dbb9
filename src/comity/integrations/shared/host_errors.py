"""The errors of a robot, as errors of a host library too, so that handlers of both kinds catch them."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, ClassVar

import httpx2

from ... import errors
from ...errors import ComityError, InvalidURL
from ...protocol.access import Cause

#: Errors of a robot that its integrations raise as errors of the host library too.
REFUSED = (ComityError, httpx2.InvalidURL)

#: The classes of the errors of one integration, subclasses before their bases.
Errors = tuple[type[ComityError], ...]


def host_error(error: BaseException, kinds: Errors) -> BaseException:
    """Return an error of a robot as the error of a host library, or unchanged if there is no such class.

    Each class in `kinds` derives from a class of `comity.errors` and from an error of the host library.
    """
    if isinstance(error, httpx2.InvalidURL):
        error = InvalidURL(str(error))
    if isinstance(error, kinds):  # of another request, which this one needed first
        return error
    for kind in kinds:
        base = next(
            each
            for each in kind.__mro__
            if issubclass(each, ComityError) and each.__module__ == ComityError.__module__
        )
        if isinstance(error, base):
            made = _created(kind, base, error)
            made.__cause__ = error.__cause__
            return made
    return error


def _created(kind: type[ComityError], base: type[ComityError], error: BaseException) -> BaseException:
    """Return an error of a class with the attributes of another one; both derive from `base`."""
    names = base._arguments.split()
    if not names:
        made = kind(*error.args)
        vars(made).update(vars(error))
        return made
    create = partial(_unreachable, kind) if issubclass(kind, Unreachable) else kind
    return create(*(getattr(error, name) for name in names))


class Unreachable(errors.Unreachable):
    """An `Unreachable` that is also the error of the host library for its cause, such as a timeout."""

    #: the error for each cause, unless it is a base of the class
    _by_cause: ClassVar[Mapping[Cause, type[Exception]]] = {}


def _unreachable(kind: Any, url: str, verdict: Any, until: float, cause: Cause) -> Unreachable:
    """Create an error of a subclass of `Unreachable`, for its cause."""
    kind = _combined(kind, cause) if cause in kind._by_cause else kind
    error: Unreachable = kind(url, verdict, until, cause)
    return error


@cache
def _combined(kind: Any, cause: Cause) -> type[Unreachable]:
    """Return the class for a cause. A pickle creates it again."""

    def reduce(error: Unreachable) -> tuple[Any, ...]:
        return _unreachable, (kind, *(getattr(error, name) for name in error._arguments.split()))

    return type(
        kind.__name__, (kind, kind._by_cause[cause]), {"__module__": kind.__module__, "__reduce__": reduce}
    )
