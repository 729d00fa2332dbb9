"""The directives of a page about the use `search`: which ones count, and how they combine with other statements."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.usage import usage

ALLOW, DISALLOW, UNKNOWN = comity.Preference.ALLOW, comity.Preference.DISALLOW, comity.Preference.UNKNOWN

#: 2025-12-03 09:00 UTC.
NOW = 1764752400.0


def meta(content, name="robots"):
    return f'<html>\n<meta name="{name}" content="{content}">'


# authority, header fields, the page, the preference for search, and the statement that decides
DIRECTIVES = [
    ("robotstxt.org", [], meta("noindex"), DISALLOW, "meta line 2 `noindex`"),
    ("robotstxt.org", [], meta("NoIndex, follow"), DISALLOW, "meta line 2 `noindex`"),
    ("robotstxt.org", [], meta("none"), DISALLOW, "meta line 2 `none`"),
    ("robotstxt.org", [], meta("nofollow"), UNKNOWN, None),
    ("robotstxt.org", [], meta("noindex", "examplebot"), DISALLOW, "meta line 2 `noindex`"),
    ("robotstxt.org", [], meta("noindex", "otherbot"), UNKNOWN, None),
    ("robotstxt.org", [], meta("all"), ALLOW, "meta line 2 `all`"),
    ("robotstxt.org", [], meta("index,follow"), ALLOW, "meta line 2 `index`"),
    ("google", [("X-Robots-Tag", "noindex")], None, DISALLOW, "header `X-Robots-Tag: noindex`"),
    ("google", [("X-Robots-Tag", "examplebot: none")], None, DISALLOW, "header `X-Robots-Tag: examplebot: none`"),
    ("google", [("X-Robots-Tag", "otherbot: noindex, nofollow")], None, UNKNOWN, None),
    ("google", [("X-Robots-Tag", "otherbot: noindex, examplebot: nofollow")], None, UNKNOWN, None),
    ("google", [("X-Robots-Tag", "otherbot: nofollow"), ("X-Robots-Tag", "noindex")], None, DISALLOW, "header `X-Robots-Tag: noindex`"),
    ("google", [("X-Robots-Tag", "noindex noarchive")], None, UNKNOWN, None),
    ("google", [("X-Robots-Tag", "unavailable_after: 2 Dec 2025 09:00:00 GMT")], None, DISALLOW, "header `X-Robots-Tag: unavailable_after: 2 Dec 2025 09:00:00 GMT`"),
    ("google", [("X-Robots-Tag", "unavailable_after: 4 Dec 2025 09:00:00 GMT")], None, UNKNOWN, None),
    # Google: the most restrictive rule applies, whatever the order and the place.
    ("google", [], meta("none, all"), DISALLOW, "meta line 2 `none`"),
    ("google", [], meta("all, none"), DISALLOW, "meta line 2 `none`"),
    ("google", [("X-Robots-Tag", "all")], meta("noindex"), DISALLOW, "meta line 2 `noindex`"),
    ("google", [], meta("all") + meta("noindex", "examplebot"), DISALLOW, "meta line 3 `noindex`"),
    # The page itself stays out of the index; only a copy that another page embeds may be indexed.
    ("google", [], meta("noindex, indexifembedded"), DISALLOW, "meta line 2 `noindex`"),
    # Rules about the form of a result, and about images, say nothing about the page in an index.
    ("google", [], meta("nosnippet, max-snippet:0, noarchive, notranslate"), UNKNOWN, None),
    ("google", [], meta("max-image-preview:none, max-video-preview:0, noimageindex"), UNKNOWN, None),
    ("bing", [], meta("nocache"), UNKNOWN, None),
    ("comity", [], meta("noai, noml"), UNKNOWN, None),
    ("draft-illyes-repext", [("Robots-Tag", "noindex; otherbot=;")], None, DISALLOW, "header `Robots-Tag: noindex; otherbot=;`"),
    ("draft-illyes-repext", [("Robots-Tag", "noindex; examplebot=;")], None, UNKNOWN, None),
    # Any disallow wins over any allow, whatever the source.
    ("draft", [("Content-Usage", "search=y")], meta("noindex"), DISALLOW, "meta line 2 `noindex`"),
    ("draft", [("Content-Usage", "search=n")], meta("index"), DISALLOW, "header `Content-Usage: search=n`"),
    ("draft", [("Content-Signal", "search=yes"), ("X-Robots-Tag", "noindex")], None, DISALLOW, "header `X-Robots-Tag: noindex`"),
]  # fmt: skip


@pytest.mark.parametrize(("authority", "headers", "html", "expected", "source"), DIRECTIVES)
def test_directives_about_search(authority, headers, html, expected, source):
    found = comity.usage("/", agent="ExampleBot", headers=headers, html=html, now=NOW)
    deciding = found.deciding("search")

    assert (found.preference("search"), deciding and str(deciding)) == (expected, source)
    assert found.permits("search") is (expected is not DISALLOW)
    assert found.permits("search", only_if_allowed=True) is (expected is ALLOW)
    assert deciding is None or str(deciding) in found.explain("search")


def test_date_applies_only_with_the_time():
    headers = {"X-Robots-Tag": "unavailable_after: 2025-12-01"}

    assert usage("/", agent="b", headers=headers).permits("search")
    assert not usage("/", agent="b", headers=headers, now=NOW).permits("search")
    assert not comity.usage("/", agent="b", headers=headers).permits("search")  # with the clock


@pytest.mark.parametrize("now", [float("nan"), "2026-01-01", True, datetime(2026, 1, 1, tzinfo=UTC)])
def test_invalid_time_raises(now):
    """A comparison with NaN is always false, so a page stayed available after its date."""
    with pytest.raises(comity.InvalidArgument, match="invalid now .*: expected a time in seconds since 1970"):
        comity.usage("/", agent="b", now=now)
    with pytest.raises(comity.InvalidArgument, match="invalid now"):
        comity.page_directives(agent="b", headers={"X-Robots-Tag": "unavailable_after: 2025-12-01"}, now=now)


@pytest.mark.parametrize("acap", [1, "yes", None])
def test_invalid_acap_raises(acap):
    """These values were read as False without a message."""
    with pytest.raises(comity.InvalidArgument, match="invalid acap .*: expected a bool or AcapRules"):
        comity.usage("/", agent="b", robots="ACAP-crawler: *\nACAP-disallow-index: /", acap=acap)


def test_noindex_line_of_robots_txt_is_no_rule():
    """`Noindex` was never in a standard, and Google has ignored it since September 2019."""
    robots = comity.parse("User-agent: *\nNoindex: /\nNoindex: /tea")
    found = comity.usage("/tea", agent="ExampleBot", robots=robots)

    assert (found.permits("search"), found.preference("search")) == (True, UNKNOWN)
    assert [field.name for field in robots.rules_for("ExampleBot").fields] == ["noindex", "noindex"]


RULES = ["noindex", "index", "none", "all", "follow", "nofollow", "noarchive", "nosnippet", "indexifembedded",
         "unavailable_after: 2025-12-01", "unavailable_after: 2026-12-01", "otherbot: noindex", "noai"]  # fmt: skip


@given(
    st.lists(st.sampled_from(RULES).map(lambda rule: ("X-Robots-Tag", rule)), max_size=4),
    st.lists(st.sampled_from(RULES), max_size=4).map(", ".join),
)
def test_search_is_disallowed_exactly_if_the_index_is(headers, content):
    page = comity.page_directives(html=meta(content), headers=headers, agent="ExampleBot", now=NOW)
    usage = comity.usage("/", agent="ExampleBot", html=meta(content), headers=headers, now=NOW)

    assert usage.permits("search") is page.index.allowed
    assert usage == comity.usage("/", agent="ExampleBot", page=page, headers=headers)
