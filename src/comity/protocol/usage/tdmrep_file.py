"""TDMRep (W3C Community Group, 2024): whether the right to mine text and data is reserved.

A site states it in `/.well-known/tdmrep.json`, in header fields or in META tags. A source closer to the
content overrides the others, property by property. A missing property overrides nothing.
"""

from collections.abc import Iterable, Sequence

from ..page.markup import Meta
from ..robotstxt.engine.dialect import RFC9309
from ..robotstxt.engine.matcher import Matcher, compile_pattern
from ..robotstxt.engine.paths import pattern_reader
from ..robotstxt.fields.preferences import TDM
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference
from ..text import to_bytes
from ..value import Value

#: The categories of use that a reservation covers: mining, and training, which is a form of mining.
CATEGORIES = (TDM, "train-ai")

#: Maximum size of a file in bytes, the same as for robots.txt. Real files have a few entries.
LIMIT = 512 * 1024

#: Maximum number of statements of one source that are kept even if they repeat a preference.
_KEPT = 100

_RESERVATIONS = {"1": Preference.DISALLOW, "0": Preference.ALLOW}


class TdmEntry(Value):
    """One entry of the file: a path pattern, the reservation, and the URL of the policy.

    `location` is the pattern. `policy` is `None` if the entry has none. `preference` is `UNKNOWN` if the
    reservation is neither 1 nor 0. `number` counts from 1.

    >>> found = tdmrep('[{"location": "/news/*", "tdm-reservation": 1}]')
    >>> [(entry.number, entry.location, entry.preference) for entry in found.matching("/news/tea")]
    [(1, '/news/*', Preference.DISALLOW)]
    """

    location: str
    preference: Preference
    policy: str | None
    number: int


class TdmRep:
    """A parsed `tdmrep.json`, prepared for many paths; `tdmrep` creates it.

    `entries` are those that can be read, in file order. `fault` is the reason why the whole file is ignored,
    or `None`.

    >>> found = tdmrep('[{"location": "/news/*", "tdm-reservation": 1}]')
    >>> len(found.entries), found.fault, found.matching("/shop")
    (1, None, ())
    """

    __slots__ = ("_matcher", "entries", "fault")

    def __init__(self, entries: Sequence[TdmEntry], fault: str | None) -> None:
        """Prepare the entries, in file order."""
        read = pattern_reader(RFC9309)
        self.entries: tuple[TdmEntry, ...] = tuple(entries)
        self.fault: str | None = fault
        patterns = [compile_pattern(read(to_bytes(entry.location)), True) for entry in self.entries]
        self._matcher = Matcher(patterns, [False] * len(patterns))

    def matching(self, path: str) -> tuple[TdmEntry, ...]:
        """Return the entries that match a `path`, in file order."""
        return tuple([self.entries[rank] for rank in self._matcher.matching(path)])


def tdmrep(body: bytes | str) -> TdmRep:
    """Parse a `tdmrep.json`, which must be an array of objects; content never raises.

    `body` is the file, in UTF-8 if it is `bytes`.

    >>> file = tdmrep(b'[{"location": "/a/", "tdm-reservation": 1, "tdm-policy": "https://example.com/p"}]')
    >>> [entry.preference for entry in file.matching("/a/b")]
    [Preference.DISALLOW]
    >>> tdmrep(b'{"tdm-reservation": 1}').fault
    'the file is not a JSON array'
    """
    import json

    text = to_bytes(body)
    if len(text) > LIMIT:
        return TdmRep((), f"the file is larger than {LIMIT:,} bytes")
    try:
        found = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # the latter if it is nested too deeply
        return TdmRep((), "the file is not valid JSON")
    if not isinstance(found, list):
        return TdmRep((), "the file is not a JSON array")
    read = (_entry(entry, number) for number, entry in enumerate(found, 1) if isinstance(entry, dict))
    return TdmRep([entry for entry in read if entry is not None], None)


def _entry(members: "dict[str, object]", number: int) -> TdmEntry | None:
    location, reserved, policy = (members.get(name) for name in ("location", "tdm-reservation", "tdm-policy"))
    if not isinstance(location, str) or not location:
        return None
    preference = _RESERVATIONS.get(str(reserved) if type(reserved) is int else "", Preference.UNKNOWN)
    return TdmEntry(location, preference, policy if isinstance(policy, str) and policy else None, number)


#: The statements of one source about the reservation, and the URL of the policy that it names.
Source = tuple[list[Statement], str | None]


def from_file(file: TdmRep, path: str) -> Source:
    """Return the statements of the file about a path; the first matching entry decides.

    An entry that cannot be read is skipped. It may have been meant as a reservation, so no later entry can
    allow anything.
    """
    if file.fault is not None:
        return [_statement("tdmrep.json", None, file.fault, Preference.UNKNOWN, Standing.UNREADABLE)], None
    found: list[Statement] = []
    standing = Standing.DECIDES
    for entry in file.matching(path):
        text, preference = f'"location": "{entry.location}"', entry.preference
        if preference is Preference.UNKNOWN:
            found.append(_statement("tdmrep.json", entry.number, text, preference, Standing.UNREADABLE))
            standing = Standing.EARLIER_ENTRY
            continue
        if preference is Preference.DISALLOW:
            standing = Standing.DECIDES
        found.append(_statement("tdmrep.json", entry.number, text, preference, standing))
        return found, entry.policy
    return found, None


def from_header(reservations: Sequence[str], policies: Sequence[str]) -> Source:
    """Return the statements of the header fields; each field should occur once.

    >>> found, policy = from_header(["1"], ["https://example.com/policy"])
    >>> found[0].preference, policy
    (Preference.DISALLOW, 'https://example.com/policy')
    """
    values = ((None, value.strip()) for line in reservations for value in line.split(","))
    return _kept("header", values), _first(policies)


def from_metas(metas: Sequence[Meta]) -> Source:
    """Return the statements of META tags.

    >>> found, _ = from_metas([Meta("tdm-reservation", "0", 7, "name")])
    >>> found[0].preference, found[0].place
    (Preference.ALLOW, 7)
    """
    values = ((meta.line, meta.content.strip()) for meta in metas if meta.name == "tdm-reservation")
    return _kept("meta", values), _first(meta.content for meta in metas if meta.name == "tdm-policy")


def statements(sources: Sequence[Source]) -> list[Statement]:
    """Return the statements of all sources for each category; the source closest to the content is last."""
    policy = next((policy for _, policy in reversed(sources) if policy), None)
    found: list[Statement] = []
    overridden = False
    for of_source, _ in reversed(sources):
        for statement in reversed(of_source):
            valid = statement.standing is Standing.DECIDES
            if valid and overridden:
                statement = statement.replace(standing=Standing.CLOSER_SOURCE)
            elif valid and statement.preference is Preference.DISALLOW:
                statement = statement.replace(policy=policy)  # a policy applies only to what is reserved
            found.append(statement)
        overridden = overridden or any(one.standing is Standing.DECIDES for one in of_source)
    found.reverse()
    return [statement.replace(category=category) for category in CATEGORIES for statement in found]


def _kept(source: str, values: Iterable[tuple[int | None, str]]) -> list[Statement]:
    """Return the first statements of a source, and of the rest those with a new preference."""
    kept: list[Statement] = []
    seen: set[Preference] = set()
    for line, value in values:
        preference = _RESERVATIONS.get(value, Preference.UNKNOWN)
        if len(kept) < _KEPT or preference not in seen:
            standing = Standing.UNREADABLE if preference is Preference.UNKNOWN else Standing.DECIDES
            kept.append(_statement(source, line, f"tdm-reservation: {value}", preference, standing))
            seen.add(preference)
    return kept


def _first(policies: Iterable[str]) -> str | None:
    return next((policy.strip() for policy in policies if policy.strip()), None)


def _statement(
    source: str, place: int | None, text: str, preference: Preference, standing: Standing
) -> Statement:
    return Statement("tdmrep", source, place, text, TDM, preference, standing, None)
