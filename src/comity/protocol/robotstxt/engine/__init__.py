"""Chooses the engine: the compiled one where it was built, otherwise the reference.

`COMITY_PURE=1` in the environment forces the reference.
"""

import os

from .reference import FileAnswers, RankedRules, Reading, RulesAnswers

TYPE_CHECKING = False

__all__ = ["FileAnswers", "RankedRules", "Reading", "RulesAnswers", "engine"]

#: The name of the engine that parses and matches: "compiled" or "reference".
engine: str = "reference"

if not TYPE_CHECKING and os.environ.get("COMITY_PURE") != "1":
    try:
        from ._compiled import FileAnswers, RankedRules, Reading, RulesAnswers

        #: The name of the engine that parses and matches: "compiled" or "reference".
        engine: str = "compiled"
    except ImportError:
        pass
