"""The name of a robot, as the other parsers accept it: a str, and not several names or a known robot."""

from ..protocol.robotstxt.engine.known_robot import KnownRobot


def named(agent: object) -> str:
    """Return the name of a robot as it is.

    Raises `TypeError` for bytes, and `AttributeError` for other types, as the other parsers do. Raises
    `TypeError` for an `Agent` of the catalogue.
    """
    if not isinstance(agent, str):
        refuse_known(agent)
        error = TypeError if isinstance(agent, (bytes, bytearray)) else AttributeError
        raise error(f"invalid robot {agent!r:.100}: expected a str, got {type(agent).__name__}")
    return agent


def refuse_known(agent: object) -> None:
    """Raise `TypeError` for an `Agent` of the catalogue: by its name alone, it would get other answers."""
    if isinstance(agent, KnownRobot):
        name = agent.names[0]
        hint = f"pass {name!r}, which counts as written, or call comity.parse(...).check(url, agent=...)"
        raise TypeError(f"invalid robot: expected a str, got the known robot {name}; {hint}")
