"""A note of `comity.build` for the owners of a site: the file is built, but they should look at something."""

from ...protocol.value import Value


class Note(Value):
    """A note for the owners of a site.

    `kind` is a word in kebab-case that notes of the same cause share, such as "overruled-rule", or the name
    of a lint rule. `message` is one line of text, and names the sources. `sources` are the locations in the
    plan and the fragments, such as "robots.d/shop.txt:3:1"; empty for a note on the whole file.

    >>> import comity
    >>> note = comity.build({"block": "Zzyzx"}).notes[0]
    >>> note.kind, note.sources
    ('unknown-agent', ('plan: block',))
    >>> print(note)
    plan: block: Zzyzx is not a known agent or purpose, so it is used as the name of a robot
    """

    kind: str
    message: str
    sources: tuple[str, ...]

    def __str__(self) -> str:
        return self.message
