"""Entries: what is written is read again, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_backends import make_access

from comity.politeness.stores import stored_access as entry
from comity.protocol.access.outcome import Cause, Outcome

_times = st.floats(allow_nan=False, allow_infinity=False)
_texts = st.text(st.characters(exclude_categories=()), max_size=20)

accesses = st.builds(
    make_access,
    origin=_texts,
    body=st.binary(max_size=200),
    policy=_texts,
    dialect=st.sampled_from(["rfc9309", "google", "draft1996", "1994"]),
    outcome=st.sampled_from(Outcome),
    cause=st.sampled_from(Cause),
    detail=_texts,
    status=st.none() | st.integers(0, 999),
    url=_texts,
    hops=st.lists(st.tuples(_texts, st.integers(300, 399)), max_size=3).map(tuple),
    checked=_times,
    expires=_times,
    failing_since=st.none() | _times,
    truncated=st.booleans(),
    fetched=st.none() | _times,
    etag=st.none() | _texts,
    last_modified=st.none() | _texts,
    content_type=st.none() | _texts,
)


def forged(**changes):
    """Give an entry whose digest is right and whose fields may not be."""
    header, _, body = entry.encode(make_access()).partition(b"\n")[2].partition(b"\n")
    fields = {**json.loads(header), **changes}
    content = json.dumps({name: value for name, value in fields.items() if value != "absent"}).encode()
    return sealed(content + b"\n" + body)


def sealed(content):
    return b"comity access 1 " + entry._digest(content) + b"\n" + content


@given(accesses)
def test_decode_reverses_encode(access):
    assert entry.decode(entry.encode(access)) == access


@given(accesses, st.data())
def test_damaged_entry_is_rejected(access, data):
    octets = bytearray(entry.encode(access))
    place = data.draw(st.integers(0, len(octets) - 1))
    octets[place] ^= data.draw(st.integers(1, 255))

    assert entry.decode(bytes(octets)) is None


@given(accesses, st.data())
def test_truncated_entry_is_rejected(access, data):
    octets = entry.encode(access)

    assert entry.decode(octets[: data.draw(st.integers(0, len(octets) - 1))]) is None
    assert entry.decode(octets + b"\n") is None


@given(st.binary() | st.binary().map(sealed))
def test_arbitrary_bytes_are_accepted_as_input(octets):
    assert entry.decode(octets) is None


def test_forged_entry_with_valid_digest_is_decoded():
    assert entry.decode(forged()) == make_access()


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": None},
        {"origin": 3},
        {"origin": "absent"},
        {"more": 1},
        {"dialect": "bing"},
        {"dialect": []},
        {"outcome": "MAYBE"},
        {"cause": "ok"},
        {"cause": {}},
        {"status": "200"},
        {"status": True},
        {"status": -1},
        {"status": 1000},
        {"hops": None},
        {"hops": ["ab"]},
        {"hops": [["x", 301, 2]]},
        {"hops": [[301, "x"]]},
        {"hops": 7},
        {"hops": [7]},
        {"checked": None},
        {"checked": float("nan")},
        {"checked": float("inf")},
        {"checked": 10**400},
        {"expires": float("nan")},
        {"expires": "inf"},
        {"expires": float("inf")},
        {"fetched": True},
        {"truncated": 0},
    ],
)
def test_field_of_wrong_type_is_rejected(changes):
    assert entry.decode(forged(**changes)) is None


@pytest.mark.parametrize(
    "octets",
    [
        None,
        "text",
        b"",
        entry.encode(make_access()).replace(b"access 1", b"access 2", 1),
        sealed(b"[]\n"),
        sealed(b"null"),
        sealed(b"[" * 100_000),
        sealed(b"1" * 10_000),
        sealed(b"\xff\n"),
        sealed(b"x" * (entry.LIMIT + 1)),
    ],
)
def test_invalid_entries_are_rejected(octets):
    assert entry.decode(octets) is None


def test_entry_larger_than_limit_is_not_encoded():
    assert entry.encode(make_access(body=b"x" * entry.LIMIT)) is None


def restored(octets, origin="https://example.com"):
    return entry.restore(octets, origin, entry.RejectedEntries())


def test_valid_entry_is_restored():
    assert restored(forged()) == make_access()


FAILING = {"outcome": "RULES", "cause": "SERVER_ERROR", "failing_since": 900.0, "status": 503}


@pytest.mark.parametrize(
    "changes",
    [
        FAILING,
        {**FAILING, "outcome": "UNAVAILABLE"},
        {
            "cause": "NOT_MODIFIED",
            "hops": [["https://example.com/robots.txt", 301]],
            "url": "http://b.example/r",
        },
        {"cause": "NOT_TEXT", "detail": "an HTML page", "policy": "own"},
    ],
)
def test_entries_of_every_fetch_are_restored(changes):
    assert restored(forged(**changes)) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "https://other.example"},
        {"etag": "\ud800"},
        {"etag": 'W/"1"\r\nCookie: x'},
        {"etag": "x" * 1025},
        {"etag": ""},
        {"last_modified": "\x00"},
        {"content_type": "caf\u00e9"},
        {"expires": 10.0},
        {"expires": 1e300},
        {"expires": 1000.0 + 367 * 86_400},
        {"checked": -1.0},
        {"fetched": -1.0},
        {**FAILING, "failing_since": 2000.0},
        {"outcome": "UNAVAILABLE"},
        {"outcome": "UNREACHABLE"},
        {"outcome": "UNAVAILABLE", "cause": "NOT_FOUND"},
        {"cause": "NOT_FOUND"},
        {"status": 404},
        {"status": 302},
        {**FAILING, "status": 404},
        {**FAILING, "cause": "NOT_FOUND", "status": 404},
        {"cause": "NO_POLICY", "outcome": "UNAVAILABLE"},
        {"fetched": None},
        {"policy": ""},
        {"policy": "a\nb"},
        {"url": "file:///etc/passwd"},
        {"url": "https://other.example/robots.txt"},
        {"url": ""},
        {"url": "https://example.com/\r\n"},
        {"hops": [["https://other.example/robots.txt", 301]]},
        {"hops": [["https://example.com/robots.txt", 301]], "url": "file:///etc/passwd"},
        {"hops": [["https://example.com/robots.txt", 200]]},
        {"hops": [["https://example.com/robots.txt", 301]] * 101},
        {"detail": "x" * 2001},
    ],
)
def test_entry_that_no_fetch_gives_is_ignored_with_one_warning(changes, caplog):
    assert restored(forged(**changes)) is None
    assert len(caplog.records) == 1
    assert caplog.records[0].message.isprintable()


def test_invalid_entry_is_logged_once_by_a_store(caplog):
    rejected = entry.RejectedEntries()
    for octets in (forged(status=404), forged(status=404), forged(status=403)):
        assert entry.restore(octets, "https://example.com", rejected) is None
    assert len(caplog.records) == 2

    assert entry.restore(forged(status=404), "https://example.com", entry.RejectedEntries()) is None
    assert len(caplog.records) == 3


def test_number_of_entries_that_were_logged_is_bounded(monkeypatch, caplog):
    monkeypatch.setattr(entry, "_MAX_REJECTED", 2)
    rejected = entry.RejectedEntries()
    for number in range(5):
        rejected.add("https://example.com", "x", str(number).encode())
    assert len(caplog.records) == 5
    assert len(rejected._logged) <= 2


def test_large_header_is_not_decoded():
    assert entry.decode(sealed(b'{"origin":' + b"[" * (1 << 20) + b"\n")) is None
