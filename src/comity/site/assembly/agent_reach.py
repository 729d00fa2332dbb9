"""Robots that a group for `*`, or a block of training, does not reach.

They are agents that obey only a group of their own name, and agents that collect data for others.
"""

from collections.abc import Container, Sequence

from ...agents import ALL, by_purpose
from .note import Note

#: The agents that obey only a group of their own name, never the group for `*`.
NAMED_ONLY = tuple(agent.token for agent in ALL if agent.named_only)

#: The names of a group that applies to all robots.
ALL_ROBOTS = ("*", *NAMED_ONLY)


def named_only_note(named: Container[str], source: str) -> Note | None:
    """Return a note on the agents that `source`, which closes the site to `*`, does not reach.

    `named` are the agents that have a group, in lower case. None if there is nothing to note.
    """
    missing = [token for token in NAMED_ONLY if token.lower() not in named]
    if not missing:
        return None
    message = (
        f"{source} does not close the site to {_some(missing)}, which obey only groups that name them; "
        "keep_out = true names them"
    )
    return Note("named-only-agents", message, (source,))


def data_collectors_note(named: Container[str], source: str) -> Note | None:
    """Return a note on the agents that collect data for others, if `source` blocks only training.

    The others may use the data for training. `named` are the agents that have a group, in lower case. None if
    there is nothing to note.
    """
    missing = [one.token for one in by_purpose("data") if not one.obsolete and one.token.lower() not in named]
    if not missing:
        return None
    message = (
        f"{source} blocks training but not data: {_some(missing)} collect for others, who may train on "
        'it; block "data" too, or set let_in = "data"'
    )
    return Note("data-collectors", message, (source,))


def _some(tokens: Sequence[str]) -> str:
    """Return a list of tokens, shortened to three."""
    more = len(tokens) - 3
    return ", ".join(tokens) if more < 2 else f"{', '.join(tokens[:3])} and {more} others"
