"""robots.txt: bytes -> lines -> groups -> the rules for one robot -> a verdict."""

from .dialect import DIALECTS, DRAFT1996, GOOGLE, RFC9309, STANDARD1994, Dialect
from .document import RobotsTxt, parse
from .fields.clean_param import CleanParam
from .fields.rates import RequestRate, VisitTime
from .lexer import Line
from .rules import Rules
from .verdict import Field, Group, Reason, Rule, Verdict

__all__ = [
    "CleanParam",
    "DIALECTS",
    "DRAFT1996",
    "Dialect",
    "Field",
    "GOOGLE",
    "Group",
    "Line",
    "RFC9309",
    "Reason",
    "RequestRate",
    "RobotsTxt",
    "Rule",
    "Rules",
    "STANDARD1994",
    "Verdict",
    "VisitTime",
    "parse",
]
