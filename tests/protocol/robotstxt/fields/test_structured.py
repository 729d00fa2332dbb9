"""The Dictionary parser: RFC 9651 by its sections, and beside another parser of it."""

import http_sf
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comity.protocol.robotstxt.fields.structured import Malformed, dictionary

# value, and for each key its kind and text
READ = [
    (b"", {}),
    (b"  ", {}),
    (b"train-ai=n", {"train-ai": ("token", b"n")}),
    (b" a ", {"a": ("boolean", b"")}),
    (b"a=1,\tb=-2.5 , c", {"a": ("integer", b"1"), "b": ("decimal", b"-2.5"), "c": ("boolean", b"")}),
    (b"a;x=1;  y, b", {"a": ("boolean", b""), "b": ("boolean", b"")}),
    (b"a=n;x=(1", None),
    (b"a=1, a=y", {"a": ("token", b"y")}),
    (b"a=y, a", {"a": ("boolean", b"")}),
    (b"a=(b c;x=1  \"d\");z", {"a": ("inner-list", b"(b c;x=1  \"d\")")}),
    (b"a=()", {"a": ("inner-list", b"()")}),
    (b"a=((b))", None),
    (b"a=(b\tc)", None),
    (b"a=(b", None),
    (b'a="x\\"\\\\y"', {"a": ("string", b'"x\\"\\\\y"')}),
    (b'a="x\\y"', None),
    (b'a="x', None),
    (b'a="x\\', None),
    (b'a="\x7f"', None),
    (b"a=:YQ==:", {"a": ("byte-sequence", b":YQ==:")}),
    (b"a=:YQ:", {"a": ("byte-sequence", b":YQ:")}),
    (b"a=::", {"a": ("byte-sequence", b"::")}),
    (b"a=:Y:", None),
    (b"a=:Y=Q=:", None),
    (b"a=:=:", None),
    (b"a=:YQ", None),
    (b"a=?1", {"a": ("boolean", b"?1")}),
    (b"a=?2", None),
    (b"a=?", None),
    (b"a=@1659578233", {"a": ("date", b"@1659578233")}),
    (b"a=@1.0", None),
    (b"a=@", None),
    (b'a=%"caf%c3%a9"', {"a": ("display-string", b'%"caf%c3%a9"')}),
    (b'a=%"caf%C3%A9"', None),
    (b'a=%"%c3"', None),
    (b'a=%"%c', None),
    (b"a=%x", None),
    (b"a=999999999999999", {"a": ("integer", b"999999999999999")}),
    (b"a=1000000000000000", None),
    (b"a=123456789012.123", {"a": ("decimal", b"123456789012.123")}),
    (b"a=1234567890123.1", None),
    (b"a=1.1234", None),
    (b"a=1.", None),
    (b"a=-", None),
    (b"a=", None),
    (b"a= y", None),
    (b"a =y", None),
    (b"a;", None),
    (b"a=y;X=1", None),
    (b"a=y,", None),
    (b"a=y, ", None),
    (b",a", None),
    (b"a,,b", None),
    (b"a b", None),
    (b"\ta", None),
    (b"A=y", None),
    (b"-a=y", None),
    (b"*a_b-c.d*=*:/!", {"*a_b-c.d*": ("token", b"*:/!")}),
    (b"a=caf\xc3\xa9", None),
    (b"a=n\0", None),
]  # fmt: skip


@pytest.mark.parametrize(("octets", "expected"), READ)
def test_dictionary(octets, expected):
    if expected is None:
        with pytest.raises(Malformed):
            dictionary(octets)
    else:
        assert {key: (member.kind, member.text) for key, member in dictionary(octets).items()} == expected


@pytest.mark.parametrize(
    ("octets", "position"),
    [(b"Train-AI=n", 0), (b"a=y,", 3), (b"a=y b", 4), (b"a=y, B=n", 5), (b'a="x', 4), (b"a=", 2)],
)
def test_where_the_fault_is(octets, position):
    with pytest.raises(Malformed) as fault:
        dictionary(octets)
    assert fault.value.position == position


def test_members_know_where_they_stand():
    octets = b"train-ai=n;x=1, search"

    assert [octets[it.start : it.end] for it in dictionary(octets).values()] == [b"train-ai=n", b"search"]


_bits = st.sampled_from(
    [
        b"a", b"train-ai", b"*b", b"Z", b"y", b"n", b"=", b"=", b",", b", ", b"\t", b" ", b";", b"; ", b"(", b")", b'"',
        b'"x\\"y"', b"\\", b":", b":YQ==:", b":YQ:", b":Y=:", b"?1", b"?0", b"?", b"@1", b"@-1", b"@1.0", b'%"%c3%a9"',
        b'%"', b"%e9", b"1", b"-", b"1.5", b".", b"123456789012", b"1234567890123456", b"/", b"!", b"\x00", b"\xc3\xa9",
    ]
)  # fmt: skip


@given(st.lists(_bits, max_size=14).map(b"".join) | st.binary(max_size=40))
@example(b"a=n;x=(1)")
@example(b"a=:YR==:")
def test_another_parser_agrees(octets):
    """http-sf, by an author of RFC 9651: the same keys in the same order, and the same Tokens."""
    try:
        theirs = http_sf.parse(octets, tltype="dictionary")
    except ValueError:
        with pytest.raises(Malformed):
            dictionary(octets)
        return
    ours = dictionary(octets)
    assert set(ours) == set(theirs)
    for key, (value, _) in theirs.items():
        if isinstance(value, http_sf.Token):
            assert (ours[key].kind, ours[key].text) == ("token", str(value).encode())
        else:
            assert ours[key].kind != "token"


def position_of_fault(octets):
    try:
        dictionary(octets)
    except Malformed as fault:
        return fault.position
    return 0


@given(st.binary(max_size=60))
def test_any_octets_are_read_or_refused_within_them(octets):
    assert 0 <= position_of_fault(octets) <= len(octets)


@pytest.mark.parametrize(
    "octets",
    [b"a=(" * 50_000, b"a," * 50_000, b"a=" + b"(" * 300_000, b'a="' + b"\\\\" * 50_000, b"a" + b";b" * 50_000,
     b"a=:" + b"=" * 300_000, b"a=" + b"1" * 300_000, b" " * 500_000, b"k" * 500_000],
)  # fmt: skip
def test_large_values(octets):
    assert position_of_fault(octets) <= len(octets)
