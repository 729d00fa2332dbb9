"""`comity.build`: one robots.txt from a plan and fragments, and what is wrong with those."""

import itertools
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import patterns, urls

import comity
from comity import agents as catalogue
from comity.protocol.robotstxt.matcher import compile_pattern, matches
from comity.site.assembly.clause import rule
from comity.site.assembly.group import Settled, rules_of
from comity.site.assembly.overruled import Search
from comity.site.formatting.layout import LIMIT

#: An agent that fetches for both.
BOTH = next(one for one in catalogue.ALL if {"training", "search"} <= set(one.purposes))

#: Those whom a file names that closes the site to all: robots that no `*` binds, by their operators' documents.
ALL_ROBOTS = "".join(
    f"User-agent: {name}\n"
    for name in (
        "*", "AdsBot-Google", "AdsBot-Google-Mobile", "APIs-Google", "Mediapartners-Google", "YaDirectFetcher",
        "YandexDirect", "YandexDirectDyn",
    )
)  # fmt: skip

#: (authority, what is shown, plan, the file)
RECIPES = [
    ("1994", "an empty plan welcomes everybody", {}, "User-agent: *\nDisallow:\n"),
    ("1994", "keep all out", {"keep_out": True}, f"{ALL_ROBOTS}Disallow: /\n"),
    ("1994", "what is false is not done", {"keep_out": False}, "User-agent: *\nDisallow:\n"),
    (
        "1994",
        "let one in",
        {"keep_out": True, "let_in": ["WebCrawler"]},
        f"User-agent: WebCrawler\nDisallow:\n\n{ALL_ROBOTS}Disallow: /\n",
    ),
    (
        "1994",
        "close folders",
        {"close": ["/cgi-bin/", "/tmp/", "/~joe/"]},
        "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /~joe/\nDisallow: /tmp/\n",
    ),
    (
        "1994",
        "everything but one file",
        {"only": "/~joe/foo.html"},
        f"{ALL_ROBOTS}Allow: /~joe/foo.html$\nDisallow: /\n",
    ),
    ("comity", "everything but a folder", {"only": "/open/"}, f"{ALL_ROBOTS}Allow: /open/\nDisallow: /\n"),
    (
        "1994",
        "exclude one robot",
        {"block": "SomeBadRobot"},
        "User-agent: SomeBadRobot\nDisallow: /\n",
    ),
    (
        "comity",
        "who is let in hears all else",
        {"keep_out": True, "let_in": "Googlebot", "close": "/tmp/"},
        f"User-agent: Googlebot\nDisallow: /tmp/\n\n{ALL_ROBOTS}Disallow: /tmp/\nDisallow: /\n",
    ),
    (
        "comity",
        "nobody need be let in where all may come",
        {"let_in": "Googlebot"},
        "User-agent: *\nDisallow:\n",
    ),
    (
        "sitemaps.org",
        "sitemaps",
        {"sitemaps": ["https://example.com/b.xml", "https://example.com/a.xml", "https://example.com/b.xml"]},
        "User-agent: *\nDisallow:\n\nSitemap: https://example.com/b.xml\nSitemap: https://example.com/a.xml\n",
    ),
    (
        "vendor",
        "other fields",
        {
            "groups": [
                {
                    "agents": ["ExampleBot", "OtherBot"],
                    "crawl_delay": 2.5,
                    "request_rate": ["1/10m 1300-1659", "1/20m 1700-0459"],
                    "visit_time": "0600-0845",
                    "content_signal": "search=yes, ai-train=no",
                }
            ]
        },
        "User-agent: ExampleBot\nUser-agent: OtherBot\nDisallow:\nCrawl-delay: 2.5\n"
        "Request-rate: 1/10m 1300-1659\nRequest-rate: 1/20m 1700-0459\nVisit-time: 0600-0845\n"
        "Content-Signal: search=yes, ai-train=no\n",
    ),
    (
        "draft-ietf-aipref-attach",
        "preferences by path",
        {
            "groups": {
                "agents": "*",
                "allow": "/",
                "content_usage": {"": "train-ai=n, search=y", "/open wide/": "train-ai=y"},
                "content_signal": {"search": True, "ai-train": False, "use": "reference"},
            }
        },
        "User-agent: *\nAllow: /\nContent-Usage: /open%20wide/ train-ai=y\nContent-Usage: train-ai=n, search=y\n"
        "Content-Signal: search=yes, ai-train=no, use=reference\n",
    ),
    (
        "draft-ietf-aipref-attach",
        "preferences as lines",
        {"groups": {"agents": "*", "content_usage": ["/a train-ai=n", "/%61 search=n"]}},
        "User-agent: *\nDisallow:\nContent-Usage: /a train-ai=n, search=n\n",
    ),
    (
        "rfc 2.2.1",
        "groups of one name are one",
        {"groups": [{"agents": ["A", "B"], "disallow": "/x"}, {"agents": "a", "allow": "/x/y"}]},
        "User-agent: A\nAllow: /x/y\nDisallow: /x\n\nUser-agent: B\nDisallow: /x\n",
    ),
    (
        "rfc 2.2.2",
        "equal patterns are one rule",
        {"groups": {"agents": "A", "disallow": ["/%7ejoe", "/~joe", "/%7Ejoe"]}},
        "User-agent: A\nDisallow: /%7ejoe\n",
    ),
    (
        "rfc 2.2.2",
        "what no URL has is escaped",
        {"close": "/caf\u00e9 \u2028?a=[b]"},
        None,
    ),
    (
        "draft1996",
        "the rule that wins stands first",
        {"groups": {"agents": "*", "disallow": ["/a", "/a/b/c"], "allow": ["/a/b", "/d"]}},
        "User-agent: *\nDisallow: /a/b/c\nAllow: /a/b\nAllow: /d\nDisallow: /a\n",
    ),
    (
        "comity",
        "inherit",
        {"close": ["/tmp/", "/x"], "groups": [{"agents": "A", "allow": "/x", "inherit": True}]},
        "User-agent: A\nDisallow: /tmp/\nAllow: /x\n\nUser-agent: *\nDisallow: /tmp/\nDisallow: /x\n",
    ),
    (
        "comity",
        "inherit everywhere but once",
        {
            "inherit": True,
            "close": "/tmp/",
            "groups": [
                {"agents": "A", "disallow": "/x"},
                {"agents": "B", "disallow": "/x", "inherit": False},
            ],
        },
        "User-agent: A\nDisallow: /tmp/\nDisallow: /x\n\nUser-agent: B\nDisallow: /x\n\nUser-agent: *\nDisallow: /tmp/\n",
    ),
    (
        "comity",
        "who is let in may still be told what one alone is to hear",
        {
            "keep_out": True,
            "let_in": "Googlebot",
            "close": "/tmp/",
            "groups": {"agents": "Googlebot", "disallow": "/x", "inherit": False},
        },
        f"User-agent: Googlebot\nDisallow: /x\n\n{ALL_ROBOTS}Disallow: /tmp/\nDisallow: /\n",
    ),
    (
        "comity",
        "who is blocked inherits nothing that opens",
        {"inherit": True, "block": "GPTBot", "groups": {"agents": "*", "allow": "/open/", "crawl_delay": 1}},
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /open/\nCrawl-delay: 1\n",
    ),
]


@pytest.mark.parametrize(
    ("plan", "expected"), [row[2:] for row in RECIPES], ids=[f"{row[0]}: {row[1]}" for row in RECIPES]
)
def test_recipes(plan, expected):
    if expected is None:
        with pytest.raises(comity.errors.InvalidPlan, match="cannot be printed"):
            comity.build(plan)
        return
    built = comity.build(plan)

    assert built.body.decode() == expected
    assert comity.format(built.body) == built.body
    assert len(built.places) == expected.count("\n")


def test_purposes():
    built = comity.build({"block": ["training", "ExampleBot"], "let_in": ["GPTBot"]})
    robots = comity.parse(built.body)
    tokens = {agent.token for agent in catalogue.by_purpose("training")}

    assert len(robots.groups) == 1
    assert set(robots.groups[0].agents) == tokens - {"GPTBot"} | {"ExampleBot"}
    assert not robots.allowed("/", agent="CCBot")
    assert robots.allowed("/", agent="GPTBot")
    (note,) = [note for note in built.notes if note.startswith("LAIONDownloader")]
    assert note.endswith("its operator says that it does not obey")


@pytest.mark.parametrize(
    ("block", "let_in", "allowed"),
    [
        (BOTH.token, "search", False),  # a name counts more than a purpose
        ("training", BOTH.token, True),
        ("training", "search", False),  # of two purposes, doubt goes to the site
    ],
)
def test_blocked_and_let_in(block, let_in, allowed):
    body = comity.build({"block": block, "let_in": let_in}).body

    assert comity.parse(body).allowed("/", agent=BOTH.token) is allowed


def test_groups_by_purpose():
    body = comity.build({"groups": {"purposes": "archive", "disallow": "/forum/"}}).body

    assert set(comity.parse(body).groups[0].agents) == {one.token for one in catalogue.by_purpose("archive")}


#: (plan, what is said of it)
INVALID = [
    ({"clos": "/"}, "plan: clos: there is no such key; did you mean close?"),
    ({"keep-out": True}, "plan: keep-out: there is no such key; did you mean keep_out?"),
    ({"zzz": True}, "plan: zzz: there is no such key; there are keep_out, only, "),
    ({"closed": True}, "plan: closed: there is no such key"),
    ({"keep_out": "yes"}, "plan: keep_out: this should be true or false, and is 'yes'"),
    ({"close": 3}, "plan: close: this should be a string or a list of them, and is 3"),
    ({"close": ["/a", None]}, "plan: close[1]: this should be a string, and is None"),
    ({"fragments": ["a"]}, "plan: fragments: this should be a string, and is ['a']"),
    ({"fragments": "no such folder"}, "plan: fragments: there is no folder no such folder"),
    ({"fragments": "/no/such/folder"}, "plan: fragments: there is no folder /no/such/folder"),
    (
        {"close": "tmp"},
        "plan: close: `tmp` begins with neither `/` nor `*`, so it would match nothing; write `/tmp`",
    ),
    ({"close": ""}, "plan: close: `` begins with neither"),
    ({"close": "/tmp/ "}, "plan: close: `/tmp/ ` ends with white space, which no file would keep; write %20"),
    ({"close": "/100%"}, "plan: close: a `%` of `/100%` begins no escape; write %25"),
    ({"close": "/a#b"}, "plan: close: `/a#b` has a `#`, which would begin a comment; write %23"),
    (
        {"close": "/a\nAllow: /"},
        "plan: close: `/a\\nAllow: /` has a character that cannot be printed, or ends a line",
    ),
    ({"only": "/a\r"}, "plan: only: `/a\\r$` has a character"),
    (
        {"block": "trainig"},
        "plan: block: trainig is neither a purpose nor an agent that is known; did you mean training?",
    ),
    ({"block": "GTPBot"}, "did you mean GPTBot?"),
    ({"block": "a b"}, "plan: block: `a b` is no product token, which has letters, digits, `-`, `_` and `.`"),
    ({"let_in": "ExampleBot/1.0", "keep_out": True}, "`ExampleBot/1.0` is no product token"),
    ({"let_in": ["Googlebot", "*"]}, "plan: let_in[1]: * is everybody, for whom `let_in` makes no exception"),
    ({"inherit": 1}, "plan: inherit: this should be true or false, and is 1"),
    (
        {"sitemaps": "/sitemap.xml"},
        "plan: sitemaps: `/sitemap.xml` is no value of Sitemap, which takes an absolute URL",
    ),
    ({"sitemaps": "https://e.example/ Disallow: /"}, "is no value of Sitemap"),
    ({"groups": "x"}, "plan: groups: this should be a table, and is 'x'"),
    ({"groups": [{"disallow": "/"}]}, "plan: groups[0]: there are neither agents nor purposes"),
    (
        {"groups": [{"agents": "a", "alow": "/"}]},
        "plan: groups[0].alow: there is no such key; did you mean allow?",
    ),
    ({"groups": {"agents": ""}}, "plan: groups.agents: `` is no product token"),
    ({"groups": {"agents": "a\nb"}}, "plan: groups.agents: `a\\nb` is no product token"),
    (
        {"groups": {"purposes": "evil"}},
        "plan: groups.purposes: there is no purpose evil; there are search, training, ",
    ),
    ({"groups": {"purposes": "serach"}}, "did you mean search?"),
    (
        {"groups": {"agents": "a", "crawl_delay": "1"}},
        "plan: groups.crawl_delay: this should be a number of seconds",
    ),
    (
        {"groups": {"agents": "a", "crawl_delay": True}},
        "plan: groups.crawl_delay: this should be a number of seconds",
    ),
    ({"groups": {"agents": "a", "crawl_delay": -1}}, "`-1` is no value of Crawl-delay, which takes seconds"),
    ({"groups": {"agents": "a", "crawl_delay": float("nan")}}, "`nan` is no value of Crawl-delay"),
    ({"groups": {"agents": "a", "request_rate": "fast"}}, "`fast` is no value of Request-rate"),
    ({"groups": {"agents": "a", "visit_time": "6-8"}}, "`6-8` is no value of Visit-time"),
    ({"groups": {"agents": "a", "content_signal": ""}}, "there is no signal; write search=yes"),
    (
        {"groups": {"agents": "a", "content_signal": "train=no"}},
        "there is no signal `train`; there are search, ",
    ),
    ({"groups": {"agents": "a", "content_signal": "search"}}, "`search=` says nothing; search is yes or no"),
    (
        {"groups": {"agents": "a", "content_signal": {"use": True}}},
        "`use=yes` says nothing; use is immediate or ",
    ),
    (
        {"groups": {"agents": "a", "content_signal": {"search": 1}}},
        "content_signal.search: this should be a string",
    ),
    ({"groups": {"agents": "a", "content_usage": "/a"}}, "there is no preference; write train-ai=n"),
    ({"groups": {"agents": "a", "content_usage": "Train-AI=n"}}, "`Train-AI=n` says nothing: "),
    ({"groups": {"agents": "a", "content_usage": "train-ai=no"}}, "`train-ai=no` is no plain preference"),
    (
        {"groups": {"agents": "a", "content_usage": "train-ai=n;x=1"}},
        "is no plain preference; write train-ai=y or",
    ),
    ({"groups": {"agents": "a", "content_usage": "train=n"}}, "there is no label `train`; there are ai, "),
    (
        {"groups": {"agents": "a", "content_usage": {"a": "train-ai=n"}}},
        "content_usage.a: a path begins with `/`",
    ),
    (
        {"groups": {"agents": "a", "content_usage": {"": 1}}},
        'content_usage."": this should be a string, and is 1',
    ),
    ({"owners": ["/"]}, "plan: owners: this should be a table of fragments and their folders"),
    ({"owners": {"a.txt": "/a"}}, "plan: owners.a.txt: a folder begins and ends with `/`, as in /shop/"),
    ({"environments": {"staging": True}}, "plan: environments: this should be a table of tables"),
    (
        {"environments": {"staging": {"clsed": True}}},
        "plan: environments.staging.clsed: there is no such key; did you mean closed?",
    ),
    ({"environments": {"a": {"close": "x"}}}, "plan: environments.a.close: `x` begins with neither"),
    ({1: 2}, "plan: 1: a key should be a string"),
    ({"environments": {None: {}}}, "plan: environments.None: a key should be a string"),
    ({"environments": {"a": {2: "x"}}}, "plan: environments.a.2: a key should be a string"),
    ({"groups": [{"agents": "a", b"allow": "/"}]}, "plan: groups[0].b'allow': a key should be a string"),
    (
        {"groups": {"agents": "a", "content_signal": {3: True}}},
        "plan: groups.content_signal.3: a key should be a string",
    ),
    (
        {"groups": {"agents": "a", "content_usage": {("/",): "train-ai=n"}}},
        "plan: groups.content_usage.('/',): a key should be a string",
    ),
    ({"owners": {1: "/"}}, "plan: owners.1: a key should be a string"),
]


@pytest.mark.parametrize(("plan", "says"), INVALID, ids=[row[1][:50] for row in INVALID])
def test_invalid_plans(plan, says):
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        comity.build(plan)

    assert not isinstance(caught.value, comity.errors.PlanConflict)
    assert len(caught.value.problems) == 1
    assert says in caught.value.problems[0]
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.problems, str(copy)) == (
        comity.errors.InvalidPlan,
        caught.value.problems,
        str(caught.value),
    )


def test_all_that_is_wrong_is_told_at_once():
    plan = {"clos": "/", "close": ["a", "b"], "block": "GTPBot", "environments": {"a": {}, "b": {"only": 1}}}
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        comity.build(plan)

    assert [problem.partition(": ")[2].partition(":")[0] for problem in caught.value.problems] == [
        "clos",
        "close[0]",
        "close[1]",
        "environments.b.only",
        "block",
    ]


#: (authority, plan, both places, as messages have them)
CONFLICTS = [
    (
        "rfc 2.2.2",
        {"close": "/%61", "groups": [{"agents": "*", "allow": "/a"}]},
        "*: `Disallow: /%61` (plan: close) contradicts `Allow: /a` (plan: groups[0].allow)",
    ),
    (
        "vendor",
        {"groups": [{"agents": "A", "crawl_delay": 1}, {"agents": "a", "crawl_delay": 2}]},
        "A: `Crawl-delay: 2` (plan: groups[1].crawl_delay) contradicts `Crawl-delay: 1` (plan: groups[0].crawl_delay)",
    ),
    (
        "vendor",
        {"groups": [{"agents": "A", "request_rate": ["1/1 0100-0200", "1/2 0100-0200"]}]},
        "A: `Request-rate: 1/2 0100-0200` (plan: groups[0].request_rate[1]) contradicts "
        "`Request-rate: 1/1 0100-0200` (plan: groups[0].request_rate[0])",
    ),
    (
        "vendor",
        {"groups": {"agents": "A", "content_signal": ["search=yes", "search=no"]}},
        "A: `Content-Signal: search=no` (plan: groups.content_signal[1]) contradicts "
        "`Content-Signal: search=yes` (plan: groups.content_signal[0])",
    ),
    (
        "draft-ietf-aipref-attach",
        {"groups": {"agents": "A", "content_usage": ["/a train-ai=y", "/%61 train-ai=n"]}},
        "A: `Content-Usage: /%61 train-ai=n` (plan: groups.content_usage[1]) contradicts "
        "`Content-Usage: /a train-ai=y` (plan: groups.content_usage[0])",
    ),
    (
        "comity",
        {"groups": [{"agents": "A", "inherit": True}, {"agents": "A", "inherit": False}]},
        "A: `inherit = false` (plan: groups[1].agents) contradicts `inherit = true` (plan: groups[0].agents)",
    ),
    ("comity", {"block": "GPTBot", "let_in": "gptbot"}, "GPTBot: plan: block contradicts plan: let_in"),
]


@pytest.mark.parametrize(("plan", "says"), [row[1:] for row in CONFLICTS])
def test_conflicts(plan, says):
    with pytest.raises(comity.errors.PlanConflict) as caught:
        comity.build(plan)

    assert caught.value.problems == (says,)
    assert pickle.loads(pickle.dumps(caught.value)).problems == (says,)


def test_environments():
    plan = {
        "close": "/tmp/",
        "sitemaps": "https://example.com/sitemap.xml",
        "environments": {
            "staging": {"closed": True},
            "preview": {"closed": False, "only": "/index.html", "sitemaps": []},
        },
    }

    assert comity.build(plan, environment="staging").body.decode() == f"{ALL_ROBOTS}Disallow: /\n"
    assert comity.build(plan, environment="preview").body.decode() == (
        f"{ALL_ROBOTS}Allow: /index.html$\nDisallow: /tmp/\nDisallow: /\n"
    )
    assert comity.build(plan).body.startswith(b"User-agent: *\nDisallow: /tmp/\n\nSitemap:")
    with pytest.raises(
        comity.errors.InvalidPlan, match="plan: there is no environment stagign; did you mean staging?"
    ):
        comity.build(plan, environment="stagign")


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, True),
        ({"closed": False}, True),
        ({"close": "/tmp/", "block": []}, True),
        ({"closed": True}, False),
        ({"close": "/x"}, False),
        ({"close": []}, False),
        ({"inherit": False}, False),
    ],
)
def test_an_environment_that_changes_nothing_is_told(environment, told):
    plan = {"close": "/tmp/", "environments": {"staging": environment, "production": {}}}
    notes = comity.build(plan, environment="staging").notes

    assert notes == (
        (
            "plan: environments.staging changes nothing, so that it is as open as the site itself; "
            "closed = true closes it",
        )
        if told
        else ()
    )
    assert comity.build(plan).notes == comity.build(plan, environment="production").notes == ()


def test_a_closed_environment_tells_what_is_wrong_with_the_site(site):
    files = {
        "robots.toml": 'close = "/shop/a"\n[environments.staging]\nclosed = true\nclose = []\n',
        "robots.d/shop.txt": "User-agent: *\nDisallow: /\n",
    }
    with pytest.raises(comity.errors.InvalidPlan, match=r"robots.d/shop.txt:2: `Disallow: /` speaks of more"):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a\n"
    with pytest.raises(comity.errors.PlanConflict):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a/b\nSitemap: https://example.com/shop.xml\n"
    built = site(files, environment="staging")
    assert built.body.decode() == f"{ALL_ROBOTS}Disallow: /\n"
    assert built.notes == ()  # what is told of the site is not of this file


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Give a function that writes the files of a site and builds it."""
    monkeypatch.chdir(tmp_path)

    def build(files, **options):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return comity.build(**options)

    return build


SHOP = "# The shop\nuser-agent: *\nDisallow: /shop/cart/\nAllow: /shop/cart/help\nSitemap: https://example.com/shop.xml\n"
BLOG = "User-agent: *\nDisallow: /blog/drafts/ # not yet\n"


def test_fragments(site):
    built = site(
        {
            "robots.toml": 'block = "GPTBot"',
            "robots.d/shop.txt": SHOP,
            "robots.d/blog.txt": BLOG,
            "robots.d/notes.md": "Disallow: /",
            "robots.d/.hidden.txt": "Disallow: /",
        }
    )

    assert built.body.decode() == (
        "User-agent: GPTBot\nDisallow: /\n\n"
        "User-agent: *\nAllow: /shop/cart/help\nDisallow: /blog/drafts/\nDisallow: /shop/cart/\n\n"
        "Sitemap: https://example.com/shop.xml\n"
    )
    assert built.places[5] == ("robots.d/blog.txt:2",)
    assert built.notes == ()


def test_provenance(site):
    files = {"robots.toml": 'close = ["/tmp/", "/blog/drafts/"]', "robots.d/blog.txt": BLOG}
    built = site(files, provenance=True)

    assert built.body.decode() == (
        "# from robots.toml: close[0], robots.toml: close[1], robots.d/blog.txt:1\n"
        "User-agent: *\n"
        "# from robots.toml: close[1], robots.d/blog.txt:2\n"
        "Disallow: /blog/drafts/\n"
        "# from robots.toml: close[0]\n"
        "Disallow: /tmp/\n"
    )
    assert comity.format(built.body) == built.body
    assert built.places[3] == ("robots.toml: close[1]", "robots.d/blog.txt:2")


def test_what_is_built_tells_nothing_of_where_it_was_built(site, tmp_path):
    files = {
        "robots.toml": 'close = "/tmp/"',
        "robots.d/blog.txt": BLOG,
        "a.toml": f"fragments = '{(tmp_path / 'robots.d').as_posix()}'",
        "b.toml": 'fragments = "./robots.d/"',
    }
    first = site(files, provenance=True)
    up = f"../{tmp_path.name}"

    for source in (
        tmp_path,
        tmp_path / "robots.toml",
        f"{tmp_path}{os.sep}",
        "robots.d/..",
        up,
        "./robots.toml",
    ):
        assert comity.build(source, provenance=True) == first
    for source in ("a.toml", tmp_path / "a.toml", Path(up) / "b.toml", "b.toml"):
        assert comity.build(source, provenance=True).places[1] == ("robots.d/blog.txt:1",)
    for source in ("robots.d", tmp_path / "robots.d"):
        assert comity.build(source, provenance=True).places[1] == ("blog.txt:1",)


def test_places_in_messages_are_those_of_the_plan(site, tmp_path):
    files = {"robots.toml": 'clos = "/"', "robots.d/shop.txt": "User-agent: *\nAllow: /"}
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files, source=tmp_path)

    assert [problem[:19] for problem in caught.value.problems] == [
        "robots.toml: clos: ",
        "robots.d/shop.txt:2",
    ]


@pytest.mark.parametrize(
    ("source", "names"),
    [(".", ["robots.d/blog.txt"]), ("robots.d", ["blog.txt"]), ("other.toml", ["robots.d/blog.txt"])],
)
def test_sources(site, tmp_path, source, names):
    built = site(
        {"robots.d/blog.txt": BLOG, "robots.d/robots.txt": "nonsense", "other.toml": ""}, source=source
    )

    assert built.body == b"User-agent: *\nDisallow: /blog/drafts/\n"
    assert [place[0].rpartition("robots.d/")[2] for place in built.places] == ["blog.txt:1", "blog.txt:2"]


def test_a_table_has_no_fragments_unless_it_says_so(site):
    files = {"robots.d/blog.txt": BLOG}

    assert site(files, source={}).body == b"User-agent: *\nDisallow:\n"
    assert site(files, source={"fragments": "robots.d"}).body == b"User-agent: *\nDisallow: /blog/drafts/\n"


def test_nothing_to_build_from(site, tmp_path):
    with pytest.raises(
        comity.errors.InvalidPlan, match="there is no robots.toml, no robots.d and no fragment"
    ):
        site({})
    with pytest.raises(FileNotFoundError):
        comity.build(tmp_path / "none.toml")


@pytest.mark.parametrize("text", ["block = [", b"block = '\xff'"])
def test_no_toml(site, text):
    with pytest.raises(comity.errors.InvalidPlan, match=r"^robots.toml: "):
        site({"robots.toml": text})


#: (what its owner may not write, or what nobody would read; what is said of it)
FRAGMENTS = [
    (
        "User-agent: *\nDisallow: /",
        "robots.d/shop.txt:2: `Disallow: /` speaks of more than /shop/, which is all that shop.txt may speak of",
    ),
    ("User-agent: *\nDisallow: /shop", "robots.d/shop.txt:2: `Disallow: /shop` speaks of more than /shop/"),
    ("User-agent: *\nDisallow: /*/cart", "`Disallow: /*/cart` speaks of more than /shop/"),
    ("User-agent: *\nDisallow: *.gif", "`Disallow: *.gif` speaks of more than /shop/"),
    (
        "User-agent: *\nCrawl-delay: 3",
        "robots.d/shop.txt:2: `Crawl-delay: 3` speaks of the whole site, and not only of /shop/",
    ),
    ("User-agent: *\nContent-Signal: search=no", "`Content-signal: search=no` speaks of the whole site"),
    ("User-agent: *\nContent-Usage: train-ai=n", "`Content-usage: train-ai=n` speaks of more than /shop/"),
    ("Host: shop.example.com", "robots.d/shop.txt:1: `Host: shop.example.com` speaks of the whole site"),
    ("Clean-param: sid /", "`Clean-param: sid /` speaks of more than /shop/"),
    ("Disallow: /shop/", "robots.d/shop.txt:1: `Disallow` applies to no robot"),
    (
        "User-agent: *\nDisalow: /shop/",
        "robots.d/shop.txt:2: Google and Comity read `Disalow` as Disallow",
    ),
    ("User-agent: *\nDisallow /shop/", "robots.d/shop.txt:2: "),
    ("User-agent: *\nUnknown: x", "robots.d/shop.txt:2: "),
    ("User-agent: *\nnonsense", "robots.d/shop.txt:2: "),
    ("User-agent: *\nDisallow: shop/", "robots.d/shop.txt:2: `shop/` begins with neither"),
    (
        "User-agent: Example Bot/1\nDisallow: /shop/",
        "robots.d/shop.txt:1: `Example Bot/1` is no product token",
    ),
    ("User-agent: *\nDisallow: /shop/\x00", "robots.d/shop.txt:2: "),
    ("User-agent: *\nDisallow: /shop/%zz", "robots.d/shop.txt:2: a `%` of `/shop/%zz` begins no escape"),
    ("Sitemap: /sitemap.xml", "robots.d/shop.txt:1: `/sitemap.xml` is not valid for Sitemap"),
    ("ACAP-crawler: *", "robots.d/shop.txt:1: ACAP's fields are not built"),
    ("<html>", "robots.d/shop.txt:1: "),
]


@pytest.mark.parametrize(("text", "says"), FRAGMENTS, ids=[row[0] for row in FRAGMENTS])
def test_what_a_fragment_may_not_say(site, text, says):
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site({"robots.d/shop.txt": text})

    assert says in caught.value.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /sh%6Fp/cart",
        "User-agent: *\nDisallow: /shop/*.pdf$",
        "User-agent: *\nDisallow: /shop/caf\u00e9\nAllow:\nDisallow:",
        "User-agent: *\nContent-Usage: /shop/\ttrain-ai=n",
        "Clean-param: sid /shop/",
        "Sitemap: https://elsewhere.example/shop.xml",
    ],
)
def test_what_a_fragment_may_say(site, text):
    assert site({"robots.d/shop.txt": text}).body.count(b"\n") >= 2


def test_octets_that_are_not_utf_8_are_escaped(site):
    body = site({"robots.d/shop.txt": b"User-agent: *\nDisallow: /shop/\xe9"}).body

    assert body == b"User-agent: *\nDisallow: /shop/%E9\n"


def test_owners(site):
    plan = '[owners]\n"shop.txt" = ["/shop/", "/cart/"]\n"boss.txt" = "/"\n'
    shop = "User-agent: *\nDisallow: /cart/\nDisallow: /shop/x\n"
    boss = "User-agent: *\nDisallow: /*?\nCrawl-delay: 3\nHost: www.example.com\n"
    body = site({"robots.toml": plan, "robots.d/shop.txt": shop, "robots.d/boss.txt": boss}).body

    assert body.decode() == (
        "User-agent: *\nDisallow: /shop/x\nDisallow: /cart/\nDisallow: /*?\nCrawl-delay: 3\n\n"
        "Host: www.example.com\n"
    )
    with pytest.raises(
        comity.errors.InvalidPlan, match="/shop/ and /cart/, which is all that shop.txt may speak of"
    ):
        site({"robots.d/shop.txt": "User-agent: *\nDisallow: /tmp/"})


def test_an_owner_without_a_fragment(site):
    with pytest.raises(
        comity.errors.InvalidPlan,
        match=r"owners.shp.txt: there is no such fragment in robots.d; did you mean shop.txt",
    ):
        site({"robots.toml": '[owners]\n"shp.txt" = "/x/"\n', "robots.d/shop.txt": ""})


def test_a_name_that_is_no_folder(site):
    with pytest.raises(comity.errors.InvalidPlan, match=r"robots.d/a#b.txt: .* give it a folder in `owners`"):
        site({"robots.d/a#b.txt": "User-agent: *\nDisallow: /x"})


def test_fragments_that_contradict_each_other(site):
    files = {
        "robots.toml": '[owners]\n"feeds.txt" = "/shop/"\n',
        "robots.d/shop.txt": "User-agent: Googlebot\nUser-agent: *\nDisallow: /shop/feed\n",
        "robots.d/feeds.txt": "User-agent: *\nAllow: /shop/feed\n",
    }
    with pytest.raises(comity.errors.PlanConflict) as caught:
        site(files)

    assert caught.value.problems == (
        "*: `Disallow: /shop/feed` (robots.d/shop.txt:3) contradicts `Allow: /shop/feed` (robots.d/feeds.txt:2)",
    )


def test_all_that_is_wrong_with_fragments_is_told_at_once(site):
    """What one line has hides nothing of another, nor what its owner may not speak of."""
    files = {
        "robots.toml": 'clos = "/"\n[owners]\n"feeds.txt" = "/x/"\n',
        "robots.d/a#b.txt": "User-agent: *\nUnknown: x\nDisallow: /elsewhere/\n",
        "robots.d/shop.txt": (
            "Disallow: /cart/\n"  # outside a group, and of another owner
            "User-agent: Example Bot/1\n"
            "User-agent: ExampleBot\n"
            "Unknown: x\n"
            "Disallow: /\n"
            "Disalow: /tmp\n"  # misspelt, and of another owner
            "Disallow: shop/\n"
            "Allow: /shop/a\n"
            "Disallow: /shop/a\n"
            "Crawl-delay: x\n"
        ),
        "robots.d/site.txt": "User-agent: ExampleBot\nnonsense\n",
    }
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files, environment="stagin")

    assert [problem[:40].rpartition(": ")[0].split(": ")[0] for problem in caught.value.problems] == [
        "robots.toml",  # the key
        "robots.toml",  # the environment
        "robots.toml",  # the owner
        "robots.d/a#b.txt",
        "robots.d/a#b.txt:2",
        "robots.d/shop.txt:1",
        "robots.d/shop.txt:1",
        "robots.d/shop.txt:4",
        "robots.d/shop.txt:5",
        "robots.d/shop.txt:6",
        "robots.d/shop.txt:6",
        "robots.d/shop.txt:7",
        "robots.d/shop.txt:10",
        "robots.d/shop.txt:2",
        "robots.d/site.txt:2",
        "ExampleBot",
    ]
    assert len(set(caught.value.problems)) == len(caught.value.problems)


def test_conflicts_are_told_with_all_else_that_is_wrong(site):
    files = {
        "robots.toml": 'close = "/shop/x"',
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/x\nAllow: /",
    }
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files)

    assert [": ".join(problem.split(": ")[:1]) for problem in caught.value.problems] == [
        "robots.d/shop.txt:3",
        "*",
    ]
    assert not isinstance(caught.value, comity.errors.PlanConflict)


def test_a_longer_rule_of_another_is_told(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /shop/*.pdf\nDisallow: /blog/\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/*.pdf?open\nAllow: /shop/all\nDisallow: /shop/all/x\n",
    }

    assert site(files).notes == (
        "*: `Allow: /shop/*.pdf?open` (robots.d/shop.txt:2) overrules `Disallow: /shop/*.pdf` "
        "(robots.d/site.txt:2), which is shorter, on paths such as /shop/.pdf?open",
        "*: `Disallow: /shop/*.pdf` (robots.d/site.txt:2) overrules `Allow: /shop/all` "
        "(robots.d/shop.txt:3), which is shorter, on paths such as /shop/all.pdf",
    )


#: (what all of the site is told, what the shop says, a shortest path that both match, or none)
OVERRULED = [
    ("Disallow: /*.pdf$", "Allow: /shop/files/", "/shop/files/.pdf"),
    ("Disallow: /shop/*/$", "Allow: /shop/a", "/shop/a/"),
    ("Disallow: /*.pdf", "Disallow: /shop/files/", None),
    ("Disallow: /*.pdf$", "Allow: /shop/*.html$", None),
    ("Disallow: /*.pdf$", "Allow: /shop/*df$", "/shop/.pdf"),
    ("Disallow: /*aba*bab$", "Allow: /shop/*bab*aba*b$", "/shop/bababab"),  # the pieces overlap
    ("Disallow: /shop/a$", "Allow: /shop/a$", "conflict"),
    ("Disallow: /shop/a$", "Allow: /shop/a", "/shop/a"),
    ("Disallow: /shop/ab$", "Allow: /shop/a$", None),
    ("Disallow: /shop/a$", "Allow: /shop/*/a$", None),
    ("Disallow: /blog/", "Allow: /shop/", None),
    ("Disallow: *", "Allow: /shop/", "/shop/"),
    ("Disallow: /*b*", "Allow: /shop/a", "/shop/ab"),
    ("Disallow: /shop/*b", "Allow: /shop/a*", "/shop/ab"),  # as long, and an Allow goes first
    ("Disallow: /shop/?u=https://x", "Allow: /shop/?u=https%3A%2F%2Fx/y", "/shop/?u=https%3A%2F%2Fx/y"),
    ("Allow: /*.pdf$", "Disallow: /shop/files/", "/shop/files/.pdf"),
]


@pytest.mark.parametrize(("of_site", "of_shop", "path"), OVERRULED)
def test_rules_of_two_files_that_match_one_path_are_told(site, of_site, of_shop, path):
    files = {
        "robots.d/site.txt": f"User-agent: *\n{of_site}\n",
        "robots.d/shop.txt": f"User-agent: *\n{of_shop}\n",
    }
    if path == "conflict":
        with pytest.raises(comity.errors.PlanConflict):
            site(files)
        return
    told = [note for note in site(files).notes if " overrules " in note]

    assert len(told) == (path is not None)
    for note in told:
        assert f"`{of_site}` (robots.d/site.txt:2)" in note
        assert f"`{of_shop}` (robots.d/shop.txt:2)" in note
        assert note.endswith(f", on paths such as {path}")


def test_each_pair_is_told_and_what_one_file_says_is_not(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*a\nDisallow: /*b\nAllow: /shop/x\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/x\nAllow: /shop/y\n",
    }
    notes = site(files).notes

    assert [note.rpartition(" ")[2] for note in notes] == ["/shop/xa", "/shop/xb", "/shop/ya", "/shop/yb"]
    assert "(robots.d/shop.txt:2)" in notes[0]  # which site.txt says as well
    files["robots.d/shop.txt"] = ""
    assert site(files).notes == ()


pieces = st.lists(st.sampled_from("ab*"), max_size=6).map("".join)
small = st.builds(lambda text, end: f"/{text}{end}", pieces, st.sampled_from(["", "$"]))
PATHS = ["/" + "".join(path) for size in range(9) for path in itertools.product("ab", repeat=size)]


@given(small, small)
def test_what_is_told_is_what_trying_all_paths_tells(one, other):
    closed, opened = rule(False, one, "robots.d/site.txt:2"), rule(True, other, "robots.d/shop.txt:2")
    if closed.key == opened.key:
        return
    said = {(clause.field, clause.key): Settled(clause, (clause.place,)) for clause in (closed, opened)}
    both = [compile_pattern(clause.key, wildcards=True) for clause in (closed, opened)]
    found = Search().among(rules_of(said))
    shortest = next((path for path in PATHS if all(matches(pattern, path) for pattern in both)), None)

    if shortest is None:
        assert not found or len(found[0].path) > 9
    else:
        assert len(found[0].path) == len(shortest)
        assert all(matches(pattern, found[0].path) for pattern in both)


def test_where_looking_ends_it_is_said(site):
    shop = "".join(f"Allow: /shop/{number}\n" for number in range(1500))
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*.pdf$\n",
        "robots.d/shop.txt": f"User-agent: *\n{shop}",
    }
    notes = site(files).notes

    assert sum(" overrules " in note for note in notes) == 1000
    assert notes[-1].startswith("more rules of one file may overrule another's: there are too many")

    rules = rules_of(
        {
            (clause.field, clause.key): Settled(clause, (clause.place,))
            for clause in (rule(False, "/*a*b$", "a.txt:1"), rule(True, "/x*ba*", "b.txt:1"))
        }
    )
    unwalked, unseen = Search(states=0), Search(pairs=0)
    assert [one.path for one in unwalked.among(rules)] == [
        "/xabab"
    ]  # one that both match, if none the shortest
    assert unwalked.complete
    assert (unseen.among(rules), unseen.complete) == ([], False)


def test_the_owner_of_a_part_cannot_open_the_others(site):
    """A robot that a fragment names would heed no other group, so it is told what the others say."""
    files = {
        "robots.toml": "keep_out = true",
        "robots.d/blog.txt": BLOG,
        "robots.d/shop.txt": "User-agent: ExampleBot\nAllow: /shop/feed\n",
    }
    robots = comity.parse(site(files).body)

    assert not robots.allowed("/", agent="ExampleBot")
    assert not robots.allowed("/blog/drafts/x", agent="ExampleBot")
    assert robots.allowed("/shop/feed", agent="ExampleBot")


#: (the plan, the fragment, what is said; nothing if it may be)
LIFTED = [
    (
        'block = ["training"]',
        "User-agent: GPTBot\nAllow: /shop/",
        "GPTBot: `Allow: /shop/` (robots.d/shop.txt:2) opens what robots.toml: block[0] blocks; "
        'let_in = "GPTBot" says that it may come',
    ),
    (
        'block = "GPTBot"',
        "User-agent: *\nUser-agent: gptbot\nAllow: /shop/a*b",
        "gptbot: `Allow: /shop/a*b` (robots.d/shop.txt:3) opens what robots.toml: block blocks; "
        'let_in = "gptbot" says that it may come',
    ),
    (
        'block = "Googlebot"',
        "User-agent: Googlebot-Image\nDisallow: /shop/a",
        "Googlebot-Image: a group of its own (robots.d/shop.txt:1) takes it out of that of Googlebot, which "
        'robots.toml: block blocks; let_in = "Googlebot-Image" says that it may come',
    ),
    (
        'block = "*"',
        "User-agent: *\nAllow: /shop/",
        "*: `Allow: /shop/` (robots.d/shop.txt:2) opens what robots.toml: block blocks",
    ),
    ('block = "training"\nlet_in = "GPTBot"', "User-agent: GPTBot\nAllow: /shop/", None),
    ('block = "Googlebot"\nlet_in = "Googlebot-Image"', "User-agent: Googlebot-Image\nAllow: /shop/", None),
    ('block = "GPTBot"', "User-agent: GPTBot\nDisallow: /shop/", None),
    ('block = "GPTBot"', "User-agent: *\nAllow: /shop/", None),
    ('block = "GPTBot"\ngroups = [{agents = "GPTBot", allow = "/open/"}]', "", None),  # the plan's own word
]


@pytest.mark.parametrize(("plan", "shop", "says"), LIFTED)
@pytest.mark.parametrize("name", ["shop.txt", "site.txt"])
def test_no_fragment_opens_what_the_plan_blocks(site, plan, shop, says, name):
    files = {"robots.toml": plan, f"robots.d/{name}": shop}
    if says is None:
        site(files)
        return
    with pytest.raises(comity.errors.PlanConflict) as caught:
        site(files)

    assert caught.value.problems == (says.replace("shop.txt", name),)


def test_a_group_of_ones_own_is_told_what_it_misses(site):
    files = {"robots.toml": 'close = ["/a", "/b"]', "robots.d/site.txt": "User-agent: ABot\nDisallow: /x"}
    (note,) = site(files).notes

    assert note == (
        "ABot: who is named in a group heeds no other, so not `Disallow: /a` (robots.toml: close[0]) and 1 more "
        "of `*`; inherit = true says it here too, and inherit = false that it is not meant"
    )
    for decision in ("true", "false"):
        files["robots.toml"] = f'close = ["/a", "/b"]\ninherit = {decision}'
        built = site(files)
        assert built.notes == ()
        assert comity.parse(built.body).allowed("/a", agent="ABot") is (decision == "false")


NAMED_ONLY = [agent.token for agent in catalogue.ALL if agent.named_only]


@pytest.mark.parametrize(
    ("plan", "open_to"),
    [
        ({"keep_out": True}, []),
        ({"keep_out": True, "inherit": False}, []),  # nobody asked for a group of theirs
        ({"only": "/about.html"}, []),
        ({"keep_out": True, "let_in": "AdsBot-Google"}, ["AdsBot-Google"]),
        ({"keep_out": True, "let_in": "ads"}, [token for token in NAMED_ONLY if token != "APIs-Google"]),
        ({"keep_out": True, "groups": {"agents": "adsbot-google", "inherit": False}}, ["AdsBot-Google"]),
        ({"environments": {"staging": {"closed": True}}, "let_in": "ads"}, []),
    ],
)
def test_who_heeds_no_default_group_is_named_where_all_are_kept_out(plan, open_to):
    """Google: AdsBot ignores `*`, and so would come to a site that is closed to all others."""
    built = comity.build(plan, environment="staging" if "environments" in plan else None)
    robots = comity.parse(built.body)

    assert [token for token in NAMED_ONLY if robots.check("/", agent=token).matched == "*"] == []
    assert [token for token in NAMED_ONLY if robots.allowed("/", agent=token)] == open_to
    assert not robots.allowed("/", agent="ExampleBot")
    assert built.notes == ()


def test_what_closes_a_site_by_build_and_by_serve_is_one():
    from comity.site.serve import Request, Site

    plan = {"environments": {"staging": {"closed": True}}}
    served = Site(None, environment="staging").answer(Request("GET", b"/robots.txt", b"", ()))

    assert comity.build(plan, environment="staging").body == served.body


def test_robots_that_heed_no_default_group_are_told():
    """Where an owner writes the rule, it stays as it is written."""
    closed = {"agents": "*", "disallow": "/"}
    (note,) = comity.build({"groups": closed}).notes

    assert note.startswith("AdsBot-Google, ")
    assert note.endswith(
        " heed only groups that name them, so plan: groups.agents does not close the site to them; "
        "keep_out = true does"
    )
    assert "AdsBot-Google," not in comity.build({"groups": closed, "block": "AdsBot-Google"}).notes[0]
    assert comity.build({"groups": closed, "block": NAMED_ONLY}).notes == ()


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"block": "training"}, True),
        ({"block": ["training", "Diffbot"]}, True),
        ({"block": ["training", "search"]}, True),
        ({"block": ["training", "data"]}, False),
        ({"block": ["training"], "let_in": "data"}, False),
        ({"block": ["training"], "keep_out": True}, False),  # which keeps them out
        ({"block": "GPTBot"}, False),
        ({"let_in": "training"}, False),
    ],
)
def test_who_collects_for_trainers_is_told(plan, told):
    notes = [note for note in comity.build(plan).notes if "training, and not data" in note]

    assert len(notes) == told
    for note in notes:
        place = note.partition(" keeps")[0]
        assert place.startswith("plan: block")
        assert ("Diffbot" in note) is ("Diffbot" not in plan["block"])
        assert "FirecrawlAgent, " in note
        assert "CCBot" not in note  # it is blocked
        assert 'block "data" too' in note


def test_a_collector_that_is_named_is_no_surprise():
    plans = {"let_in": "Diffbot"}, {"groups": {"agents": "diffbot", "disallow": "/x"}}
    for plan in plans:
        (note,) = [one for one in comity.build({"block": "training", **plan}).notes if "not data" in one]
        assert "Diffbot" not in note


def test_a_name_that_nobody_knows_is_told():
    assert comity.build({"block": "Zzyzx"}).notes == (
        "plan: block: Zzyzx is neither a purpose nor an agent that is known, and taken for the name of a robot",
    )


def test_a_large_file_is_told():
    plan = {"close": [f"/{number:06}/{'x' * 200}" for number in range(LIMIT // 210)]}
    built = comity.build(plan)

    assert len(built.body) > LIMIT
    assert built.notes[-1].startswith("the file is larger than 500 KiB")


def test_what_cannot_be_read_as_it_was_meant_is_refused():
    """Google reads so much of a line and no more."""
    long = "/" + "a" * 20_000
    plans = [
        ({"close": ["/x", long]}, "plan: close[1]: `Disallow: /aaa"),
        ({"groups": {"agents": "a" * 20_000, "disallow": "/"}}, "plan: groups.agents: `User-agent: aaa"),
        ({"sitemaps": f"https://example.com{long}"}, "plan: sitemaps: `Sitemap: https://example.com/aaa"),
    ]
    for plan, says in plans:
        with pytest.raises(comity.errors.InvalidPlan) as caught:
            comity.build(plan)
        (problem,) = caught.value.problems
        assert problem.startswith(says)
        assert (
            "is read otherwise in the dialect google, which takes 16,663 octets of a line, not 20," in problem
        )


names = st.sampled_from(["*", "ExampleBot", "OtherBot", "MJ12bot", "examplebot"])
groups = st.fixed_dictionaries(
    {"agents": st.lists(names, min_size=1, max_size=3), "inherit": st.just(False)},
    optional={"allow": st.lists(patterns, max_size=4), "disallow": st.lists(patterns, max_size=4)},
)


@given(st.lists(groups, max_size=4), st.lists(urls, max_size=6))
def test_what_is_built_answers_as_what_was_asked_for(plan, several):
    """Groups written one after the other mean the same, by RFC 9309 2.2.1 and 2.2.2."""
    try:
        body = comity.build({"groups": plan}).body
    except comity.errors.InvalidPlan:
        return
    plain = "\n".join(
        line
        for group in plan
        for line in (
            *(f"User-agent: {name}" for name in group["agents"]),
            *(f"Allow: {pattern}" for pattern in group.get("allow", [])),
            *(f"Disallow: {pattern}" for pattern in group.get("disallow", [])),
            "Disallow:",
        )
    )
    for agent in ("ExampleBot", "OtherBot", "MJ12bot", "Nobody"):
        asked = comity.parse(plain).rules_for(agent)
        assert comity.parse(body).rules_for(agent).allowed_many(several) == asked.allowed_many(several)
    assert comity.build({"groups": plan}).body == body


@given(
    st.sampled_from(
        ["close", "only", "block", "let_in", "sitemaps", "agents", "allow", "content_usage", "content_signal"]
    ),
    st.text(max_size=12),
)
def test_no_value_becomes_a_line_of_its_own(key, text):
    extra = {"keep_out": True}
    group = {"agents": "ExampleBot", "inherit": False}
    plan = (
        {**extra, "groups": {**group, key: text}}
        if key not in ("close", "only", "block", "let_in", "sitemaps")
        else {**extra, key: text}
    )
    try:
        body = comity.build(plan).body
    except comity.errors.InvalidPlan:
        return
    known = (b"User-agent: ", b"Disallow: ", b"Disallow:", b"Allow: ", b"Sitemap: ", b"Content-")
    lines = body.decode().splitlines()
    assert all(line == "" or line.encode().startswith(known) for line in lines)
    assert len(lines) <= 8 + 2 * len(catalogue.ALL)
    # By the older standards a name is part of another, so that who is let in may be many.
    for dialect in ("rfc9309", "google"):
        closed = not comity.parse(body, dialect=dialect).allowed("/x/y", agent="Nobody")
        assert closed or text.startswith(("/", "*"))
