"""The words in which preferences are stated: categories of use, and what is said of each.

A category is one way to use content. The vocabulary of Content-Usage names its categories by labels, and
each draft of it has others, so the labels are data. The other vocabularies have words of their own, which
are read as the categories of the current draft where they mean the same use.
"""

from collections.abc import Iterable
from enum import Enum

from ....errors import UnknownVocabulary
from ...value import Value

__all__ = ["CURRENT", "VOCABULARIES", "Preference", "Vocabulary", "combined", "vocabulary_of"]


class Preference(Enum):
    """What is said of one category of use.

    >>> combined([Preference.ALLOW, Preference.UNKNOWN, Preference.DISALLOW])
    Preference.DISALLOW
    """

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return f"Preference.{self.name}"


class Vocabulary(Value):
    """The labels that a Content-Usage expression is read by; a label that is not among them is ignored.

    >>> Vocabulary("ours", ("train-ai", "translate")).labels
    ('train-ai', 'translate')
    """

    __slots__ = ("name", "labels")
    name: str
    labels: tuple[str, ...]


#: draft-ietf-aipref-vocab, by the draft that brought the labels in. No label contains another: the
#: current text knows no hierarchy, and the ones of older texts were given up.
VOCABULARIES = {
    vocabulary.name: vocabulary
    for vocabulary in (
        Vocabulary("aipref-vocab-05", ("train-ai", "search")),  # and -06 and -07
        Vocabulary("aipref-vocab-04", ("bots", "train-ai", "ai-output", "search")),
        Vocabulary("aipref-vocab-03", ("bots", "train-ai", "train-genai", "search")),
        Vocabulary("aipref-vocab-02", ("all", "train-ai", "train-genai", "ai-use", "search")),
        Vocabulary("aipref-vocab-01", ("tdm", "ai", "genai", "search", "inference")),
    )
}

#: The one that is in force if none is asked for.
CURRENT = VOCABULARIES["aipref-vocab-05"]


def vocabulary_of(name: str | Vocabulary) -> Vocabulary:
    """Give the vocabulary of that name, or the `Vocabulary` itself.

    >>> vocabulary_of("aipref-vocab-01").labels
    ('tdm', 'ai', 'genai', 'search', 'inference')

    Raises `UnknownVocabulary` for any other name.
    """
    found = VOCABULARIES.get(name) if isinstance(name, str) else name
    if isinstance(found, Vocabulary):
        return found
    *most, last = VOCABULARIES
    raise UnknownVocabulary(f"no vocabulary {name!r}; there are {', '.join(most)} and {last}")


def combined(preferences: Iterable[Preference]) -> Preference:
    """Combine what several statements say of one category (draft-ietf-aipref-vocab 7.1).

    Any disallow wins; else any allow; else nothing is known.
    """
    found = set(preferences)
    if Preference.DISALLOW in found:
        return Preference.DISALLOW
    return Preference.ALLOW if Preference.ALLOW in found else Preference.UNKNOWN
