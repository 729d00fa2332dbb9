"""Comity: the robots exclusion toolkit. It reads robots.txt, exactly, and says why."""

from .errors import (
    ComityError,
    Disallowed,
    InvalidDialect,
    InvalidIdentity,
    InvalidPlan,
    InvalidPolicy,
    InvalidSettings,
    InvalidSite,
    InvalidURL,
    MustWait,
    OutOfOrder,
    PlanConflict,
    StoreUnavailable,
    UnknownCategory,
    UnknownDialect,
    UnknownEnvironment,
    UnknownPolicy,
    UnknownPurpose,
    UnknownVocabulary,
    Unreachable,
    UsageDisallowed,
)
from .protocol.access.outcome import Access, Outcome
from .protocol.access.policy import AccessPolicy
from .protocol.origin import Origin, robots_url
from .protocol.product_token import product_token
from .protocol.robotstxt.diagnostics import Diagnostic
from .protocol.robotstxt.dialect import DRAFT1996, GOOGLE, RFC9309, STANDARD1994, Dialect
from .protocol.robotstxt.document import RobotsTxt, parse
from .protocol.robotstxt.engine import engine
from .protocol.robotstxt.fields.clean_param import CleanParam
from .protocol.robotstxt.fields.rates import RequestRate, VisitTime
from .protocol.robotstxt.lexer import Line
from .protocol.robotstxt.rules import Rules
from .protocol.robotstxt.verdict import Field, Group, Reason, Rule, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import agents
    from .politeness.page import Page
    from .politeness.stores import (
        AsyncMemoryStore,
        AsyncRedisStore,
        AsyncSQLiteStore,
        MemoryStore,
        RedisStore,
        SQLiteStore,
    )
    from .protocol.page.directives import PageDirectives, page_directives
    from .protocol.robotstxt.fields.content_signal import ContentSignals
    from .protocol.robotstxt.fields.preferences import Usage
    from .protocol.robotstxt.fields.statement import Standing, Statement
    from .protocol.robotstxt.fields.vocabulary import Preference, Vocabulary
    from .protocol.usage.answer import usage
    from .robot._async.client import AsyncRobot
    from .robot._async.transport import AsyncRobotsTransport
    from .robot._sync.client import Robot
    from .robot._sync.transport import RobotsTransport
    from .site.assembly.build import Built, build
    from .site.compare.change import Diff
    from .site.compare.diff import diff, equivalent
    from .site.compare.minimize import minimize
    from .site.compare.unreachable_rules import unreachable_rules
    from .site.formatting.layout import format  # noqa: A004
    from .site.lint.finding import Finding
    from .site.lint.linting import lint
del TYPE_CHECKING

__all__ = [
    "Access",
    "AccessPolicy",
    "AsyncMemoryStore",
    "AsyncRedisStore",
    "AsyncRobot",
    "AsyncRobotsTransport",
    "AsyncSQLiteStore",
    "Built",
    "CleanParam",
    "ComityError",
    "ContentSignals",
    "DRAFT1996",
    "Diagnostic",
    "Dialect",
    "Diff",
    "Disallowed",
    "Field",
    "Finding",
    "GOOGLE",
    "Group",
    "InvalidDialect",
    "InvalidIdentity",
    "InvalidPlan",
    "InvalidPolicy",
    "InvalidSettings",
    "InvalidSite",
    "InvalidURL",
    "Line",
    "MemoryStore",
    "MustWait",
    "Origin",
    "OutOfOrder",
    "Outcome",
    "Page",
    "PageDirectives",
    "PlanConflict",
    "Preference",
    "RFC9309",
    "Reason",
    "RedisStore",
    "RequestRate",
    "Robot",
    "RobotsTransport",
    "RobotsTxt",
    "Rule",
    "Rules",
    "SQLiteStore",
    "STANDARD1994",
    "Standing",
    "Statement",
    "StoreUnavailable",
    "UnknownCategory",
    "UnknownDialect",
    "UnknownEnvironment",
    "UnknownPolicy",
    "UnknownPurpose",
    "UnknownVocabulary",
    "Unreachable",
    "Usage",
    "UsageDisallowed",
    "Verdict",
    "VisitTime",
    "Vocabulary",
    "agents",
    "build",
    "diff",
    "engine",
    "equivalent",
    "format",
    "lint",
    "minimize",
    "page_directives",
    "parse",
    "product_token",
    "robots_url",
    "unreachable_rules",
    "usage",
]

#: What is loaded only when it is asked for, and where it is. What is of a robot needs the extra `robot`.
_LAZY = {
    "AsyncMemoryStore": "politeness.stores",
    "AsyncRedisStore": "politeness.stores",
    "AsyncRobot": "robot._async.client",
    "AsyncRobotsTransport": "robot._async.transport",
    "AsyncSQLiteStore": "politeness.stores",
    "Built": "site.assembly.build",
    "ContentSignals": "protocol.robotstxt.fields.content_signal",
    "Diff": "site.compare.change",
    "Finding": "site.lint.finding",
    "MemoryStore": "politeness.stores",
    "Page": "politeness.page",
    "PageDirectives": "protocol.page.directives",
    "Preference": "protocol.robotstxt.fields.vocabulary",
    "RedisStore": "politeness.stores",
    "Robot": "robot._sync.client",
    "RobotsTransport": "robot._sync.transport",
    "SQLiteStore": "politeness.stores",
    "Standing": "protocol.robotstxt.fields.statement",
    "Statement": "protocol.robotstxt.fields.statement",
    "Usage": "protocol.robotstxt.fields.preferences",
    "Vocabulary": "protocol.robotstxt.fields.vocabulary",
    "build": "site.assembly.build",
    "diff": "site.compare.diff",
    "equivalent": "site.compare.diff",
    "format": "site.formatting.layout",
    "lint": "site.lint.linting",
    "minimize": "site.compare.minimize",
    "page_directives": "protocol.page.directives",
    "unreachable_rules": "site.compare.unreachable_rules",
    "usage": "protocol.usage.answer",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY and name != "agents":
        raise AttributeError(f"module 'comity' has no attribute {name!r}")
    from importlib import import_module

    if name == "agents":
        return import_module(".agents", __name__)
    try:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    except ModuleNotFoundError as lack:
        if str(lack.name).startswith(__name__):
            raise
        extra = "redis" if lack.name == "redis" else "robot"
        raise ImportError(f"comity.{name} needs {lack.name}: pip install 'comity[{extra}]'") from lack


def __dir__() -> list[str]:
    # What `help` and `inspect` look up, so without what its extra is missing for.
    from importlib.util import find_spec

    lacking = {name for name in _LAZY if "Redis" in name and not find_spec("redis")}
    if not find_spec("httpx2"):
        lacking |= {name for name in _LAZY if name.startswith(("Async", "Robot"))}
    return [name for name in __all__ if name not in lacking]
