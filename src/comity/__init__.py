"""Comity: the robots exclusion toolkit. It reads robots.txt, exactly, and says why."""

from .errors import (
    ComityError,
    InvalidDialect,
    InvalidPolicy,
    InvalidURL,
    OutOfOrder,
    UnknownDialect,
    UnknownPolicy,
)
from .protocol.access import Access, Outcome
from .protocol.access_policy import AccessPolicy
from .protocol.origin import Origin, robots_url
from .protocol.product_token import product_token
from .protocol.robotstxt.cleanparam import CleanParam
from .protocol.robotstxt.diagnostics import Diagnostic
from .protocol.robotstxt.dialect import DRAFT1996, GOOGLE, RFC9309, STANDARD1994, Dialect
from .protocol.robotstxt.document import RobotsTxt, parse
from .protocol.robotstxt.engine import engine
from .protocol.robotstxt.lexer import Line
from .protocol.robotstxt.rates import RequestRate, VisitTime
from .protocol.robotstxt.rules import Rules
from .protocol.robotstxt.verdict import Field, Group, Reason, Rule, Verdict

__all__ = [
    "Access",
    "AccessPolicy",
    "CleanParam",
    "ComityError",
    "DRAFT1996",
    "Diagnostic",
    "Dialect",
    "Field",
    "GOOGLE",
    "Group",
    "InvalidDialect",
    "InvalidPolicy",
    "InvalidURL",
    "Line",
    "Origin",
    "OutOfOrder",
    "Outcome",
    "RFC9309",
    "Reason",
    "RequestRate",
    "RobotsTxt",
    "Rule",
    "Rules",
    "STANDARD1994",
    "UnknownDialect",
    "UnknownPolicy",
    "Verdict",
    "VisitTime",
    "engine",
    "parse",
    "product_token",
    "robots_url",
]


def __dir__() -> list[str]:
    return __all__
