"""Mistakes in the rules of a page: those that robots ignore, and those that probably mean something else."""

import time

import pytest

import comity
from comity.protocol.page import PageProblem, page_directives

#: Content of a META tag for robots -> the problems, as (code, severity, part of the message).
META = {
    "noindex, nofollow": [],
    "NOINDEX,NOFOLLOW,": [],
    "all": [],
    "max-snippet:-1, max-image-preview:large, max-video-preview: 5": [],
    "unavailable_after: 2999-01-01": [],
    "unavailable_after: Wed, 03 Dec 2999 13:09:53 GMT": [],
    "noodp, noydir": [],
    "": [],
    " , ,": [],
    "noindex nofollow": [("missing-comma", "error", "write `noindex, nofollow`")],
    "noindex;nofollow": [("missing-comma", "error", "write `noindex, nofollow`")],
    "noindex | noarchive": [("missing-comma", "error", "write `noindex, noarchive`")],
    "noindex max-snippet: 20": [("missing-comma", "error", "write `noindex, max-snippet:20`")],
    "index follow": [("missing-comma", "information", "write `index, follow`")],
    "nosnipet": [("misspelt-rule", "error", "did you mean `nosnippet`?")],
    "no-index": [("misspelt-rule", "error", "did you mean `noindex`?")],
    "no index": [("misspelt-rule", "error", "did you mean `noindex`?")],
    "no_follow, nofolow": [("misspelt-rule", "error", "`nofollow`"), ("misspelt-rule", "error", "`nofolow`")],
    "max-snipet: 20": [("misspelt-rule", "error", "did you mean `max-snippet:20`?")],
    "maxsnippet:20": [("misspelt-rule", "error", "did you mean `max-snippet:20`?")],
    "unavailable-after: 2999-01-01": [("misspelt-rule", "error", "`unavailable_after:2999-01-01`")],
    "unavailable_after: soon": [("invalid-value", "error", "expected a date, such as 2030-06-25T15:00:00Z")],
    "unavailable_after: 2010-06-25": [("expired", "warning", "2010-06-25T00:00:00Z` has passed")],
    "max-snippet: short": [("invalid-value", "error", "a number of characters, or -1")],
    "max-image-preview: huge": [("invalid-value", "error", "none, standard or large")],
    "max-video-preview:": [("invalid-value", "error", "a number of seconds, or -1")],
    "indexifembedded": [("needs-noindex", "warning", "without `noindex`")],
    "index, noindex": [("contradiction", "warning", "`index` contradicts `noindex`")],
    "all, nofollow": [("contradiction", "warning", "`all` contradicts `nofollow`")],
    "nopagereadaloud, tea": [("unknown-rule", "information", "`tea`")],
}  # fmt: skip


def problems(**page):
    return page_directives(agent="ExampleBot", now=time.time(), **page).problems


@pytest.mark.parametrize("content", META)
def test_problems_of_a_meta_tag(content):
    found = problems(html=f'<p>\n<meta name="robots" content="{content}">')

    assert [(one.code, one.severity) for one in found] == [expected[:2] for expected in META[content]]
    for one, (_, _, part) in zip(found, META[content], strict=True):
        assert part in one.message
        assert (one.line, one.source) == (2, "meta robots, line 2")


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("noindex, nofollow", []),
        ("googlebot: noindex", []),
        ("googlebot: noindex nofollow", ["missing-comma"]),
        ("otherbot: nosnipet", ["misspelt-rule"]),
        ("max-snipet: 20", ["misspelt-rule"]),
        ("otherbot: tea", []),  # for another robot, which may know the word
        ("unavailable_after: soon", ["invalid-value"]),
    ],
)
def test_problems_of_a_header(value, codes):
    assert [one.code for one in problems(headers={"X-Robots-Tag": value})] == codes


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        *((name, ["misnamed-meta"]) for name in ("robot", "Bots", "googlebots", "google-bot", "goglebot", "google")),
        *((name, []) for name in ("googlebot", "googlebot-image", "mojeekbot", "chatbot-words", "viewport")),
    ],
)  # fmt: skip
def test_names_of_meta_tags(name, codes):
    content = "noindex" if codes or name.endswith(("bot", "image")) else "hello world, open tea"
    assert [one.code for one in problems(html=f'<meta name="{name}" content="{content}">')] == codes


@pytest.mark.parametrize(
    ("attributes", "index", "codes"),
    [
        ("name=robots content=noindex", False, []),
        # robotstxt.org, Google: the name is in the attribute `name`
        ("property=robots content=noindex", True, ["misnamed-meta"]),
        ("property=googlebot content=noindex", True, ["misnamed-meta"]),
        ("http-equiv=robots content=noindex", True, ["misnamed-meta"]),
        ("name=viewport property=robots content=noindex", True, []),
        ("property=og:title content=noindex", True, []),
        # HTML 4.01 7.4.4: it stands for the header; HTML 4.2.5.3: it does not
        ("http-equiv=X-Robots-Tag content=noindex", False, ["misnamed-meta"]),
        ("http-equiv=X-Robots-Tag content='googlebot: noindex'", False, ["misnamed-meta"]),
        ("http-equiv=X-Robots-Tag content='otherbot: noindex'", True, ["misnamed-meta"]),
        ("http-equiv=refresh content='0; url=/noindex'", True, []),
    ],
)
def test_attributes_of_meta_tags(attributes, index, codes):
    page = comity.page_directives(html=f"<meta {attributes}>", agent="Googlebot")

    assert (bool(page.index), [one.code for one in page.problems]) == (index, codes)
    assert all(one.source.endswith("line 1") for one in page.statements)


@pytest.mark.parametrize(
    ("agent", "content", "question", "standing"),
    [
        # Google, "Meta tags and attributes that Google supports"
        ("Googlebot", "notranslate", "translate", "applies"),
        ("Googlebot-Image", "nositelinkssearchbox", "search_box", "applies"),
        ("Google-Read-Aloud", "nopagereadaloud", "read_aloud", "applies"),
        ("Googlebot", "noindex", "index", "unread"),
        ("ExampleBot", "notranslate", "translate", "other-robot"),
    ],
)
def test_meta_tag_with_the_name_google(agent, content, question, standing):
    page = comity.page_directives(html=f"<meta name=google content={content}>", agent=agent)

    assert [one.standing.code for one in page.statements] == [standing]
    assert question is None or bool(getattr(page, question)) is (standing != "applies")


def test_each_problem_is_listed_once_and_at_most_a_hundred_are():
    assert len(problems(html='<meta name=robots content="nosnipet,nosnipet">')) == 1
    many = ",".join(f"word{number}" for number in range(500))
    assert len(problems(html=f'<meta name=robots content="{many}">')) == 100


def test_problem_is_a_value():
    [problem] = problems(headers={"X-Robots-Tag": "nosnipet\x1b"})

    assert isinstance(problem, PageProblem)
    assert problem.explain().startswith("error misspelt-rule: `nosnipet\\x1b`")
    assert problem.record() == {
        "code": "misspelt-rule",
        "severity": "error",
        "message": problem.message,
        "source": "X-Robots-Tag: nosnipet\\x1b",
        "line": None,
    }
    assert "\x1b" not in problem.message
    assert comity.page_directives(html="<p>", agent="").problems == ()
