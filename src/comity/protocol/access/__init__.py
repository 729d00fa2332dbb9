"""Fetching a robots.txt, and the meaning of each answer (RFC 9309 2.3 to 2.5), without I/O.

    Access         the result of a request for robots.txt, with its Outcome and its Cause
    AccessPolicy   the meaning of each answer, with its Stages; POLICIES are the known ones, by name
    access_policy  the policy with a name
    Fetch          the requests for one robots.txt, each a Request, and their responses
    exempt         the access to a URL whose scheme has no robots.txt

Each name is imported when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fetch import Fetch, Request, exempt
    from .outcome import Access, Cause, Outcome
    from .policy import POLICIES, AccessPolicy, Stage, access_policy

__all__ = [
    "Access",
    "AccessPolicy",
    "Cause",
    "Fetch",
    "Outcome",
    "POLICIES",
    "Request",
    "Stage",
    "access_policy",
    "exempt",
]

if not TYPE_CHECKING:
    from ..._lazy import lazy

    _MODULES = {
        "Access": ".outcome",
        "AccessPolicy": ".policy",
        "Cause": ".outcome",
        "Fetch": ".fetch",
        "Outcome": ".outcome",
        "POLICIES": ".policy",
        "Request": ".fetch",
        "Stage": ".policy",
        "access_policy": ".policy",
        "exempt": ".fetch",
    }
    __getattr__, __dir__ = lazy(__name__, __all__, _MODULES)
    del lazy


del TYPE_CHECKING
