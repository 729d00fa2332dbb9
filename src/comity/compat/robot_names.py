"""The name of a robot, as the other parsers accept it: they know no sequences of names."""


def named(agent: object) -> str:
    """Return the name of a robot as it is.

    Raises `TypeError` for bytes, and `AttributeError` for other types, as the other parsers do.
    """
    if not isinstance(agent, str):
        error = TypeError if isinstance(agent, (bytes, bytearray)) else AttributeError
        raise error(f"invalid robot {agent!r:.100}: expected a str, got {type(agent).__name__}")
    return agent
