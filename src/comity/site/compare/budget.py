"""The work that one comparison may do: limits for all robots together, so that no two files take minutes."""

#: Maximum number of rules and fields that are read again because several robots have them. A field counts as
#: four rules, a long value as several.
_ENTRIES = 100_000

#: Maximum number of rules that are tried, for samples of paths and for the exceptions of a set of paths.
_PROBES = 1_000_000

#: Maximum number of characters in the result.
_TEXT = 4_000_000

#: Maximum number of exceptions and of field changes in the result.
_LISTED = 50_000


class Budget:
    """The work that is left for a comparison. Robots without common groups never use up `entries`.

    `states` are states of automata, `entries` rules and fields, `probes` rules tried on a path or a pattern,
    `text` characters of the result, and `exceptions` and `fields` entries of the result.
    """

    __slots__ = ("entries", "exceptions", "fields", "probes", "states", "text")

    def __init__(self, states: int, size: int) -> None:
        """Create the budget; `size` is the number of rules and fields of both files."""
        self.states = states
        self.entries = _ENTRIES + size
        self.probes = _PROBES
        self.text = _TEXT
        self.exceptions = self.fields = _LISTED
