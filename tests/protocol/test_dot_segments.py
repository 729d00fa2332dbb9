"""URLs without dot segments (RFC 3986 5.2.4, 6.2.2.2; the cases of WHATWG's urltestdata)."""

import posixpath
from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comity.protocol.dot_segments import without_dot_segments
from comity.protocol.origin import path_and_query


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("/a/b/c/./../../g", "/a/g"),  # RFC 3986 5.2.4
        ("/a/%2e%2e/private/x", "/private/x"),
        ("/%2e/private", "/private"),
        ("/foo/%2e", "/foo/"),  # WHATWG
        ("/foo/%2e%2", "/foo/%2e%2"),
        ("/foo/%2e./%2e%2e/.%2e/%2e.bar", "/%2e.bar"),
        ("/foo/.%2E/%2E./x", "/x"),
        ("/%2e%2e", "/"),
        ("/..", "/"),
        ("/foo/bar/..", "/foo/"),
        ("/foo/bar/../", "/foo/"),
        ("/a/%252e%252e/b", "/a/%252e%252e/b"),
        ("/a/..%2fb", "/a/..%2fb"),
        ("/a/.../b/.c/%2ed", "/a/.../b/.c/%2ed"),
        ("/a?x=/../b", "/a?x=/../b"),
        ("/a/../b?x=/%2e%2e/c#/../d", "/b?x=/%2e%2e/c#/../d"),
        ("/a//../b", "/a/b"),
        ("/a\\..\\private", "/private"),  # WHATWG
        ("/a\\b?c\\d", "/a/b?c\\d"),
        ("/a/..%5cprivate", "/a/..%5cprivate"),
    ],
)
def test_dot_segments(path, result):
    assert without_dot_segments(path) == result
    assert without_dot_segments(f"http://example.com{path}") == f"http://example.com{result}"
    assert without_dot_segments(f"//example.com{path}") == f"//example.com{result}"


@pytest.mark.parametrize("url", ["", "http://example.com", "http://a.b?/../c", "mailto:a/../b", "x", "//"])
def test_other_texts_are_unchanged_or_valid(url):
    assert without_dot_segments(url) == (url if url != "mailto:a/../b" else "mailto:a/b")


_SEGMENTS = st.sampled_from(["", "a", ".", "..", "%2e", "%2E.", ".%2e", "%2e%2E", "%252e", "b.c"])


@given(st.lists(_SEGMENTS, max_size=8))
def test_path_is_what_servers_deliver(segments):
    path = "/" + "/".join(segments)
    assume(not path.startswith("//"))  # it names a host
    result = path_and_query(without_dot_segments(path))

    assert result == path_and_query(without_dot_segments(f"http://example.com{path}"))
    assert without_dot_segments(f"http://example.com{result}") == f"http://example.com{result}"
    if "" not in segments:  # otherwise servers differ
        assert posixpath.normpath(unquote(path)) == posixpath.normpath(unquote(result))
