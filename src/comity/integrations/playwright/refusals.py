"""The errors of a robot that are errors of Playwright too."""

from playwright.async_api import Error

from ... import errors
from ..permitted import Errors


class Disallowed(errors.Disallowed, Error):
    """A page that was not requested because robots.txt forbids it."""


class Unreachable(Disallowed, errors.Unreachable):
    """A page that was not requested because the robots.txt is unreachable."""


class UsageDisallowed(errors.UsageDisallowed, Error):
    """A page that is not loaded because the site disallows a use that the robot respects."""


class MustWait(errors.MustWait, Error):
    """A page that was not requested because it would have been too early."""


class StoreUnavailable(errors.StoreUnavailable, Error):
    """A page that was not requested because the store of the robot is unavailable."""


#: Subclasses before their bases.
ERRORS: Errors = (Unreachable, Disallowed, UsageDisallowed, MustWait, StoreUnavailable)
