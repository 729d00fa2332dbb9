"""Compare the answers of another installed parser with those of Comity, for a file of the user.

    disagreements      a Comparison, with each Disagreement and the section of the standard that decides
    PARSERS            the names of the other parsers
    missing_package    the package to install for a parser

Each name is imported when it is first used, so that the process of the other parser starts quickly.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .comparison import Comparison, Disagreement, disagreements
    from .parsers import PARSERS, missing_package

__all__ = ["Comparison", "Disagreement", "PARSERS", "disagreements", "missing_package"]

if not TYPE_CHECKING:
    from ..._lazy import lazy

    _MODULES = {
        "Comparison": ".comparison",
        "Disagreement": ".comparison",
        "PARSERS": ".parsers",
        "disagreements": ".comparison",
        "missing_package": ".parsers",
    }
    __getattr__, __dir__ = lazy(__name__, __all__, _MODULES)
    del lazy


del TYPE_CHECKING
