"""Tags, comments and raw text as browsers see them, encodings, links and regions of the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.page.encoding import PAGE_LIMIT, decoded, encoding_of
from comity.protocol.page.markup import Meta, body_start, elements, meta_of

selectolax = pytest.importorskip("comity.integrations.selectolax")

META = "<meta name=robots content=noindex>"
PARSERS = pytest.mark.parametrize("parser", [elements, selectolax.elements], ids=["scanner", "selectolax"])


@PARSERS
@pytest.mark.parametrize(
    ("html", "found"),
    [
        (META, True),
        ("<META\nNAME = 'ROBOTS'\tCONTENT = \"noindex\"/>", True),
        ("<meta/name='robots'/content='noindex'/>", True),
        ("<meta/name=robots/content=noindex>", False),  # one long value
        ("<meta name=robots content='a, noindex' content=all>", True),
        ("<meta name=robots name=x content=noindex>", True),
        ("<meta name=robots content=&#110;o&#x49;ndex>", True),
        ("<meta name=robots content='foo&comma;noindex'>", True),
        ("<metaname=robots content=noindex>", False),
        ("<meta name=robots content=noindex", False),
        ("<meta name=robots content='noindex>", False),
        # text that looks like a tag
        (f"<!-- {META} -->", False),
        (f"<!-- {META}", False),
        (f"<!-->{META}", True),
        (f"<!--->{META}", True),
        (f"<!-- --!>{META}", True),
        (f"<!--!> {META} -->", False),
        (f"<!-- -- > {META} -->", False),
        (f"<!doctype html '>{META}", True),
        (f"<!x {META} x>", False),
        (f"<? {META} ?>", False),
        (f"</ {META} >", False),
        (f"</>{META}", True),
        (f"< {META}", True),
        (f"<3{META}", True),
        (f"a<b {META}>", False),  # an attribute called `<meta`
        (f"<b title='{META}'>", False),
        (f"<b title=\"{META}\">", False),
        (f"<b title={META}", False),
        (f"<b title = '\"'>{META}", True),
        (f"<b '>{META}<b '>", True),
        (f"<b =\">{META}", True),
        (f"<b =='>' >{META}", True),
        (f"<b a=b'>{META}", True),
        (f"<b a= >{META}", True),
        (f"</b title='{META}'>", False),
        (f"</b title='>'>{META}", True),
        # raw text
        (f"<script>{META}</script>", False),
        (f"<SCRIPT>'</scripts>{META}'</Script >", False),
        (f"<script></script/>{META}", True),
        (f"<script><!-- <script> </script> {META} </script>", False),
        (f"<script><!-- <script> </script> </script> {META}", True),
        (f"<script><!-- <script> </script> --> </script>{META}", True),
        (f"<script><!--><script></script>{META}", True),
        (f"<script><!-- --><script></script>{META}", True),
        (f"<style>{META}</style>", False),
        (f"<style>{META}", False),
        (f"<title>{META}</title>", False),
        (f"<title></title{META}</title>", False),
        (f"<textarea>{META}</textarea>", False),
        (f"<xmp>{META}</xmp>", False),
        (f"<iframe>{META}</iframe>", False),
        (f"<noembed>{META}</noembed>", False),
        (f"<noframes>{META}</noframes>", False),
        (f"<plaintext>{META}</plaintext>{META}", False),
        (f"<titles>{META}</titles>", True),
        # wherever it stands
        (f"<noscript>{META}</noscript>", True),
        (f"<template><template>{META}</template></template>", True),
        (f"<table><tr>{META}</table>", True),
        (f"<svg><desc>{META}</desc></svg>", True),
        ("<meta name=robots content='<a x>,noindex'>", True),
        ("\ud800" + META, True),
        ("\0" + META, True),
    ],
)  # fmt: skip
def test_tags(parser, html, found):
    page = comity.page_directives(html=html, elements=parser(html), agent="x")

    assert bool(page.index) is not found


@pytest.mark.parametrize("html", [f"<script/>{META}", f"<title />{META}", f"<svg><style/></svg>{META}"])
def test_self_closing_raw_text_elements(html):
    """They are complete in XHTML and SVG; in HTML, the rest of the page would be their text."""
    assert not comity.page_directives(html=html, agent="x").index


@PARSERS
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("?a=1&copy=2", "?a=1&copy=2"),
        ("?a&copy;&copy", "?a©©"),
        ("&copyx", "&copyx"),
        ("&amp;amp", "&amp"),
        ("&nosuch;&", "&nosuch;&"),
        ("&#65&#x42;&#X43;", "ABC"),
        ("&#128;", "€"),
        ("&#0;&#xD800;&#x110000;&#" + "9" * 5000 + ";", "\ufffd" * 4),
        ("&#0000000065;", "A"),
        ("&#;&#x;", "&#;&#x;"),
    ],
)
def test_character_references(parser, written, value):
    (element,) = parser(f"<a href='{written}'>")

    assert element.attributes == {"href": value}


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<a href=/a><template><a href=/b><base href=/x/></template><a href=c>", "a a/c"),
        ("<TEMPLATE><template></template><a href=/b></template ><a href=/c>", "c"),
        ("<template><a href=/b>", ""),  # without an end, it is the rest of the page
        ("<template><script></template></script><a href=/b></template><a href=/c>", "c"),
        ("<script><template></script><a href=/b>", "b"),
        ("</template><templates><a href=/b></templates>", "b"),
        # a declarative shadow root is rendered, unless it is in a template (HTML 4.12.3)
        ("<div><template shadowrootmode=open><a href=/b><template><a href=/c></template></template>", "b"),
        ("<template><template shadowrootmode=open><a href=/b></template></template><a href=/c>", "c"),
    ],
)
def test_links_in_templates_are_not_links(html, urls):
    """HTML 4.12.3: the content of a template is not part of the document."""
    page = comity.page_directives(html=html, agent="x", url=PAGE)

    assert [link.url for link in page.links] == [f"https://example.com/{url}" for url in urls.split()]


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<!doctype html><html><head><title><p></title><style>p</style></head>\n<body>Tea", "<body>Tea"),
        ("<title>Tea</title>Tea<link>", "Tea<link>"),
        ("\ufeff<!-- <p> --><script>'<p>'</script></head><link rel=x><p>", "<p>"),
        ("<noscript><img></noscript><template><p></template><meta><iframe>", "<iframe>"),
        ("<title>Tea</br>", ""),
        ("<meta></br><link>", "</br><link>"),
        ("<bodys>", "<bodys>"),
        ("<template><p>", ""),
        ("<!-- <p>", "<!-- <p>"),
    ],
)
def test_start_of_the_body(html, body):
    """HTML 13.2.6.4.3 to 13.2.6.4.6."""
    assert html[body_start(html) :] == body


def test_only_metas_with_a_name_count():
    page = "<title>\n</title><meta name=' TDM-Reservation ' content=1>\n<meta charset=utf-8><meta name=a>"

    found = [meta_of(element) for element in elements(page)]

    assert found == [Meta("tdm-reservation", "1", 2, "name"), None, Meta("a", "", 3, "name")]


LATIN = b"caf\xe9"


@pytest.mark.parametrize(
    ("html", "content_type", "expected"),
    [
        # a byte order mark before all else
        (b"\xef\xbb\xbf<meta charset=latin1>", "text/html; charset=koi8-r", "utf-8"),
        (b"\xff\xfea\0", "text/html; charset=koi8-r", "utf-16-le"),
        (b"\xfe\xff\0a", None, "utf-16-be"),
        # the header before a META tag
        (b"<meta charset=latin1>", "text/html; charset=koi8-r", "koi8-r"),
        (b"", "text/html;charset=\"Shift_JIS\"", "cp932"),
        (b"", "text/html ; a=b; CHARSET=GB2312;", "gb18030"),
        (b"", "text/html; mycharset=koi8-r", "utf-8"),
        (b"", "text/html; charset=utf-7", "utf-8"),
        (b"<meta charset=latin1>", "text/html; charset=unheard", "cp1252"),
        (b"", "text/html; charset=utf-16", "utf-16-le"),
        # a META tag in the first 1024 bytes
        (b"<meta charset=' KOI8-R '>", None, "koi8-r"),
        (b"<meta charset=unheard><meta charset=koi8-r>", None, "koi8-r"),
        (b"<meta charset=utf-16le>", None, "utf-8"),
        (b"<meta charset=x-user-defined>", None, "cp1252"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=\"koi8-r\"'>", None, "koi8-r"),
        (b"<meta content='text/html; charset=koi8-r' http-equiv=content-type>", None, "koi8-r"),
        (b"<meta name=x content='text/html; charset=koi8-r'>", None, "utf-8"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", None, "big5hkscs"),
        (b"<script><meta charset=koi8-r></script>", None, "koi8-r"),
        (b"<b title='<meta charset=koi8-r>'>", None, "utf-8"),
        (b" " * 990 + b"<meta charset=koi8-r>", None, "koi8-r"),
        (b" " * 1010 + b"<meta charset=koi8-r>", None, "utf-8"),
        (b"<?xml version='1.0' encoding='koi8-r'?><html>", None, "koi8-r"),
        (b"<?xml version='1.0'?><b encoding='koi8-r'>", None, "utf-8"),
        # or else
        (LATIN, None, "cp1252"),
        ("café".encode(), None, "utf-8"),
        (b"", "", "utf-8"),
        (b"a" * (PAGE_LIMIT - 1) + "é".encode(), None, "utf-8"),
    ],
)  # fmt: skip
def test_encodings(html, content_type, expected):
    assert encoding_of(html, content_type)[0] == expected


def test_every_label_has_a_codec():
    from comity.protocol.page.encoding import _CODECS

    for label in _CODECS:
        assert "<a>" in decoded(b"<a>", f"text/html; charset={label}") or label.startswith(
            ("utf-16", "unicode", "ucs", "csunicode", "iso-10646")
        )


def test_page_is_decoded_in_its_encoding():
    page = "<meta name=robots content=noindex>".encode("utf-16")

    assert not comity.page_directives(html=page, agent="x").index
    assert not comity.page_directives(
        html=page[2:], agent="x", headers={"Content-Type": "text/html; charset=UTF-16"}
    ).index
    assert comity.page_directives(html=page[2:], agent="x").index


@given(st.binary(max_size=200), st.none() | st.text(max_size=40))
def test_any_bytes_are_accepted(html, content_type):
    assert isinstance(decoded(html, content_type), str)


PAGE = "https://example.com/a/b?c"


@PARSERS
@pytest.mark.parametrize(
    ("html", "url", "expected"),
    [
        ("<a href=x>", PAGE, ["https://example.com/a/x"]),
        ("<a href='?x'><a href='#x'><a href=''>", PAGE, [PAGE[:-2] + "?x", PAGE + "#x", PAGE]),
        ("<area href=//other.example>", PAGE, ["https://other.example"]),
        ("<a href=' /x\ny '>", PAGE, ["https://example.com/xy"]),
        ("<a href=mailto:a@example.com>", None, ["mailto:a@example.com"]),
        ("<a href=x>", None, [None]),
        ("<a href='http://[x'>", PAGE, [None]),
        ("<a name=x>", PAGE, []),
        ("<link rel=next href=x>", PAGE, []),
        ("<a href=x><base href=/d/e><base href=/f/>", PAGE, ["https://example.com/d/x"]),
        ("<base href=http://cdn.example/><a href=x>", None, ["http://cdn.example/x"]),
        ("<base href=data:x><a href=x>", PAGE, ["https://example.com/a/x"]),
        ("<base href=javascript:x><a href=x>", PAGE, ["https://example.com/a/x"]),
        ("<base href='http://['><a href=x>", PAGE, ["https://example.com/a/x"]),
        ("<base target=x><base href=/d/><a href=x>", PAGE, ["https://example.com/d/x"]),
        (f"<base href=/{'d' * 3000}/><a href=x>", PAGE, [None]),
        (f"<base href=/{'d/' * 200}><a href=x><a href=https://example.com/b>", PAGE, [None, "https://example.com/b"]),
        ("<table><a href=1><tr><td><b><a href=2>x<p></b></a></table>", PAGE,
         ["https://example.com/a/1", "https://example.com/a/2"]),
    ],
)  # fmt: skip
def test_links(parser, html, url, expected):
    page = comity.page_directives(html=html, elements=parser(html), agent="x", url=url)

    assert [link.url for link in page.links] == expected


@PARSERS
@pytest.mark.parametrize(
    ("rel", "robots", "follow", "endorsed"),
    [
        ("", "", True, True),
        ("noopener", "", True, True),
        ("NoFollow", "", False, False),
        ("ugc\tnofollow", "", False, False),
        ("ugc", "", True, False),
        ("SPONSORED", "", True, False),
        ("nofollow,ugc", "", True, True),  # separated by spaces
        ("", "nofollow", False, False),
        ("", "none", False, False),
        ("", "noindex", True, True),
    ],
)
def test_rel(parser, rel, robots, follow, endorsed):
    html = f"\n<a href=/x rel='{rel}'></a><meta name=robots content='{robots}'>"
    (link,) = comity.page_directives(html=html, elements=parser(html), agent="x").links

    assert (link.follow, link.endorsed) == (follow, endorsed)
    assert (link.href, link.line, link.rel) == ("/x", 2, tuple(rel.lower().split()))


@pytest.mark.parametrize(
    ("authority", "html", "index", "snippet", "anchor"),
    [
        # Yandex
        ("yandex", "a<noindex>b</noindex>c", "b", "", ""),
        ("yandex", "a<NOINDEX>b<p></noindex>c<noindex>d</noindex>", "b<p>|d", "", ""),
        ("yandex", "a<!--noindex-->b<!--/noindex-->c", "b", "", ""),
        ("comity", "a<!-- NoIndex -->b<!-- /noindex -->c", "b", "", ""),
        ("comity", "a<!--noindexed-->b", "", "", ""),
        ("comity", "a<noindex>b", "b", "", ""),
        ("comity", "a</noindex>b", "", "", ""),
        ("comity", "a<noindex>b<noindex>c</noindex>d</noindex>e", "b<noindex>c</noindex>d", "", ""),
        ("comity", "<noindex>b<!--/noindex-->c", "b<!--/noindex-->c", "", ""),
        ("comity", "<script><noindex></script>c<noindex>d", "d", "", ""),
        # The form of Yandex's tag for XHTML: the prefix is bound to any namespace, or is x.
        ("yandex", "a<x:noindex>b</x:noindex>c", "b", "", ""),
        ("yandex", '<html xmlns:ya="http://yandex.example/ns">a<ya:noindex>b</ya:noindex>c', "b", "", ""),
        ("yandex", '<html XMLNS:YA = "u">a<Ya:NoIndex>b</yA:noindex>c', "b", "", ""),
        ("comity", "a<ya:noindex>b</ya:noindex>c", "", "", ""),
        ("comity", "<p>xmlns:ya</p><ya:noindex>b</ya:noindex>c", "", "", ""),
        ("comity", "a<x:noindex>b", "b", "", ""),
        ("comity", "<x:noindex>b</noindex>c<x:noindex>d</x:noindex>e</x:noindex>f",
         "b</noindex>c<x:noindex>d</x:noindex>e", "", ""),
        ("comity", "a<x:noindexed>b</x:noindexed>", "", "", ""),
        # Yahoo (2007)
        ("yahoo", 'a<div class="robots-nocontent">b</div>c', "b", "", ""),
        ("yahoo", "a<p class='intro robots-nocontent'>b</p>c<h1 class=ROBOTS-NOCONTENT>d</h1>", "b|d", "", ""),
        ("yahoo", "a<a href=/ class=robots-nocontent>b</a>c", "b", "", ""),
        ("yahoo", "a<my-box class=robots-nocontent>b</my-box>c", "b", "", ""),
        ("yahoo", "<div class=robots-nocontent>a<div>b</div>c</div>d", "a<div>b</div>c", "", ""),
        ("yahoo", "<div class=robots-nocontent>a", "a", "", ""),
        ("html", "<p class=robots-nocontent>a<p>b</p>c", "a", "", ""),  # HTML: a `p` ends where the next one begins
        ("html", "a<br class=robots-nocontent>b<img class=robots-nocontent>c", "", "", ""),
        ("comity", '<div class="robots-nocontents" id=robots-nocontent>a</div>', "", "", ""),
        ("comity", "<style class=robots-nocontent><b></style>a", "", "", ""),
        ("comity", "<div data-nosnippet>a<div class=robots-nocontent>b</div>c</div>",
         "b", "a<div class=robots-nocontent>b</div>c", ""),
        ("comity", "<div class=robots-nocontent data-nosnippet>a</div>b", "a", "a", ""),
        ("comity", "<noindex><div class=robots-nocontent>a</noindex>b</div>c",
         "<div class=robots-nocontent>a|a</noindex>b", "", ""),
        # Google Search Appliance
        ("google", "fish<!--googleoff: index-->shark<!--googleon: index-->", "shark", "", ""),
        ("google", "a<!--googleoff: snippet-->b<!--googleon: snippet-->c", "", "b", ""),
        ("google", "a<!--googleoff: anchor-->b<!--googleon: anchor-->c", "", "", "b"),
        ("google", "a<!--googleoff: all-->b<!--googleon: all-->c", "b", "b", "b"),
        ("comity", "a<!--GoogleOff:all-->b<!--googleon: index-->c", "b", "b<!--googleon: index-->c",
         "b<!--googleon: index-->c"),
        ("comity", "a<!--googleoff-->b<!--googleon-->c", "b", "b", "b"),
        ("comity", "a<!--googleoff: index-->b<!--googleoff: index-->c<!--googleon: index-->d",
         "b<!--googleoff: index-->c", "", ""),
        ("comity", "a<!--googleoff: foo-->b<!--googleonly-->", "", "", ""),
        # Google
        ("google", '<div data-nosnippet="false">x</div>', "", "x", ""),
        ("google", "<p data-nosnippet>x</p>", "", "", ""),
        ("google", "a<span data-nosnippet>b</span>c<section DATA-NOSNIPPET=1>d</section>", "", "b|d", ""),
        ("google", "<div data-nosnippet>a<div>b</div>c</div>d", "", "a<div>b</div>c", ""),
        ("google", "<div data-nosnippet>a<span data-nosnippet>b</span>c</div>d",
         "", "a<span data-nosnippet>b</span>c", ""),
        ("google", "<div data-nosnippet>a<p>b", "", "a<p>b", ""),
        ("comity", "<div title=data-nosnippet>a</div>", "", "", ""),
        ("comity", "<div data-nosnippet/>a</div>b", "", "a", ""),
        ("comity", "<div data-nosnippet>a</div></div><div>b</div><div data-nosnippet>c", "", "a|c", ""),
    ],
)  # fmt: skip
def test_regions(authority, html, index, snippet, anchor):
    page = comity.page_directives(html=html, agent="x")
    texts = {
        kind: "|".join(html[one.start : one.end] for one in page.regions if one.kind == kind)
        for kind in ("index", "snippet", "anchor")
    }

    assert texts == {"index": index, "snippet": snippet, "anchor": anchor}
    with_selectolax = comity.page_directives(html=html, elements=selectolax.elements(html), agent="x")
    assert with_selectolax.regions == page.regions


def test_regions_have_lines_and_count_characters():
    page = comity.page_directives(html="é\r\n<noindex>\nx\r</noindex>\n<noindex>\n".encode(), agent="x")
    first, second = page.regions

    assert (first.mark, first.kind, first.start, first.end) == ("<noindex>", "index", 12, 15)
    assert (first.line, first.end_line, second.line, second.end_line) == (2, 4, 5, 6)


def test_regions_name_their_robots_and_ends():
    html = "<noindex>\n</noindex><!--googleoff: index-->\n<p class=robots-nocontent>a</p>\n<i><div data-nosnippet>b"
    regions = comity.page_directives(html=html, agent="x").regions

    assert [(one.robot, one.line, one.end_line, one.closed) for one in regions] == [
        ("Yandex", 1, 2, True),
        ("Google Search Appliance", 2, 4, False),
        ("Yahoo", 3, 3, True),
        ("Google", 4, 4, False),
    ]
    assert regions[0].record() == {
        "kind": "index", "mark": "<noindex>", "start": 9, "end": 10, "line": 1, "end_line": 2, "closed": True,
        "robot": "Yandex",
    }  # fmt: skip


@pytest.mark.parametrize("count", [20, 21, 500])
def test_many_names_with_the_class(count):
    """Beyond some names, the scanner looks at every tag, and finds the same."""
    html = "".join(f"<b{n} class=robots-nocontent>{n}<i></b{n}></i>" for n in range(count))
    regions = comity.page_directives(html=f"{html}<b>x</b><noindex>y", agent="x").regions

    assert [html[one.start : one.end] for one in regions[:-1]] == [f"{n}<i>" for n in range(count)]
    assert regions[-1].mark == "<noindex>"


def test_elements_of_a_tree():
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(f"\n{META}<a href=/x><template>{META}<a href=/y></template>")
    page = comity.page_directives(elements=selectolax.elements(tree), agent="x", url=PAGE)

    assert page.index.source == "meta robots"
    assert [one.line for one in page.statements] == [None, None]
    assert [link.url for link in page.links] == ["https://example.com/x"]


def test_meta_in_a_frameset_does_not_count():
    """Only the tree of selectolax shows it; Comity's own scanner reads more."""
    html = f"<frameset>{META}</frameset>"

    assert comity.page_directives(html=html, elements=selectolax.elements(html), agent="x").index
    assert not comity.page_directives(html=html, agent="x").index


@PARSERS
@pytest.mark.parametrize(
    ("html", "index"),
    [
        ("<svg><style><meta name=robots content=noindex>", False),
        ("<svg><title><meta name=robots content=noindex></title></svg>", False),
        ("<math><textarea><p><meta name=robots content=noindex>", False),
        ("<style><meta name=robots content=noindex></style><svg></svg>", True),
        ("<svg><path/></svg><title><meta name=robots content=noindex></title>", True),
    ],
)
def test_raw_text_of_html_is_markup_in_svg(parser, html, index):
    assert bool(comity.page_directives(html=html, elements=parser(html), agent="x").index) is index
