"""Questions about the strings of an Arrow array, answered where they lie."""

import pytest

import comity
from comity.protocol.robotstxt.engine.arrow import strings_of
from comity.protocol.robotstxt.engine.reference import RankedRules

pa = pytest.importorskip("pyarrow", reason="pyarrow has no wheels for musl")

RULES = comity.parse("User-agent: *\nDisallow: /x\nDisallow: /é\nAllow: /x/y").rules_for("ExampleBot")
URLS = [
    "/x",
    "https://example.com/a",
    "",
    "/x/y?z",
    "/caf\u00e9",
    "/é" * 40,
    "http://example.com/x#y",
    "x",
    "/%c3%a9",
]


@pytest.fixture(params=["chosen engine", "reference"], autouse=True)
def rules(request):
    if request.param == "reference":
        return RankedRules(comity.protocol.robotstxt.RFC9309, RULES.raw_groups)
    return RULES


TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(),
         pa.dictionary(pa.int32(), pa.string())]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_of_strings(rules, kind):
    array = pa.array(URLS, pa.string()).cast(kind) if "dictionary" in str(kind) else pa.array(URLS, kind)

    assert rules.allowed_many(array) == RULES.allowed_many(URLS)


def test_nulls_slices_and_chunks(rules):
    with_nulls = [None, *URLS, None, "/x"] * 5
    expected = tuple(url is not None and RULES.allowed(url) for url in with_nulls)
    array = pa.array(with_nulls)

    assert rules.allowed_many(array) == expected
    assert rules.allowed_many(array[7:31]) == expected[7:31]
    assert (
        rules.allowed_many(pa.chunked_array([array[3:9], array[:0], array[20:]]))
        == expected[3:9] + expected[20:]
    )
    assert rules.allowed_many(pa.table({"url": array})["url"]) == expected
    assert rules.allowed_many(pa.array([], pa.string())) == ()
    assert rules.allowed_many(pa.array([None, None], pa.string())) == (False, False)


@pytest.mark.parametrize("array", [pa.array([1, 2]), pa.array([["/x"]]), pa.chunked_array([[1.5]])], ids=str)
def test_other_types_raise(rules, array):
    with pytest.raises(TypeError, match="Arrow arrays of strings"):
        rules.allowed_many(array)


@pytest.mark.parametrize("offsets", [(0, 9, 2), (0, -1, 2), (0, 2, 1, 2)])
def test_invalid_offsets_raise(rules, offsets):
    """Arrow does not look at the offsets of a file that it reads."""
    parts = [
        None,
        pa.py_buffer(b"".join(n.to_bytes(4, "little", signed=True) for n in offsets)),
        pa.py_buffer(b"/x"),
    ]
    array = pa.Array.from_buffers(pa.string(), len(offsets) - 1, parts)

    with pytest.raises(ValueError, match="outside of its buffer"):
        rules.allowed_many(array)


def test_short_array_raises():
    class Short:
        type, offset = "string", 0

        def buffers(self):
            return None, bytes(12), b"/x"

        def __len__(self):
            return 9

    with pytest.raises(ValueError, match="shorter than it says"):
        strings_of(Short())


def test_url_that_no_robots_txt_covers_is_not_allowed(rules):
    assert rules.allowed_many(pa.array(["/a", "mailto:someone@example.com", "/b"])) == (True, False, True)
