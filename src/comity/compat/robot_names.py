"""The name of a robot, as the other parsers accept it: they know no sequences of names."""


def named(agent: object) -> str:
    """Return the name of a robot as it is. Raises `TypeError` unless it is a `str`."""
    if not isinstance(agent, str):
        raise TypeError(f"invalid robot {agent!r:.100}: expected a str, got {type(agent).__name__}")
    return agent
