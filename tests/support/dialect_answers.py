"""The answers of each dialect to a file."""

import comity

DIALECTS = ("rfc9309", "google", "draft1996", "1994")


def allowed(text, agent, path, dialect="rfc9309"):
    """Return whether a robot may fetch a path, by one dialect."""
    return comity.parse(text, dialect=dialect).allowed(path, agent=agent)
