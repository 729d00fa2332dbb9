"""TDMRep (W3C Community Group, 2024): whether the right to mine text and data is reserved.

A site says so in `/.well-known/tdmrep.json`, in header fields or in a page's meta elements. What comes
closer to the content overrides, property by property, and what is absent resets nothing.
"""

from collections.abc import Iterable, Sequence

from ..page.metas import Meta
from ..robotstxt.dialect import RFC9309
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference
from ..robotstxt.lexer import octets
from ..robotstxt.matcher import Matcher, compile_pattern
from ..robotstxt.paths import pattern_reader
from ..value import Value

__all__ = [
    "CATEGORIES",
    "TdmEntry",
    "TdmRep",
    "from_file",
    "from_header",
    "from_metas",
    "statements",
    "tdmrep",
]

#: The uses that a reservation speaks of: mining, and training, which is a way to mine.
CATEGORIES = ("tdm", "train-ai")

#: A larger file is not read; it is as much as is read of a robots.txt. Real ones have a few entries.
LIMIT = 512 * 1024

#: So many statements of one source are kept, whatever they say.
_KEPT = 100

_RESERVATIONS = {"1": Preference.DISALLOW, "0": Preference.ALLOW}


class TdmEntry(Value):
    """One entry of the file: a path pattern, the reservation, and the URL of the policy.

    `preference` is `UNKNOWN` where the reservation is neither 1 nor 0. `number` counts from 1.
    """

    __slots__ = ("location", "preference", "policy", "number")
    location: str
    preference: Preference
    policy: str | None
    number: int


class TdmRep:
    """A `tdmrep.json` that was read; made by `tdmrep`, ready for many questions.

    `fault` says why nothing of the file can be used, and is `None` where it can.
    """

    __slots__ = ("_matcher", "entries", "fault")

    def __init__(self, entries: Sequence[TdmEntry], fault: str | None) -> None:
        """Take the entries, in sequence."""
        read = pattern_reader(RFC9309)
        self.entries = tuple(entries)
        self.fault = fault
        patterns = [compile_pattern(read(octets(entry.location)), True) for entry in self.entries]
        self._matcher = Matcher(patterns, [False] * len(patterns))

    def matching(self, path: str) -> list[TdmEntry]:
        """Give the entries that match a path, in sequence."""
        return [self.entries[rank] for rank in self._matcher.matching(path)]


def tdmrep(body: bytes | str) -> TdmRep:
    """Read a `tdmrep.json`, which has to be an array of objects; content never raises.

    >>> file = tdmrep(b'[{"location": "/a/", "tdm-reservation": 1, "tdm-policy": "https://example.com/p"}]')
    >>> [entry.preference for entry in file.matching("/a/b")]
    [Preference.DISALLOW]
    >>> tdmrep(b'{"tdm-reservation": 1}').fault
    'it is no array'
    """
    import json

    text = octets(body)
    if len(text) > LIMIT:
        return TdmRep((), f"it is larger than {LIMIT:,} octets")
    try:
        found = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # what is nested too deep is as good as no JSON
        return TdmRep((), "it is no JSON")
    if not isinstance(found, list):
        return TdmRep((), "it is no array")
    read = (_entry(entry, number) for number, entry in enumerate(found, 1) if isinstance(entry, dict))
    return TdmRep([entry for entry in read if entry is not None], None)


def _entry(found: "dict[str, object]", number: int) -> TdmEntry | None:
    location, reserved, policy = (found.get(name) for name in ("location", "tdm-reservation", "tdm-policy"))
    if not isinstance(location, str) or not location:
        return None
    said = _RESERVATIONS.get(str(reserved) if type(reserved) is int else "", Preference.UNKNOWN)
    return TdmEntry(location, said, policy if isinstance(policy, str) and policy else None, number)


#: What one source says of the reservation, and the URL of the policy that it names.
Source = tuple[list[Statement], str | None]


def from_file(file: TdmRep, path: str) -> Source:
    """Give what the file says of a path: of the entries that match, the first decides.

    An entry that cannot be read says nothing. It may have been meant to reserve, so that nothing after it
    allows anything.
    """
    if file.fault is not None:
        return [_statement("tdmrep.json", None, file.fault, Preference.UNKNOWN, Standing.UNREADABLE)], None
    found: list[Statement] = []
    standing = Standing.DECIDES
    for entry in file.matching(path):
        text, said = f'"location": "{entry.location}"', entry.preference
        if said is Preference.UNKNOWN:
            found.append(_statement("tdmrep.json", entry.number, text, said, Standing.UNREADABLE))
            standing = Standing.EARLIER_ENTRY
            continue
        if said is Preference.DISALLOW:
            standing = Standing.DECIDES
        found.append(_statement("tdmrep.json", entry.number, text, said, standing))
        return found, entry.policy
    return found, None


def from_header(reservations: Sequence[str], policies: Sequence[str]) -> Source:
    """Give what the header fields say, each of which should stand there once.

    >>> said, policy = from_header(["1"], ["https://example.com/policy"])
    >>> said[0].preference, policy
    (Preference.DISALLOW, 'https://example.com/policy')
    """
    values = ((None, value.strip()) for line in reservations for value in line.split(","))
    return _kept("header", values), _first(policies)


def from_metas(metas: Sequence[Meta]) -> Source:
    """Give what the meta elements say.

    >>> said, _ = from_metas([Meta("tdm-reservation", "0", 7)])
    >>> said[0].preference, said[0].place
    (Preference.ALLOW, 7)
    """
    said = ((meta.line, meta.content.strip()) for meta in metas if meta.name == "tdm-reservation")
    return _kept("meta", said), _first(meta.content for meta in metas if meta.name == "tdm-policy")


def statements(sources: Sequence[Source]) -> list[Statement]:
    """Give all that was said, of each category; sources come in order, the closest to the content last."""
    policy = next((policy for _, policy in reversed(sources) if policy), None)
    told: list[Statement] = []
    overridden = False
    for said, _ in reversed(sources):
        for one in reversed(said):
            valid = one.standing is Standing.DECIDES
            if valid and overridden:
                one = one.replace(standing=Standing.CLOSER_SOURCE)
            elif valid and one.preference is Preference.DISALLOW:
                one = one.replace(policy=policy)  # where nothing is reserved, a policy means nothing
            told.append(one)
        overridden = overridden or any(one.standing is Standing.DECIDES for one in said)
    told.reverse()
    return [one.replace(category=category) for category in CATEGORIES for one in told]


def _kept(source: str, values: Iterable[tuple[int | None, str]]) -> list[Statement]:
    """Keep the first statements of one source, and of the rest those that say what none before them said."""
    kept: list[Statement] = []
    heard: set[Preference] = set()
    for line, value in values:
        said = _RESERVATIONS.get(value, Preference.UNKNOWN)
        if len(kept) < _KEPT or said not in heard:
            standing = Standing.UNREADABLE if said is Preference.UNKNOWN else Standing.DECIDES
            kept.append(_statement(source, line, f"tdm-reservation: {value}", said, standing))
            heard.add(said)
    return kept


def _first(policies: Iterable[str]) -> str | None:
    return next((policy.strip() for policy in policies if policy.strip()), None)


def _statement(source: str, place: int | None, text: str, said: Preference, standing: Standing) -> Statement:
    return Statement("tdmrep", source, place, text, "tdm", said, standing, None)
