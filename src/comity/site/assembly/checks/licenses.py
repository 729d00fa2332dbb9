"""Find licences of the whole file that the licence of another file replaces for some robots (RSL 1.0)."""

from collections.abc import Iterable, Iterator, Sequence

from ..group import Group
from ..note import Note
from ..overruled_rules import file_of

#: A line of the result, and the sources that request it.
_Line = tuple[str, tuple[str, ...]]

#: The beginning of a licence in the result.
_LICENSE = "License: "

#: Maximum number of names in a message.
_SHOWN = 3


def replaced_licenses(groups: Iterable[Group], of_file: Sequence[_Line]) -> Iterator[Note]:
    """Yield a note for each group whose licences replace one of the whole file that another file requests."""
    of_file = [line for line in of_file if line[0]]
    for group in groups:
        own = dict(line for line in group.lines if line[0].startswith(_LICENSE))
        if not own:
            continue
        text, sources = next(iter(own.items()))
        files = {file_of(source) for one in own.values() for source in one}
        for other, requested in of_file:
            if other in own or files & {file_of(source) for source in requested}:
                continue
            names = [agent.token for agent in group.agents]
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            message = (
                f"{', '.join(names[:_SHOWN])}{more}: `{text}` ({sources[0]}) replaces `{other}` "
                f"({requested[0]}) of the whole file"
            )
            yield Note("replaced-directive", message, (sources[0], requested[0]))
            break
