"""Paths to try where there are too many places to walk: made of what patterns say, always the same."""

from collections.abc import Sequence

from ....protocol.robotstxt.matcher import Pattern
from .alphabet import Alphabet

__all__ = ["samples"]

#: So many paths are made, of so many characters together.
_COUNT = 2000
_SIZE = 1_000_000

#: Any number will do, if it is always the same: two runs give one answer.
_SEED = 9309


def samples(patterns: Sequence[Pattern], alphabet: Alphabet) -> list[str]:
    """Give paths that some of the patterns match, many of them several, each once.

    First each pattern's shortest match and one that goes on; then mixtures, where the pieces of a second
    pattern stand in the gaps of a first.
    """
    from random import Random

    if not patterns:
        return []
    random = Random(_SEED)  # noqa: S311  # not a secret
    fillers = ["", alphabet.other(frozenset()), "/"]
    found: dict[str, None] = {}
    size = 0
    for at in range(_COUNT):
        pattern = patterns[at // 2] if at < 2 * len(patterns) <= _COUNT else random.choice(patterns)
        if at < 2 * len(patterns) <= _COUNT:
            gaps = [fillers[at % 2]]
        else:
            head, pieces, _ = random.choice(patterns)
            gaps = [random.choice([*fillers, head, *(pieces or ())]) for _ in range(3)]
        path = _instance(pattern, gaps)
        size += len(path)
        if size > _SIZE:
            break
        if alphabet.characters.issuperset(path):
            found[path] = None
    return list(found)


def _instance(pattern: Pattern, gaps: Sequence[str]) -> str:
    """Write a path that a pattern matches, with these texts in its gaps by turns."""
    head, pieces, anchored = pattern
    texts = [head]
    for at, piece in enumerate(pieces or ()):
        texts += [gaps[at % len(gaps)], piece]
    if not anchored:
        texts.append(gaps[-1])
    path = "".join(texts)
    return path if path.startswith("/") else "/" + path
