"""`urllib.robotparser` of the standard library, with Comity's answers.

    from comity.compat.urllib import RobotFileParser        # was: from urllib.robotparser import ...
    import comity.compat.urllib as robotparser              # was: from urllib import robotparser

`RobotFileParser` takes a `mode` for the answers of an older or newer Python.
"""

from .native import Entry, RuleLine
from .parser import RobotFileParser
from .records import RequestRate

__all__ = ["Entry", "RequestRate", "RobotFileParser", "RuleLine"]
