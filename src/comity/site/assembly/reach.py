"""Whom words for many robots do not reach: agents that heed no `*`, and those that collect for others."""

from collections.abc import Container

from ...agents import ALL, by_purpose

__all__ = ["NAMED_ONLY", "ALL_ROBOTS", "data_collectors_note", "named_only_note"]

#: The agents that only a group of their own binds, and never the group for `*`.
NAMED_ONLY = tuple(agent.token for agent in ALL if agent.named_only)

#: Whom a group has to name that is to bind all robots.
ALL_ROBOTS = ("*", *NAMED_ONLY)


def named_only_note(named: Container[str], place: str) -> str | None:
    """Tell of the agents that no `*` binds, where `place` closes `*`, but for the `named`, in lower case."""
    deaf = [token for token in NAMED_ONLY if token.lower() not in named]
    if not deaf:
        return None
    return (
        f"{', '.join(deaf)} heed only groups that name them, so {place} does not close the site to them; "
        "keep_out = true does"
    )


def data_collectors_note(named: Container[str], place: str) -> str | None:
    """Tell of the agents that collect for others, where `place` keeps out training, but for the `named`.

    What others do with the data nobody can tell, so that training is not kept out while they may come.
    """
    those = [one.token for one in by_purpose("data") if not one.obsolete and one.token.lower() not in named]
    if not those:
        return None
    return (
        f"{place} keeps out training, and not data: {', '.join(those)} collect for others, who may train on "
        'it; block "data" too, or say let_in = "data" if they may come'
    )
