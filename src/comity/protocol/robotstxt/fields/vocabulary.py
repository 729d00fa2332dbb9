"""Categories of use, and the preferences for them.

A category is one way to use content. Content-Usage names categories by labels. Each draft of its vocabulary
has other labels, so they are data. The words of the other vocabularies are mapped to the categories of the
current draft where they mean the same use.
"""

from collections.abc import Iterable

from ...input_errors import InvalidArgument
from ...value import Choice, Value

#: The uses of content that people ask about, by their categories. Rules about crawling are apart.
USES = ("train-ai", "ai-input", "search", "tdm")


class Preference(Choice):
    r"""The preference for one category of use.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nContent-Usage: train-ai=n")
    >>> usage = robots.rules_for("ExampleBot").usage("/tea")
    >>> usage.preference("train-ai"), usage.preference("search")
    (Preference.DISALLOW, Preference.UNKNOWN)
    """

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNKNOWN = "unknown"


class Vocabulary(Value):
    """The labels that are known in Content-Usage expressions; other labels are ignored.

    `name` is any name of your own, and `labels` are one label or several.

    >>> Vocabulary("ours", ("train-ai", "translate")).labels
    ('train-ai', 'translate')
    >>> Vocabulary("ours", "train-ai").labels
    ('train-ai',)

    Raises `InvalidArgument` for labels that are not text.
    """

    name: str
    labels: tuple[str, ...]

    def __init__(self, name: str, labels: str | Iterable[str]) -> None:
        """Make a tuple of the labels."""
        super().__init__(name, labels)
        self._set_several("labels")


#: The labels of draft-ietf-aipref-vocab, by the draft that introduced them. No label contains another: the
#: current draft has no hierarchy, and those of older drafts were dropped.
VOCABULARIES = {
    vocabulary.name: vocabulary
    for vocabulary in (
        Vocabulary("aipref-vocab-05", ("train-ai", "search")),  # and -06 and -07
        Vocabulary("aipref-vocab-08", ("train-ai", "ai-use", "search")),  # by digests; its text was not read
        Vocabulary("aipref-vocab-04", ("bots", "train-ai", "ai-output", "search")),
        Vocabulary("aipref-vocab-03", ("bots", "train-ai", "train-genai", "search")),
        Vocabulary("aipref-vocab-02", ("all", "train-ai", "train-genai", "ai-use", "search")),
        Vocabulary("aipref-vocab-01", ("tdm", "ai", "genai", "search", "inference")),
    )
}

#: The default vocabulary.
CURRENT = VOCABULARIES["aipref-vocab-05"]


def vocabulary_of(name: str | Vocabulary) -> Vocabulary:
    """Return the vocabulary with a name, or the `Vocabulary` itself.

    >>> vocabulary_of("aipref-vocab-01").labels
    ('tdm', 'ai', 'genai', 'search', 'inference')

    Raises `InvalidArgument` for any other name.
    """
    found = VOCABULARIES.get(name) if isinstance(name, str) else name
    if isinstance(found, Vocabulary):
        return found
    raise InvalidArgument.unknown("vocabulary", name, VOCABULARIES)


def combined(preferences: Iterable[Preference]) -> Preference:
    """Combine several preferences for one category (draft-ietf-aipref-vocab 7.1).

    Any disallow wins, else any allow, else the preference is unknown.

    >>> combined([Preference.ALLOW, Preference.UNKNOWN, Preference.DISALLOW])
    Preference.DISALLOW
    """
    found = set(preferences)
    if Preference.DISALLOW in found:
        return Preference.DISALLOW
    return Preference.ALLOW if Preference.ALLOW in found else Preference.UNKNOWN
