"""Chooses the engine: the compiled twin where it was built, the reference everywhere else.

`COMITY_PURE=1` in the environment forces the reference.
"""

import os

from .. import precedence as policy
from . import reference as reading

TYPE_CHECKING = False

__all__ = ["Policy", "Reading", "engine"]

if TYPE_CHECKING or os.environ.get("COMITY_PURE") == "1":
    engine = "reference"
    Policy = policy.Policy
    Reading = reading.Reading
else:
    try:
        from ._compiled import Policy, Reading

        engine = "compiled"
    except ImportError:
        engine = "reference"
        Policy = policy.Policy
        Reading = reading.Reading
