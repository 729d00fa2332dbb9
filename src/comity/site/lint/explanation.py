"""The docstring of a rule -> its parts, of which pages, tables and `--explain` are made.

A docstring is a first sentence, perhaps more that says what the rule finds, and then the sections, each
once and in this order: `Why:`, `Example:` and `Instead:` (indented lines of a robots.txt), `Engines:`, `Fix:`
where there is one, and `Source:`. Octets that cannot be written stand in the examples as `<EF BB BF>`.
"""

from ...protocol.value import Value

__all__ = ["SECTIONS", "Explanation", "explanation_of"]

SECTIONS = ("Why", "Example", "Instead", "Engines", "Fix", "Source")


class Explanation(Value):
    """What is to be known of a rule; `summary` is the first sentence of `what`, `fix` may be empty."""

    __slots__ = ("what", "why", "example", "instead", "engines", "fix", "source")
    what: str
    why: str
    example: str
    instead: str
    engines: str
    fix: str
    source: str

    @property
    def summary(self) -> str:
        """What the rule finds, in a sentence."""
        return self.what.partition("\n")[0]


def explanation_of(documentation: str) -> Explanation:
    r"""Take a docstring apart.

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
    """Join lines to paragraphs; the first line of what a rule finds is one of its own."""
    paragraphs = "\n".join(line.strip() for line in lines).strip().split("\n\n")
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
