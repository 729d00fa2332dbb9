"""References are resolved as browsers resolve them."""

import pytest

from comity.protocol.url_reference import resolved

BASE = "http://a/b/c/d;p?q#f"

#: RFC 3986 5.4; `http:g` is relative there, too, "for backward compatibility".
STANDARD = {
    "g:h": "g:h",
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s",
    ";x": "http://a/b/c/;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s",
    "": "http://a/b/c/d;p?q",
    ".": "http://a/b/c/",
    "..": "http://a/b/",
    "../g": "http://a/b/g",
    "../../": "http://a/",
    "../../../g": "http://a/g",
    "/./g": "http://a/g",
    "g.": "http://a/b/c/g.",
    "..g": "http://a/b/c/..g",
    "./g/.": "http://a/b/c/g/",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/../x": "http://a/b/c/g#s/../x",
    "http:g": "http://a/b/c/g",
}

#: Further references, and what Chromium makes of them.
BROWSER = {
    "a//b": "http://a/b/c/a//b",
    "a//../b": "http://a/b/c/a/b",
    "?": "http://a/b/c/d;p?",
    "a;": "http://a/b/c/a;",
    "..;": "http://a/b/c/..;",
    ".;p=1": "http://a/b/c/.;p=1",
    "HTTP:?x": "http://a/b/c/d;p?x",
    "http:/g": "http://a/g",
    "http:\\\\g\\h": "http://g/h",
    "///g/h": "http://g/h",
    "mailto:a//b": "mailto:a//b",
    "\n a\tb\r ": "http://a/b/c/ab",
    "https://[::1]/": "https://[::1]/",
}


@pytest.mark.parametrize(("reference", "url"), [*STANDARD.items(), *BROWSER.items()])
def test_references(reference, url):
    assert resolved(BASE, reference) == url


@pytest.mark.parametrize(
    ("base", "reference", "url"),
    [
        ("http://a//b//c", "d", "http://a//b//d"),
        ("http://a//b//c", "../d", "http://a//b/d"),
        ("http://a?q", "b", "http://a/b"),
        ("http://a?q/r", "", "http://a/?q/r"),
        ("https://a/", "http:b", "http:b"),
        ("data:text/html,x", "b", None),
        ("about:blank", "https://a/", "https://a/"),
        (None, "b", None),
        (None, "HTTP://a/b", "http://a/b"),
        ("http://a/", "http://[x/", None),
        ("http://a/", "//x]/", None),
    ],
)
def test_bases(base, reference, url):
    assert resolved(base, reference) == url
