"""The modes that answer as the standard library does, compared with the module of the running Python."""

import urllib.robotparser as stdlib

from hypothesis import example, given
from hypothesis import strategies as st

from comity.compat.urllib import RobotFileParser

#: Python 3.13.14 and 3.14.5 have the newer module.
MODE = "rfc9309" if hasattr(stdlib, "normalize_uri") else "classic"

PATHS = st.text(alphabet="/ab*$?=&%2Ff#;: \té\udce9[", max_size=10)
AGENTS = st.sampled_from(
    ["*", "", "a", "A", "ab", "bot", "ExampleBot", "ExampleBot/1.0", "example", "*/1", "%61", "a*"]
)
NUMBERS = st.sampled_from(["1", " 10 ", "2.5", "-1", "3/15", "3 / 15", "1/2/3", "x", "", "\u0663", "%31"])
FIELDS = st.sampled_from(
    [
        "User-agent",
        "user-AGENT",
        "Allow",
        "Disallow",
        " disallow ",
        "Crawl-delay",
        "Request-rate",
        "Sitemap",
        "Host",
    ]
)
LINES = st.one_of(
    st.sampled_from(["", "\n", " ", "# comment", ":", ": x", "no field", "User-agent: *", "Disallow: /"]),
    st.builds("User-agent: {}{}".format, AGENTS, st.sampled_from(["", " # x", "\n"])),
    st.builds("{}: /{}".format, st.sampled_from(["Allow", "Disallow"]), PATHS),
    st.builds("{}:{}".format, FIELDS, AGENTS | PATHS | NUMBERS),
)
URLS = st.one_of(
    PATHS,
    st.builds("/{}".format, PATHS),
    st.builds("https://example.com/{}".format, PATHS),
    st.sampled_from(
        [
            *(
                "",
                "/",
                "mailto:a@example.com",
                "//example.com/a",
                "https://example.com",
                "/robots.txt",
                "/a/../b",
            ),
            *("https://example.com//a", "?a", "/?", "#", "javascript:a"),
        ]
    ),
)


def outcome(ask, *arguments):
    """Return a result, or the type of the exception."""
    try:
        return ask(*arguments)
    except Exception as error:
        return type(error)


def parsers():
    return stdlib.RobotFileParser(), RobotFileParser(mode=MODE)


@given(lines=st.lists(LINES, max_size=12), more=st.lists(LINES, max_size=4), url=URLS, agent=AGENTS)
@example(lines=["User-agent: *", "Disallow: //[x"], more=[], url="/", agent="a")
@example(lines=["User-agent: *", "Disallow: //a"], more=[], url="https://example.com//a", agent="a")
@example(lines=["User-agent: *", "Crawl-delay: \u00b2"], more=[], url="/", agent="a")
@example(lines=["User-agent: a", "", "Disallow: /"], more=[], url="/", agent="a")
@example(
    lines=["User-agent: a", "User-agent: B", "Allow: /", "User-agent: A"],
    more=["User-agent: a"],
    url="/",
    agent="a",
)
def test_answers_are_those_of_the_running_python(lines, more, url, agent):
    theirs, ours = parsers()

    assert outcome(ours.parse, lines) == outcome(theirs.parse, lines)
    assert outcome(ours.parse, more) == outcome(theirs.parse, more)
    expected = outcome(theirs.can_fetch, agent, url)
    if MODE == "rfc9309" and expected is ValueError:
        expected = True  # a malformed URL, since python/cpython#153795
    assert outcome(ours.can_fetch, agent, url) == expected
    assert ours.crawl_delay(agent) == theirs.crawl_delay(agent)
    assert ours.request_rate(agent) == theirs.request_rate(agent)
    assert ours.site_maps() == theirs.site_maps()
    assert str(ours) == str(theirs)
