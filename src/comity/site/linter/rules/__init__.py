"""The rules of the linter: each module of this folder is one.

They are in the order of their codes. The last ones depend on the results of the others.
"""

from importlib import import_module
from pkgutil import iter_modules

from ..rule import rule_of

__all__ = ["RULES"]

_MODULES = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]

RULES = tuple(sorted(map(rule_of, _MODULES), key=lambda rule: rule.code))
