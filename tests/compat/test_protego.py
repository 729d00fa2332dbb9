"""The drop-in for Protego: the answers of the original, except where a standard decides."""

import copy
import inspect
import pickle
import typing
from datetime import time

import protego
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comity import InvalidArgument
from comity.compat.protego import Protego, RequestRate, VisitTime
from comity.protocol.robotstxt import RFC9309

BOT = "ExampleBot"

FILE = """\
User-agent: ExampleBot
Allow: /
Disallow: /shop/
Disallow: /*.php$
Crawl-delay: 1.5
Request-rate: 1/10m 0900-1730
Visit-time: 0600 0845

User-agent: *
Disallow: /x
Sitemap: /relative.xml
Sitemap: https://example.com/s.xml
Sitemap: https://example.com/s.xml
Host: one.example
Host: two.example
"""


def all_answers(cls, text, agent, urls):
    """Return each answer of a parser about a file."""
    robots = cls.parse(text)
    rate, window = robots.request_rate(agent), robots.visit_time(agent)
    return {
        "allowed": [robots.can_fetch(url, agent) for url in urls],
        "delay": robots.crawl_delay(agent),
        "rate": rate and tuple(rate),
        "window": window and tuple(window),
        "sitemaps": list(robots.sitemaps),
        "host": robots.preferred_host,
    }


URLS = [
    *("https://example.com/shop/tea", "/shop", "/a.php", "/a.php?x", "/", "", "/robots.txt", "/x#shop"),
    *("https://example.com", "https://example.com?x", "HTTPS://EXAMPLE.COM/shop/", "//example.com/shop/"),
    *("mailto:x@example.com", "x:/x", "x:x", "javascript:open('http://example.com/shop/')", "shop/tea"),
    *(
        "example.com/x",
        "example.com:80/x",
        "?x",
        "x?",
        "#x",
        " /shop/",
        "http://u:p@example.com:8/x",
        "X://x//x",
    ),
]


@pytest.mark.parametrize("agent", [BOT, "exampleBOT/1.0 (+https://example.com/bot)", "OtherBot", "*", ""])
@pytest.mark.parametrize("text", [FILE, "", "Disallow: /", "User-agent: *\nDisallow: /x"])
def test_all_answers_are_those_of_protego(text, agent):
    assert all_answers(Protego, text, agent, URLS) == all_answers(protego.Protego, text, agent, URLS)


#: Lines without a point on which the standards differ from Protego.
NAMES = st.sampled_from(["ExampleBot", "otherbot", "*", "Third_Bot"])
PATHS = st.text("ab/", max_size=4).map("/".__add__)
PATTERNS = st.tuples(st.text("ab/*", max_size=5), st.sampled_from(["", "", "$"])).map(
    lambda p: "/" + "".join(p)
)
TIMES = st.sampled_from(["", " 0600-0845", " 900-1700", " 0600 0845", " 0600 - 0845", " 2500-0600", " x"])
FIELDS = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["Allow", "disallow", "Disalow"]), PATTERNS),
    st.builds("Crawl-delay: {}".format, st.sampled_from(["1", ".5", "-1", "nan", "inf", "1e3", "soon", ""])),
    st.builds(
        "Request-rate: {}{}".format, st.sampled_from(["1/5", "2/3m", "0/5", "1/0", "1/5x", "1"]), TIMES
    ),
    st.builds("Visit-time:{}".format, TIMES),
    st.builds("Sitemap: {}".format, st.sampled_from(["https://example.com/s.xml", "/s.xml", ""])),
    st.builds("Host: {}".format, st.sampled_from(["example.com", "-", ""])),
)
GROUPS = st.tuples(
    st.lists(NAMES.map("User-agent: {}".format), min_size=1, max_size=3, unique=True),
    PATTERNS.map("Disallow: {}".format),
    st.lists(FIELDS, max_size=6),
).map(lambda group: [*group[0], group[1], *group[2]])


@settings(max_examples=50)
@given(
    st.lists(GROUPS, max_size=4).map(lambda groups: "\n".join(line for group in groups for line in group)),
    st.sampled_from([BOT, "OtherBot/2", "third_bot", "absent", "Mozilla/5.0 (compatible; ExampleBot/1.0)"]),
    st.lists(PATHS, min_size=1, max_size=5),
)
def test_all_answers_to_plain_files_are_those_of_protego(text, agent, urls):
    assert all_answers(Protego, text, agent, urls) == all_answers(protego.Protego, text, agent, urls)


#: The differences: (authority, file, robot, URL, Protego's answer). Ours is the opposite.
DIFFERENCES = [
    ("RFC 9309 2.2.1: whole tokens", f"User-agent: {BOT}\nDisallow: /", "ExampleBot-News", "/", False),
    ("RFC 9309 2.2.1: whole tokens", "User-agent: Example\nDisallow: /", BOT, "/", False),
    ("RFC 9309 2.2: line ends", "User-agent: *\n# \u2028Disallow: /", BOT, "/", False),
    ("conformance.md: a byte order mark", "\ufeffUser-agent: *\nDisallow: /", BOT, "/", True),
    ("RFC 9309 2.2: colons", "User-agent: a\nDisallow: /x\nuser agent\nDisallow: /", "a", "/", True),
    ("RFC 9309 2.2: colons", "user agent my bot\nDisallow: /", "my bot", "/", False),
    ("RFC 9309 2.2: paths", "User-agent: *\nDisallow: http://a.example/", BOT, "/http://a.example/", False),
    ("RFC 9309 2.2.4", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "a", "/", True),
    ("RFC 9309 2.2.4", "User-agent: a\nUnknown: 1\nUser-agent: b\nDisallow: /", "a", "/", True),
    ("RFC 9309 2.2.2: length", "User-agent: *\nDisallow: /\nAllow: /a/index.html", BOT, "/a/", True),
    ("RFC 9309 2.2.2: escapes", "User-agent: *\nDisallow: /a=", BOT, "/a%3D", False),
    ("RFC 9309 2.2.3: a final $", "User-agent: *\nDisallow: /a$", BOT, "/a$", False),
]


@pytest.mark.parametrize(("section", "text", "agent", "url", "answer"), DIFFERENCES)
def test_differences_are_decided(section, text, agent, url, answer):
    assert protego.Protego.parse(text).can_fetch(url, agent) is answer
    assert Protego.parse(text).can_fetch(url, agent) is not answer


def test_options_give_answers_of_protego():
    index_page = "User-agent: *\nDisallow: /\nAllow: /a/index.html"
    named = "User-agent: ExampleBot\nDisallow: /"

    assert Protego.parse(index_page, dialect=RFC9309.replace(index_pages=True)).can_fetch("/a/", BOT)
    assert not Protego.parse(named, agent_match="substring").can_fetch("/", "ExampleBot-News")
    with pytest.raises(InvalidArgument):
        Protego.parse("", dialect="bing")


@pytest.mark.parametrize("content", [b"User-agent: *", None, 5, ["User-agent: *"]])
def test_content_of_other_type_raises_as_protego_does(content):
    with pytest.raises(TypeError) as ours:
        Protego.parse(content)
    with pytest.raises(TypeError) as original:
        protego.Protego.parse(content)
    assert str(ours.value) == str(original.value)


@pytest.mark.parametrize("url", [None, b"/", 5])
@pytest.mark.parametrize("cls", [Protego, protego.Protego])
def test_url_of_other_type_raises_type_error(cls, url):
    with pytest.raises(TypeError):
        cls.parse(FILE).can_fetch(url, BOT)


@pytest.mark.parametrize("agent", [None, 5, b"ExampleBot"])
def test_agent_of_other_type_raises_what_protego_raises(agent):
    with pytest.raises((AttributeError, TypeError)) as original:
        protego.Protego.parse(FILE).can_fetch("/", agent)
    for question in (lambda robots: robots.can_fetch("/", agent), lambda robots: robots.crawl_delay(agent)):
        with pytest.raises(original.type):
            question(Protego.parse(FILE))


def test_text_with_lone_surrogates_is_parsed():
    robots = Protego.parse("User-agent: *\nDisallow: /caf\udce9\n# \ud800")

    assert robots.can_fetch("/caf%E9", BOT) is False


def test_values_are_those_of_protego():
    robots = Protego.parse(FILE)

    assert robots.request_rate(BOT) == RequestRate(1, 600, time(9), time(17, 30))
    assert robots.visit_time(BOT) == VisitTime(time(6), time(8, 45))
    assert RequestRate._fields == protego.RequestRate._fields
    assert VisitTime._fields == protego.VisitTime._fields
    assert next(robots.sitemaps) == "/relative.xml"
    assert not hasattr(robots.sitemaps, "__len__")


def test_parameters_are_those_of_protego():
    for name in ("can_fetch", "crawl_delay", "request_rate", "visit_time"):
        ours, original = getattr(Protego, name), getattr(protego.Protego, name)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(original).parameters)
    names = {name for name in dir(protego.Protego) if not name.startswith("_")}
    assert names == {name for name in dir(Protego) if not name.startswith("_")}
    assert typing.get_type_hints(RequestRate).keys() == {"requests", "seconds", "start_time", "end_time"}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_give_same_answers(copied):
    class Own(Protego):
        pass

    assert copied(Protego.parse(FILE)).can_fetch("/shop/", BOT) is False
    assert type(Own.parse(FILE)) is Own


def test_subclass_can_change_an_answer_and_keep_state():
    class Lenient(Protego):
        def __init__(self):
            super().__init__()
            self.asked = 0

        def can_fetch(self, url, user_agent):
            self.asked += 1
            return super().can_fetch(url, user_agent) or url.endswith(".css")

    robots = Lenient.parse(FILE)

    assert [robots.can_fetch(url, BOT) for url in ("/shop/a.css", "/shop/a")] == [True, False]
    assert robots.asked == 2


def test_file_without_parsing_allows_everything():
    assert Protego().can_fetch("/", BOT)
    assert Protego().crawl_delay(BOT) is None
    assert list(Protego().sitemaps) == []


def test_instances_are_equal_only_to_themselves():
    assert Protego.parse(FILE) != Protego.parse(FILE)
    assert len({Protego.parse(FILE), Protego.parse(FILE)}) == 2
