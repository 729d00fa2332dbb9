"""Print a `Diff` for people, with colours."""

from typing import TYPE_CHECKING

from ..terminal import Styled, echo

if TYPE_CHECKING:
    from ...site import Diff

_COLOURS = {"closes": "red", "opens": "green"}

#: The beginnings of lines that are not about some robots.
_PLAIN = "not exact: ", "nothing changes for "


def show_difference(found: "Diff", what: str = "URL") -> None:
    """Print the changes; `what` names the URLs that are counted."""
    from ...site.compare import difference_lines

    for line in difference_lines(found, what):
        text = line.lstrip(" ")
        word = text.partition(" ")[0]
        if text == line:
            echo(Styled(line, bold=bool(line) and not line.startswith(_PLAIN)))
        elif word in _COLOURS and f"{word} " in text and not line.startswith("    "):
            echo("  ", Styled(word, _COLOURS[word]), text.removeprefix(word))
        else:
            echo(line)
