"""Hostile pages and headers: they are read, the answers are right, and nothing raises.

Each large page takes tenths of a second. A parser with quadratic time exceeds the limit of each test.
"""

import tracemalloc

import growth
import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.page.encoding import PAGE_LIMIT
from comity.protocol.page.markup import attributes_of
from comity.protocol.page.statements import KEPT, PageStanding

selectolax = pytest.importorskip("comity.integrations.selectolax")

META = "<meta name=robots content=noindex>"
SIZE = 600_000

#: Maximum processor time of a test, in units of `growth.at_most`.
UNITS = 60


@pytest.fixture(autouse=True)
def bounded():
    with growth.at_most(UNITS):
        yield


#: What is repeated, to a hundred thousand characters or to `SIZE`, and whether a META tag behind it is still one.
REPEATED = {
    "<div>": True,
    "<b>": True,
    "<div data-nosnippet>": True,
    "<div></b>": True,
    "<": True,
    "</": False,
    "<!": False,
    "<!-": False,
    "<?": False,
    "<!--": False,
    "<!--->": True,
    "<!---": False,
    "<a ": False,
    "<a x='": False,
    "<a =": False,
    "<script>": False,
    "<script><!--<script>": False,
    "<script></script>": True,
    "<title>": False,
    "<title></title>": True,
    "<title></titl": False,
    "<![CDATA[": False,
    "<meta name=a>": True,
    "&": True,
    "</a>": True,
    "<noindex>": True,
    "<x:noindex>": True,
    "<a:b:noindex ": False,
    "<x:": False,
    "<x xmlns:x=y>": True,
    "<div class=robots-nocontent>": True,
    "<p class=robots-nocontent>": True,
    "<b class='robots-nocontent": False,
    "<b class ": False,
    "<!--googleoff: all-->": True,
    "<a href=x>": True,
}


@pytest.mark.parametrize(("piece", "found"), REPEATED.items())
def test_repeated_markup(piece, found):
    html = piece * (100_000 // len(piece)) + META

    assert bool(comity.page_directives(html=html, agent="x").index) is not found
    elements = selectolax.elements(html)
    assert bool(comity.page_directives(html=html, elements=elements, agent="x").index) is not found


@pytest.mark.parametrize("piece", ["<div>", "<b>", "<div data-nosnippet>", "<!--", "<", "<a x='"])
def test_large_page_of_repeated_markup(piece):
    page = comity.page_directives(html=piece * (SIZE // len(piece)) + META, agent="x")

    assert bool(page.index) is not REPEATED[piece]
    assert not page.truncated


@pytest.mark.parametrize("piece", ["x ", "x=y ", "=", "/", " ", "\n", "x='' ", "content=noindex "])
def test_one_large_tag(piece):
    html = "<meta name=robots " + piece * (SIZE // len(piece)) + f">{META}"

    assert not comity.page_directives(html=html, agent="x").index


@pytest.mark.parametrize("piece", ["-", "--!", "->", "<!--", "noindex"])
def test_one_large_comment(piece):
    html = "<!--" + piece * (SIZE // len(piece)) + f"-->{META}"

    assert not comity.page_directives(html=html, agent="x").index


@pytest.mark.parametrize("reference", ["&", "&#", "&#9", "&#x", "&amp", "&amp;", "&#65;", "&copy"])
def test_value_with_very_many_references(reference):
    html = f"<meta name=robots content='{reference * (200_000 // len(reference))},noindex'>"

    assert not comity.page_directives(html=html, agent="x").index


@pytest.mark.parametrize("head", ["<i class=robots-nocontent>", "<x:noindex>", "<i xmlns:a=b><a:noindex>"])
@pytest.mark.parametrize(
    "piece", ["<i>", "</i>", "<i class=a>", "<a:noindex>", "xmlns:", "class=", "<b:noindex"]
)
def test_regions_of_repeated_markup(head, piece):
    page = comity.page_directives(html=head + piece * (60_000 // len(piece)), agent="x")

    assert len(page.regions) <= 2
    assert not any(region.closed for region in page.regions) or piece in ("<i>", "</i>")


def test_very_many_names_with_the_class():
    html = "".join(f"<b{n} class=robots-nocontent></b{n}>" for n in range(20_000))

    assert len(comity.page_directives(html=html, agent="x").regions) == 20_000


def test_very_many_metas():
    """The last one counts like the first."""
    html = "<meta name=a>" * 40_000 + META
    assert not comity.page_directives(html=html, agent="x").index

    html = "<meta name=robots content=a>" * 20_000 + "<meta name=robots content=max-snippet:7,noindex>"
    page = comity.page_directives(html=html, agent="x")
    assert (bool(page.index), page.max_snippet) == (False, 7)
    assert len(page.statements) == KEPT + 2
    assert page.omitted == 20_000 - KEPT


def test_strictest_of_many_limits_is_kept():
    html = "<meta name=robots content='" + ",".join(f"max-snippet:{n}" for n in range(99_999, 8, -1)) + "'>"
    page = comity.page_directives(html=html, agent="x")

    assert page.max_snippet == 9
    assert len(page.statements) == KEPT + 1
    assert [one.value for one in page.statements if one.standing is PageStanding.APPLIES] == [9]


@pytest.mark.parametrize(
    "value", ["a:", ",", "unavailable_after: Wed,", "noindex,", "max-snippet:", ";", "a=b;", " "]
)
@pytest.mark.parametrize("field", ["X-Robots-Tag", "Robots-Tag"])
def test_large_headers(field, value):
    page = comity.page_directives(headers=[(field, value * (250_000 // len(value)))] * 2, agent="x")

    assert len(page.statements) <= KEPT + 30


def test_links_are_resolved_lazily():
    page = comity.page_directives(html="<a href='http://[x'>" * 20_000, agent="x", url="https://example.com")

    assert len(page.anchors) == 20_000
    assert page.links[0].url is None


def test_content_after_the_limit_is_ignored():
    html = b" " * PAGE_LIMIT + META.encode()
    page = comity.page_directives(html=html, agent="x")

    assert page.truncated
    assert page.index


TOKENS = (
    "< </ <!-- --> --!> > <meta <a <div <script <title </script </title <noindex> </noindex> <base name= robots "
    "content= noindex none href= rel=nofollow data-nosnippet ' \" = / & &#65 &amp; , : ; max-snippet 5 \n \r \0 x "
    "<!--googleoff:all--> <!--googleon:all--> <x:noindex> </x:noindex> class= robots-nocontent unavailable_after charset=koi8-r <svg> <template> <table> é \ud800"
)  # fmt: skip
MARKUP = st.lists(st.sampled_from(TOKENS.split(" ")) | st.just(" "), max_size=60).map("".join)


@given(MARKUP, st.sampled_from(["restrictive", "yandex"]), st.none() | st.floats(allow_nan=False))
def test_any_markup_is_accepted(html, policy, now):
    page = comity.page_directives(html=html, agent="x", conflicts=policy, now=now, url="https://example.com/")

    check(page, len(html))
    octets = html.encode(errors="replace")
    check(comity.page_directives(html=octets, agent="x", conflicts=policy, now=now), len(octets))
    check(comity.page_directives(html=html, elements=selectolax.elements(html), agent="x"), len(html))


@given(st.binary(max_size=300))
def test_any_bytes_are_accepted(html):
    check(comity.page_directives(html=html, agent="x"), len(html))


FIELDS = st.sampled_from(["X-Robots-Tag", "robots-tag", "Content-Type", b"x-robots-tag", "Date"])
WORDS = (
    "noindex none all max-snippet max-image-preview large unavailable_after : , ; = 5 -1 bot x Wed * 2020-01-01 "
    "index indexifembedded charset=utf-16 text/html \x1b é"
)
VALUES = st.lists(st.sampled_from(WORDS.split()) | st.just(" "), max_size=20).map("".join)


@given(st.lists(st.tuples(FIELDS, VALUES | st.text(max_size=40) | st.binary(max_size=40)), max_size=6))
def test_any_header_is_accepted(headers):
    check(comity.page_directives(html=b"<a href=x>", headers=headers, agent="x", now=1e9), 10)


@given(
    st.lists(
        st.sampled_from(
            ["noindex", "nofollow", "noarchive", "max-snippet:5", "max-snippet:9", "index", "all"]
        )
    )
)
def test_order_of_rules_does_not_matter(rules):
    """The answers are the same for any distribution of the rules over tags and lines."""
    together = comity.page_directives(headers=[("X-Robots-Tag", ",".join(rules))], agent="x")
    apart = comity.page_directives(
        html="".join(f"<meta name=robots content={rule}>" for rule in reversed(rules)), agent="x"
    )

    for question in ("index", "follow", "archive", "snippet"):
        assert bool(getattr(together, question)) is bool(getattr(apart, question))
    assert together.max_snippet == apart.max_snippet


def test_memory_for_a_tag_with_many_attributes_is_bounded():
    html = f"<a {'x=y ' * 250_000}href=/b>"
    end = len(html) - 1
    tracemalloc.start()
    try:
        assert attributes_of(html, 2, end) == {"href": "/b"}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def check(page, length):
    assert isinstance(page.explain(), str)
    for question in ("index", "index_if_embedded", "follow", "archive", "snippet", "ai", "image_ai"):
        answer = getattr(page, question)
        assert isinstance(answer.explain(), str)
        assert bool(answer) or answer.rule
    for limit in (page.max_snippet, page.max_video_preview):
        assert limit is None or limit >= 0
    for link in page.links:
        assert link.line >= 1
    for region in page.regions:
        assert 0 <= region.start <= region.end <= length
        assert 1 <= region.line <= region.end_line
