"""The docstring of a rule -> its parts, which pages, tables and `--explain` show.

A docstring begins with a summary of one sentence, perhaps followed by paragraphs of details. Then come the
sections, in this order: `Why:`, `Example:` and `Instead:` (indented lines of a robots.txt), `Engines:`,
`Fix:` if there is one, and `Source:`. In examples, `<EF BB BF>` stands for bytes that cannot be written.
"""

from ...protocol.value import Value

SECTIONS = ("Why", "Example", "Instead", "Engines", "Fix", "Source")


class Explanation(Value):
    """The parts of the documentation of a rule; `fix` is empty if the rule has no fix."""

    what: str
    why: str
    example: str
    instead: str
    engines: str
    fix: str
    source: str

    @property
    def summary(self) -> str:
        """The first sentence of `what`."""
        return self.what.partition("\n")[0]


def explanation_of(documentation: str) -> Explanation:
    r"""Split a docstring into its parts.

    >>> parts = explanation_of("It is odd.\n\nWhy: So it is.\nExample:\n    a\n      b\nSource: ours")
    >>> parts.summary, parts.why, parts.example, parts.source
    ('It is odd.', 'So it is.', 'a\n  b', 'ours')
    """
    parts: dict[str, list[str]] = {"What": []}
    section = "What"
    for line in documentation.splitlines():
        title, colon, rest = line.partition(":")
        if colon and title in SECTIONS:
            section = title
            parts[section] = [rest]
        else:
            parts[section].append(line)
    return Explanation(
        *(
            _example(parts.get(name, [])) if name in ("Example", "Instead") else _prose(parts.get(name, []))
            for name in ("What", *SECTIONS)
        )
    )


def _example(lines: list[str]) -> str:
    return "\n".join(line.removeprefix("    ") for line in lines).strip("\n")


def _prose(lines: list[str]) -> str:
    """Join the lines of each paragraph."""
    paragraphs = "\n".join(line.strip() for line in lines).strip().split("\n\n")
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
