"""A name that no known robot has -> the tokens of the robots that it probably means.

A group with a wrong name applies to no robot, and its author does not notice. A name resembles a token if one
letter differs, if only separators differ, or if it is the beginning of the token. It also resembles one if it
is the name of a robot or an operator with another word at its end, such as `PerplexityAI`.
"""

from collections.abc import Iterator
from functools import cache

from ..protocol.product_token import BROWSERS
from ..protocol.robotstxt.diagnostics.field_values import one_slip
from ..protocol.robotstxt.diagnostics.user_agents import current_tokens
from .known import ALL, MISNOMERS, find

#: Shortest and longest name that is compared letter by letter. One letter makes another name of a shorter
#: one.
_SHORTEST = 6
_LONGEST = 40

#: Longest name that is not checked for a wrong letter, as it often belongs to another robot.
_LETTER_MATTERS = 8

#: Shortest beginning of a token, shortest name without separators and words at its end, and shortest name of
#: a robot or an operator without such words.
_BEGINNING = 4
_COMPACT = 4
_BARE = 6

#: Maximum number of suggestions, maximum length of the name that they are compared with, and their minimum
#: similarity, from 0 to 1.
_SUGGESTED, _LONGEST_SUGGESTED, _SIMILARITY = 5, 100, 0.75

#: The robots that a name may mean. A file that names an obsolete one is outdated.
_CURRENT = [agent for agent in ALL if not agent.obsolete]

#: The characters between the words of names.
_SEPARATORS = str.maketrans("", "", "-_. +")

#: Maximum number of letters that a beginning may lack in the last word.
_LACKING = 2

#: Words beside the name of a robot or an operator, without separators.
_WORDS = (
    *("searchbot", "crawler", "scraper", "fetcher", "spider", "search"),
    *("robot", "agent", "crawl", "user", "bot", "ai"),
)

#: Maximum number of tokens, and the purposes that are most likely meant, the first one first.
_MOST = 3
_USUAL = ("training", "search", "user-triggered")


def similar_tokens(name: str) -> tuple[str, ...]:
    """Return the tokens of known robots that an unknown name probably means, the most likely one first.

    `name` is a name as a file or a plan has it, without version. The result is empty if a robot has the name,
    or if none resembles it.

    >>> similar_tokens("Gogglebot"), similar_tokens("cc-bot"), similar_tokens("ClaudeAI")
    (('Googlebot',), ('CCBot',), ('ClaudeBot',))
    >>> similar_tokens("Googlebot"), similar_tokens("ExampleBot")
    ((), ())
    """
    lower = name.strip().lower()
    if not _BEGINNING <= len(lower) < _LONGEST or lower in BROWSERS or find(lower) or "*" in lower:
        return ()
    if tokens := current_tokens(lower):
        return tokens
    if lower in _first_words():
        return ()
    if len(lower) >= _SHORTEST and (token := _misspelt(lower)):
        return (token,)
    compact = _compact(lower)
    if len(compact) >= _COMPACT and compact in _by_letters():
        return (_by_letters()[compact],)
    return _by_beginning().get(lower, ()) or _by_bare_name(compact)


def suggestions(name: str) -> tuple[str, ...]:
    """Return at most five tokens of known robots that an unknown `name` may mean, to show to a person.

    These are the tokens that the name resembles, and those of the operator of this name; else tokens with a
    similar spelling, else longer ones.

    >>> suggestions("Googelbot"), suggestions("Moz"), suggestions("zzz")
    (('Googlebot',), ('dotbot', 'rogerbot'), ())
    """
    from difflib import get_close_matches

    wanted = name.strip().lower()[:_LONGEST_SUGGESTED]
    tokens = {agent.token.lower(): agent.token for agent in ALL}
    same_operator = [agent.token for agent in ALL if (agent.operator or "").lower() == wanted]
    near = list(dict.fromkeys([*similar_tokens(wanted), *same_operator]))
    near = near or [tokens[token] for token in get_close_matches(wanted, tokens, _SUGGESTED, _SIMILARITY)]
    near = near or [token for lower, token in tokens.items() if len(wanted) > 2 and wanted in lower]
    return tuple(near[:_SUGGESTED])


def _compact(name: str) -> str:
    return name.lower().translate(_SEPARATORS)


@cache
def _first_words() -> frozenset[str]:
    """Return the first words of tokens with spaces, which is how some robots read them."""
    return frozenset(agent.token.lower().partition(" ")[0] for agent in ALL if " " in agent.token)


@cache
def _by_letters() -> dict[str, str]:
    """Return the tokens by their letters and digits."""
    return {_compact(agent.token): agent.token for agent in _CURRENT}


@cache
def _by_beginning() -> dict[str, tuple[str, ...]]:
    """Return the tokens by their whole first words, and by all but the last letters."""
    found: dict[str, list[str]] = {}
    for agent in _CURRENT:
        lower = agent.token.lower()
        if " " in lower or agent.check_limit == "run-by-anyone":
            continue
        ends = {at for at, letter in enumerate(lower) if letter in "-_"}
        ends |= {len(lower) - lacking for lacking in range(1, _LACKING + 1)} if len(lower) > 9 else set()
        for end in ends:
            if end >= _BEGINNING:
                found.setdefault(lower[:end], []).append(agent.token)
    return {name: tuple(sorted(tokens, key=len)[:_MOST]) for name, tokens in found.items()}


def _by_bare_name(compact: str) -> tuple[str, ...]:
    names = (name for name in _bare_names(compact) if name in _bare())
    return _bare().get(next(names, ""), ())


@cache
def _bare() -> dict[str, tuple[str, ...]]:
    """Return the tokens by names of operators and robots without the words beside them."""
    found: dict[str, dict[str, int]] = {}
    for misnomer in MISNOMERS:
        found[_compact(misnomer.name)] = dict.fromkeys(misnomer.tokens, 0)
    misnomers = frozenset(found)
    for agent in _CURRENT:
        if agent.operator is None or "other" in agent.purposes:
            continue
        rank = min([_USUAL.index(one) for one in agent.purposes if one in _USUAL], default=len(_USUAL))
        for name in {*_bare_names(_compact(agent.token)), *_bare_names(_compact(agent.operator))}:
            if name not in misnomers and len(name) >= _BARE:
                found.setdefault(name, {})[agent.token] = rank
    return {
        name: tuple(sorted(tokens, key=lambda token: tokens[token])[:_MOST]) for name, tokens in found.items()
    }


def _bare_names(compact: str) -> Iterator[str]:
    """Yield a name without separators, and what is left of it without each word at its end."""
    while len(compact) >= _COMPACT:
        yield compact
        word = next((word for word in _WORDS if compact.endswith(word)), "")
        if not word:
            return
        compact = compact.removesuffix(word)


def _misspelt(name: str) -> str:
    """Return the token that differs from a name by one slip, or an empty text."""
    found = {token for key in _with_gaps(name) for token in _slips().get(key, ())}
    return min((token for token in found if _is_slip(name, token.lower())), default="")


def _is_slip(name: str, other: str) -> bool:
    """Return whether two names differ by one slip, except where robots often have similar names."""
    start = 0
    while start < min(len(name), len(other)) and name[start] == other[start]:
        start += 1
    left, right = name[start:], other[start:]
    if not (left[:1] + right[:1]).replace("-", "").isalpha():
        return False  # robots of one operator often differ by a number
    if other.startswith(name):
        return False  # a beginning, which is another case
    if name.startswith(other):
        # A longer name often belongs to another robot, unless it adds an s or doubles the last letter.
        return left in ("s", other[-1])
    if "-" in name[:start] and max(len(left), len(right)) < 3:
        return False  # robots of one operator often differ after a hyphen
    return one_slip(name, other) and (left[1:] != right[1:] or len(name) > _LETTER_MATTERS)


@cache
def _slips() -> dict[str, list[str]]:
    """Return the known names by the texts that remain if one of their letters is removed."""
    found: dict[str, list[str]] = {}
    for agent in _CURRENT:
        if len(agent.token) >= _SHORTEST and " " not in agent.token:
            for key in _with_gaps(agent.token.lower()):
                found.setdefault(key, []).append(agent.token)
    return found


def _with_gaps(name: str) -> set[str]:
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}
