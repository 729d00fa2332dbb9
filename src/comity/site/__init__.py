"""WRITE: check, change, compare and build a site's robots.txt before it is published.

Each name is imported when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .assembly.build import Built as Built
    from .assembly.build import build as build
    from .compare.change import Change as Change
    from .compare.change import Diff as Diff
    from .compare.diff import diff as diff
    from .compare.diff import equivalent as equivalent
    from .compare.minimize import minimize as minimize
    from .compare.unreachable_rules import unreachable_rules as unreachable_rules
    from .formatting.layout import tidy as tidy
    from .linter.finding import Finding as Finding
    from .linter.linting import lint as lint
    from .linter.settings import Settings as Settings

if not TYPE_CHECKING:
    _MODULES = {
        "Built": ".assembly.build",
        "Change": ".compare.change",
        "Diff": ".compare.change",
        "Finding": ".linter.finding",
        "Settings": ".linter.settings",
        "build": ".assembly.build",
        "diff": ".compare.diff",
        "equivalent": ".compare.diff",
        "lint": ".linter.linting",
        "minimize": ".compare.minimize",
        "tidy": ".formatting.layout",
        "unreachable_rules": ".compare.unreachable_rules",
    }
    __all__ = list(_MODULES)

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__():
        return __all__
