"""Compare the answers of another installed parser with those of Comity, for a file of the user.

    disagreements      a Comparison, with each Disagreement and the section of the standard that decides
    PARSERS            the names of the other parsers
    missing_package    the package to install for a parser

Each name is imported when it is first used, so that the process of the other parser starts quickly.
"""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".comparison": "Comparison Disagreement disagreements",
        ".parsers": "PARSERS missing_package",
    },
)
