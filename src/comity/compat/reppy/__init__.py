r"""The API of reppy: replace `reppy` by `comity.compat.reppy` in the imports of a program.

>>> from comity.compat.reppy.robots import Robots
>>> robots = Robots.parse("https://example.com/robots.txt", "User-agent: *\nDisallow: /private/\n")
>>> robots.agent("ExampleBot").allowed("/private/x")
False

The modules have the names of reppy 0.4.14: `robots`, `cache`, `cache.policy`, `ttl`, `exceptions` and `util`.
`Utility`, `parser.Rules` and `cache.RobotsCache(session=...)` are those parts of reppy 0.3.4 that brozzler
calls. Requests are sent by the package requests, which a program that uses reppy has.
"""

import logging
from typing import TYPE_CHECKING

from . import exceptions, parser, robots, ttl, util
from .exceptions import ReppyException, ServerError
from .robots import Agent, Robots
from .util import Utility

if TYPE_CHECKING:
    from . import cache as cache

__all__ = [
    "Agent",
    "ReppyException",
    "Robots",
    "ServerError",
    "Utility",
    "cache",
    "exceptions",
    "logger",
    "parser",
    "robots",
    "ttl",
    "util",
]

#: The logger of the package.
logger: logging.Logger = logging.getLogger(__name__)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "cache":  # a folder above the modules of this one
            from importlib import import_module

            return import_module(".cache", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
