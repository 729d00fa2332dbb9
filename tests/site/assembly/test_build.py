"""`comity.build`: one robots.txt from a plan and fragments, and the problems of these."""

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
from comity.site.assembly.directive import rule_directive
from comity.site.assembly.group import Merged, sorted_rules
from comity.site.assembly.overruled_rules import OverruledSearch
from comity.site.formatting.layout import LIMIT

#: An agent with both purposes.
BOTH = next(one for one in catalogue.ALL if {"training", "search"} <= set(one.purposes))

#: The names in a file that closes the site to all: `*`, and robots that ignore `*` by their operators' documents.
ALL_ROBOTS = "".join(
    f"User-agent: {name}\n"
    for name in (
        "*", "AdsBot-Google", "AdsBot-Google-Mobile", "APIs-Google", "Mediapartners-Google", "YaDirectFetcher",
        "YandexDirect", "YandexDirectDyn",
    )
)  # fmt: skip

#: (source, case, plan, file)
RECIPES = [
    ("1994", "an empty plan allows everything", {}, "User-agent: *\nDisallow:\n"),
    ("1994", "keep all robots out", {"keep_out": True}, f"{ALL_ROBOTS}Disallow: /\n"),
    ("1994", "false has no effect", {"keep_out": False}, "User-agent: *\nDisallow:\n"),
    (
        "1994",
        "let one robot in",
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
        "everything except one file",
        {"only": "/~joe/foo.html"},
        f"{ALL_ROBOTS}Allow: /~joe/foo.html$\nDisallow: /\n",
    ),
    ("comity", "everything except a folder", {"only": "/open/"}, f"{ALL_ROBOTS}Allow: /open/\nDisallow: /\n"),
    (
        "1994",
        "exclude one robot",
        {"block": "SomeBadRobot"},
        "User-agent: SomeBadRobot\nDisallow: /\n",
    ),
    (
        "comity",
        "a robot that is let in obeys the other rules",
        {"keep_out": True, "let_in": "Googlebot", "close": "/tmp/"},
        f"User-agent: Googlebot\nDisallow: /tmp/\n\n{ALL_ROBOTS}Disallow: /tmp/\nDisallow: /\n",
    ),
    (
        "comity",
        "let_in has no effect on an open site",
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
        "groups of one name merge",
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
        "invalid characters are refused",
        {"close": "/caf\u00e9 \u2028?a=[b]"},
        None,
    ),
    (
        "draft1996",
        "the rule that wins comes first",
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
        "inherit everywhere except once",
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
        "a robot that is let in may have its own group",
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
        "a blocked robot inherits nothing",
        {"inherit": True, "block": "GPTBot", "groups": {"agents": "*", "allow": "/open/", "crawl_delay": 1}},
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /open/\nCrawl-delay: 1\n",
    ),
]


@pytest.mark.parametrize(
    ("plan", "expected"), [row[2:] for row in RECIPES], ids=[f"{row[0]}: {row[1]}" for row in RECIPES]
)
def test_recipes(plan, expected):
    if expected is None:
        with pytest.raises(comity.errors.InvalidPlan, match="has a control character or a line end"):
            comity.build(plan)
        return
    built = comity.build(plan)

    assert built.body.decode() == expected
    assert comity.format(built.body) == built.body
    assert len(built.sources) == expected.count("\n")


def test_purposes():
    built = comity.build({"block": ["training", "ExampleBot"], "let_in": ["GPTBot"]})
    robots = comity.parse(built.body)
    tokens = {agent.token for agent in catalogue.by_purpose("training")}

    assert len(robots.groups) == 1
    assert set(robots.groups[0].agents) == tokens - {"GPTBot"} | {"ExampleBot"}
    assert not robots.allowed("/", agent="CCBot")
    assert robots.allowed("/", agent="GPTBot")
    (note,) = [note for note in built.notes if note.startswith("LAIONDownloader")]
    assert note.endswith("its operator says that it does not obey robots.txt")


@pytest.mark.parametrize(
    ("block", "let_in", "allowed"),
    [
        (BOTH.token, "search", False),  # a name outranks a purpose
        ("training", BOTH.token, True),
        ("training", "search", False),  # a blocked purpose outranks one that is let in
    ],
)
def test_blocked_and_let_in(block, let_in, allowed):
    body = comity.build({"block": block, "let_in": let_in}).body

    assert comity.parse(body).allowed("/", agent=BOTH.token) is allowed


def test_robot_let_in_does_not_inherit_the_setting_of_the_default_group():
    groups = [{"agents": "Bingbot", "disallow": "/x"}, {"agents": "*", "inherit": False, "disallow": "/x"}]
    body = comity.build({"keep_out": True, "let_in": "Googlebot", "groups": groups}).body

    assert body.startswith(b"User-agent: Googlebot\nUser-agent: Bingbot\nDisallow: /x\n\nUser-agent: *\n")


def test_groups_by_purpose():
    body = comity.build({"groups": {"purposes": "archive", "disallow": "/forum/"}}).body

    assert set(comity.parse(body).groups[0].agents) == {one.token for one in catalogue.by_purpose("archive")}


#: (plan, part of the message)
INVALID = [
    ({"clos": "/"}, "plan: clos: unknown key; did you mean close?"),
    ({"keep-out": True}, "plan: keep-out: unknown key; did you mean keep_out?"),
    ({"zzz": True}, "plan: zzz: unknown key; expected one of keep_out, only, "),
    ({"closed": True}, "plan: closed: unknown key"),
    ({"keep_out": "yes"}, "plan: keep_out: invalid value 'yes'; expected true or false"),
    ({"close": 3}, "plan: close: invalid value 3; expected a string or a list of strings"),
    ({"close": ["/a", None]}, "plan: close[1]: invalid value None; expected a string"),
    ({"fragments": ["a"]}, "plan: fragments: invalid value ['a']; expected a string"),
    ({"fragments": "no such folder"}, "plan: fragments: no folder no such folder"),
    ({"fragments": "/no/such/folder"}, "plan: fragments: no folder /no/such/folder"),
    (
        {"close": "tmp"},
        "plan: close: `tmp` begins with neither `/` nor `*`, so it matches nothing; write `/tmp`",
    ),
    ({"close": ""}, "plan: close: `` begins with neither"),
    ({"close": "/tmp/ "}, "plan: close: `/tmp/ ` ends with white space, which a file cannot hold; write %20"),
    ({"close": "/100%"}, "plan: close: `/100%` has a `%` that begins no escape; write %25"),
    ({"close": "/a#b"}, "plan: close: `/a#b` has a `#`, which would begin a comment; write %23"),
    (
        {"close": "/a\nAllow: /"},
        "plan: close: `/a\\nAllow: /` has a control character or a line end; remove it",
    ),
    ({"only": "/a\r"}, "plan: only: `/a\\r$` has a control character"),
    (
        {"block": "trainig"},
        "plan: block: trainig is not a known agent or purpose; did you mean training?",
    ),
    ({"block": "GTPBot"}, "did you mean GPTBot?"),
    (
        {"block": "a b"},
        "plan: block: `a b` is not a product token; use letters, digits, `-`, `_` and `.` only",
    ),
    ({"let_in": "ExampleBot/1.0", "keep_out": True}, "`ExampleBot/1.0` is not a product token"),
    (
        {"let_in": ["Googlebot", "*"]},
        "plan: let_in[1]: * is all robots, and not an exception; name the robots to let in",
    ),
    ({"inherit": 1}, "plan: inherit: invalid value 1; expected true or false"),
    (
        {"sitemaps": "/sitemap.xml"},
        "plan: sitemaps: invalid Sitemap `/sitemap.xml`; expected an absolute URL",
    ),
    ({"sitemaps": "https://e.example/ Disallow: /"}, "invalid Sitemap `https://e.example/ Disallow: /`"),
    ({"groups": "x"}, "plan: groups: invalid value 'x'; expected a table"),
    (
        {"groups": [{"disallow": "/"}]},
        "plan: groups[0]: the group applies to no robot; add agents or purposes",
    ),
    (
        {"groups": [{"agents": "a", "alow": "/"}]},
        "plan: groups[0].alow: unknown key; did you mean allow?",
    ),
    ({"groups": {"agents": ""}}, "plan: groups.agents: `` is not a product token"),
    ({"groups": {"agents": "a\nb"}}, "plan: groups.agents: `a\\nb` is not a product token"),
    (
        {"groups": {"purposes": "evil"}},
        "plan: groups.purposes: unknown purpose evil; expected one of search, training, ",
    ),
    ({"groups": {"purposes": "serach"}}, "did you mean search?"),
    (
        {"groups": {"agents": "a", "crawl_delay": "1"}},
        "; expected a number of seconds",
    ),
    (
        {"groups": {"agents": "a", "crawl_delay": True}},
        "; expected a number of seconds",
    ),
    ({"groups": {"agents": "a", "crawl_delay": -1}}, "invalid Crawl-delay `-1`; expected seconds"),
    ({"groups": {"agents": "a", "crawl_delay": float("nan")}}, "invalid Crawl-delay `nan`"),
    ({"groups": {"agents": "a", "request_rate": "fast"}}, "invalid Request-rate `fast`"),
    ({"groups": {"agents": "a", "visit_time": "6-8"}}, "invalid Visit-time `6-8`"),
    ({"groups": {"agents": "a", "content_signal": ""}}, "no signal in it; write search=yes"),
    (
        {"groups": {"agents": "a", "content_signal": "train=no"}},
        "unknown signal `train`; expected one of search, ",
    ),
    (
        {"groups": {"agents": "a", "content_signal": "search"}},
        "invalid signal `search=`; the value of search is yes or no",
    ),
    (
        {"groups": {"agents": "a", "content_signal": {"use": True}}},
        "invalid signal `use=yes`; the value of use is immediate or ",
    ),
    (
        {"groups": {"agents": "a", "content_signal": {"search": 1}}},
        "content_signal.search: invalid value 1; expected a string",
    ),
    ({"groups": {"agents": "a", "content_usage": "/a"}}, "no preference in it; write train-ai=n"),
    (
        {"groups": {"agents": "a", "content_usage": "Train-AI=n"}},
        "invalid preference `Train-AI=n`; expected ",
    ),
    ({"groups": {"agents": "a", "content_usage": "train-ai=no"}}, "invalid preference `train-ai=no`"),
    (
        {"groups": {"agents": "a", "content_usage": "train-ai=n;x=1"}},
        "invalid preference `train-ai=n`; write train-ai=y or",
    ),
    ({"groups": {"agents": "a", "content_usage": "train=n"}}, "unknown label `train`; expected one of ai, "),
    (
        {"groups": {"agents": "a", "content_usage": {"a": "train-ai=n"}}},
        "content_usage.a: invalid path; it begins with `/`",
    ),
    (
        {"groups": {"agents": "a", "content_usage": {"": 1}}},
        'content_usage."": invalid value 1; expected a string',
    ),
    ({"owners": ["/"]}, "plan: owners: invalid value ['/']; expected a table of fragments and their folders"),
    (
        {"owners": {"a.txt": "/a"}},
        "plan: owners.a.txt: invalid folder; it begins and ends with `/`, such as /shop/",
    ),
    ({"environments": {"staging": True}}, "plan: environments: invalid value; expected tables"),
    (
        {"environments": {"staging": {"clsed": True}}},
        "plan: environments.staging.clsed: unknown key; did you mean closed?",
    ),
    ({"environments": {"a": {"close": "x"}}}, "plan: environments.a.close: `x` begins with neither"),
    ({1: 2}, "plan: 1: invalid key; expected a string"),
    ({"environments": {None: {}}}, "plan: environments.None: invalid key; expected a string"),
    ({"environments": {"a": {2: "x"}}}, "plan: environments.a.2: invalid key; expected a string"),
    (
        {"groups": [{"agents": "a", b"allow": "/"}]},
        "plan: groups[0].b'allow': invalid key; expected a string",
    ),
    (
        {"groups": {"agents": "a", "content_signal": {3: True}}},
        "plan: groups.content_signal.3: invalid key; expected a string",
    ),
    (
        {"groups": {"agents": "a", "content_usage": {("/",): "train-ai=n"}}},
        "plan: groups.content_usage.('/',): invalid key; expected a string",
    ),
    ({"owners": {1: "/"}}, "plan: owners.1: invalid key; expected a string"),
]


@pytest.mark.parametrize(("plan", "message"), INVALID, ids=[row[1][:50] for row in INVALID])
def test_invalid_plans(plan, message):
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        comity.build(plan)

    assert not isinstance(caught.value, comity.errors.PlanConflict)
    assert len(caught.value.problems) == 1
    assert message in caught.value.problems[0]
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.problems, str(copy)) == (
        comity.errors.InvalidPlan,
        caught.value.problems,
        str(caught.value),
    )


def test_all_problems_of_a_plan_are_reported():
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


#: (source, plan, message)
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


@pytest.mark.parametrize(("plan", "message"), [row[1:] for row in CONFLICTS])
def test_conflicts(plan, message):
    with pytest.raises(comity.errors.PlanConflict) as caught:
        comity.build(plan)

    assert caught.value.problems == (message,)
    assert pickle.loads(pickle.dumps(caught.value)).problems == (message,)


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
        comity.errors.InvalidPlan, match="plan: unknown environment stagign; did you mean staging?"
    ):
        comity.build(plan, environment="stagign")


@pytest.mark.parametrize(
    ("environment", "is_noted"),
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
def test_environment_without_effect_is_noted(environment, is_noted):
    plan = {"close": "/tmp/", "environments": {"staging": environment, "production": {}}}
    notes = comity.build(plan, environment="staging").notes

    assert notes == (
        (
            "plan: environments.staging changes nothing, so it is as open as the site itself; "
            "set closed = true to close it",
        )
        if is_noted
        else ()
    )
    assert comity.build(plan).notes == comity.build(plan, environment="production").notes == ()


def test_closed_environment_reports_problems_of_the_site(site):
    files = {
        "robots.toml": 'close = "/shop/a"\n[environments.staging]\nclosed = true\nclose = []\n',
        "robots.d/shop.txt": "User-agent: *\nDisallow: /\n",
    }
    with pytest.raises(
        comity.errors.InvalidPlan, match=r"robots.d/shop.txt:2:1: `Disallow: /` reaches outside of"
    ):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a\n"
    with pytest.raises(comity.errors.PlanConflict):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a/b\nSitemap: https://example.com/shop.xml\n"
    built = site(files, environment="staging")
    assert built.body.decode() == f"{ALL_ROBOTS}Disallow: /\n"
    assert built.notes == ()  # the notes of the open site do not concern this file


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that writes the files of a site and builds it."""
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
    assert built.sources[5] == ("robots.d/blog.txt:2:1",)
    assert built.notes == ()


def test_provenance(site):
    files = {"robots.toml": 'close = ["/tmp/", "/blog/drafts/"]', "robots.d/blog.txt": BLOG}
    built = site(files, provenance=True)

    assert built.body.decode() == (
        "# from robots.toml: close[0], robots.toml: close[1], robots.d/blog.txt:1:1\n"
        "User-agent: *\n"
        "# from robots.toml: close[1], robots.d/blog.txt:2:1\n"
        "Disallow: /blog/drafts/\n"
        "# from robots.toml: close[0]\n"
        "Disallow: /tmp/\n"
    )
    assert comity.format(built.body) == built.body
    assert built.sources[3] == ("robots.toml: close[1]", "robots.d/blog.txt:2:1")


def test_result_does_not_depend_on_the_folder(site, tmp_path):
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
        assert comity.build(source, provenance=True).sources[1] == ("robots.d/blog.txt:1:1",)
    for source in ("robots.d", tmp_path / "robots.d"):
        assert comity.build(source, provenance=True).sources[1] == ("blog.txt:1:1",)


def test_locations_in_messages_are_relative_to_the_plan(site, tmp_path):
    files = {"robots.toml": 'clos = "/"', "robots.d/shop.txt": "User-agent: *\nAllow: /"}
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files, source=tmp_path)

    assert [problem[:21] for problem in caught.value.problems] == [
        "robots.toml: clos: un",
        "robots.d/shop.txt:2:1",
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
    assert [sources[0].rpartition("robots.d/")[2] for sources in built.sources] == [
        "blog.txt:1:1",
        "blog.txt:2:1",
    ]


def test_table_has_no_fragments_by_default(site):
    files = {"robots.d/blog.txt": BLOG}

    assert site(files, source={}).body == b"User-agent: *\nDisallow:\n"
    assert site(files, source={"fragments": "robots.d"}).body == b"User-agent: *\nDisallow: /blog/drafts/\n"


def test_nothing_to_build(site, tmp_path):
    with pytest.raises(
        comity.errors.InvalidPlan, match="nothing to build; add robots.toml, robots.d or a fragment"
    ):
        site({})
    with pytest.raises(FileNotFoundError):
        comity.build(tmp_path / "none.toml")


@pytest.mark.parametrize("text", ["block = [", b"block = '\xff'"])
def test_invalid_toml(site, text):
    with pytest.raises(comity.errors.InvalidPlan, match=r"^robots.toml: "):
        site({"robots.toml": text})


#: (text that is refused, part of the message)
FRAGMENTS = [
    (
        "User-agent: *\nDisallow: /",
        "robots.d/shop.txt:2:1: `Disallow: /` reaches outside of /shop/; shop.txt may only have rules for /shop/",
    ),
    ("User-agent: *\nDisallow: /shop", "robots.d/shop.txt:2:1: `Disallow: /shop` reaches outside of /shop/"),
    ("User-agent: *\nDisallow: /*/cart", "`Disallow: /*/cart` reaches outside of /shop/"),
    ("User-agent: *\nDisallow: *.gif", "`Disallow: *.gif` reaches outside of /shop/"),
    (
        "User-agent: *\nCrawl-delay: 3",
        "robots.d/shop.txt:2:1: `Crawl-delay: 3` concerns the whole site; shop.txt may only have rules for /shop/",
    ),
    ("User-agent: *\nContent-Signal: search=no", "`Content-signal: search=no` concerns the whole site"),
    ("User-agent: *\nContent-Usage: train-ai=n", "`Content-usage: train-ai=n` reaches outside of /shop/"),
    ("Host: shop.example.com", "robots.d/shop.txt:1:1: `Host: shop.example.com` concerns the whole site"),
    ("Clean-param: sid /", "`Clean-param: sid /` reaches outside of /shop/"),
    ("Disallow: /shop/", "robots.d/shop.txt:1:1: `Disallow` applies to no robot"),
    (
        "User-agent: *\nDisalow: /shop/",
        "robots.d/shop.txt:2:1: Google and Comity read `Disalow` as Disallow",
    ),
    ("User-agent: *\nDisallow /shop/", "robots.d/shop.txt:2:1: "),
    ("User-agent: *\nUnknown: x", "robots.d/shop.txt:2:1: "),
    ("User-agent: *\nnonsense", "robots.d/shop.txt:2:1: "),
    ("User-agent: *\nDisallow: shop/", "robots.d/shop.txt:2:11: `shop/` begins with neither"),
    (
        "User-agent: Example Bot/1\nDisallow: /shop/",
        "robots.d/shop.txt:1:1: `Example Bot/1` is not a product token",
    ),
    ("User-agent: *\nDisallow: /shop/\x00", "robots.d/shop.txt:2:17: "),
    (
        "User-agent: *\nDisallow: /shop/%zz",
        "robots.d/shop.txt:2:1: `/shop/%zz` has a `%` that begins no escape",
    ),
    ("Sitemap: /sitemap.xml", "robots.d/shop.txt:1:10: `/sitemap.xml` is not valid for Sitemap"),
    ("ACAP-crawler: *", "robots.d/shop.txt:1:1: ACAP fields are not supported in fragments; remove the line"),
    ("<html>", "robots.d/shop.txt:1:1: "),
]


@pytest.mark.parametrize(("text", "message"), FRAGMENTS, ids=[row[0] for row in FRAGMENTS])
def test_invalid_fragments(site, text, message):
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site({"robots.d/shop.txt": text})

    assert message in caught.value.problems[0]


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
def test_valid_fragments(site, text):
    assert site({"robots.d/shop.txt": text}).body.count(b"\n") >= 2


def test_undecodable_bytes_are_escaped(site):
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
    with pytest.raises(comity.errors.InvalidPlan, match="shop.txt may only have rules for /shop/ and /cart/"):
        site({"robots.d/shop.txt": "User-agent: *\nDisallow: /tmp/"})


def test_owner_without_a_fragment(site):
    with pytest.raises(
        comity.errors.InvalidPlan,
        match=r"owners.shp.txt: no such fragment in robots.d; did you mean shop.txt",
    ):
        site({"robots.toml": '[owners]\n"shp.txt" = "/x/"\n', "robots.d/shop.txt": ""})


def test_fragment_name_that_is_not_a_folder(site):
    with pytest.raises(
        comity.errors.InvalidPlan, match=r"robots.d/a#b.txt: .* or give the fragment a folder in `owners`"
    ):
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
        "*: `Disallow: /shop/feed` (robots.d/shop.txt:3:1) contradicts `Allow: /shop/feed` (robots.d/feeds.txt:2:1)",
    )


def test_all_problems_of_fragments_are_reported(site):
    """A problem hides neither those of other lines nor a path outside of the folder."""
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
        "robots.d/a#b.txt:2:1",
        "robots.d/shop.txt:1:1",
        "robots.d/shop.txt:1:1",
        "robots.d/shop.txt:4:1",
        "robots.d/shop.txt:5:1",
        "robots.d/shop.txt:6:1",
        "robots.d/shop.txt:6:1",
        "robots.d/shop.txt:7:11",
        "robots.d/shop.txt:10:14",
        "robots.d/shop.txt:2:1",
        "robots.d/site.txt:2:1",
        "ExampleBot",
    ]
    assert len(set(caught.value.problems)) == len(caught.value.problems)


def test_conflicts_are_reported_with_other_problems(site):
    files = {
        "robots.toml": 'close = "/shop/x"',
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/x\nAllow: /",
    }
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files)

    assert [": ".join(problem.split(": ")[:1]) for problem in caught.value.problems] == [
        "robots.d/shop.txt:3:1",
        "*",
    ]
    assert not isinstance(caught.value, comity.errors.PlanConflict)


def test_longer_rule_of_another_fragment_is_noted(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /shop/*.pdf\nDisallow: /blog/\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/*.pdf?open\nAllow: /shop/all\nDisallow: /shop/all/x\n",
    }

    assert site(files).notes == (
        "*: `Allow: /shop/*.pdf?open` (robots.d/shop.txt:2:1) overrules `Disallow: /shop/*.pdf` "
        "(robots.d/site.txt:2:1), which is shorter, on paths such as /shop/.pdf?open",
        "*: `Disallow: /shop/*.pdf` (robots.d/site.txt:2:1) overrules `Allow: /shop/all` "
        "(robots.d/shop.txt:3:1), which is shorter, on paths such as /shop/all.pdf",
    )


#: (rule of the site, rule of the shop, a shortest path that both match, or None)
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
    ("Disallow: /shop/*b", "Allow: /shop/a*", "/shop/ab"),  # equal length, and Allow wins
    ("Disallow: /shop/?u=https://x", "Allow: /shop/?u=https%3A%2F%2Fx/y", "/shop/?u=https%3A%2F%2Fx/y"),
    ("Allow: /*.pdf$", "Disallow: /shop/files/", "/shop/files/.pdf"),
]


@pytest.mark.parametrize(("site_rule", "shop_rule", "path"), OVERRULED)
def test_overlapping_rules_of_two_files_are_noted(site, site_rule, shop_rule, path):
    files = {
        "robots.d/site.txt": f"User-agent: *\n{site_rule}\n",
        "robots.d/shop.txt": f"User-agent: *\n{shop_rule}\n",
    }
    if path == "conflict":
        with pytest.raises(comity.errors.PlanConflict):
            site(files)
        return
    notes = [note for note in site(files).notes if " overrules " in note]

    assert len(notes) == (path is not None)
    for note in notes:
        assert f"`{site_rule}` (robots.d/site.txt:2:1)" in note
        assert f"`{shop_rule}` (robots.d/shop.txt:2:1)" in note
        assert note.endswith(f", on paths such as {path}")


def test_each_pair_of_two_files_is_noted(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*a\nDisallow: /*b\nAllow: /shop/x\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/x\nAllow: /shop/y\n",
    }
    notes = site(files).notes

    assert [note.rpartition(" ")[2] for note in notes] == ["/shop/xa", "/shop/xb", "/shop/ya", "/shop/yb"]
    assert "(robots.d/shop.txt:2:1)" in notes[0]  # site.txt has it too
    files["robots.d/shop.txt"] = ""
    assert site(files).notes == ()


pieces = st.lists(st.sampled_from("ab*"), max_size=6).map("".join)
small = st.builds(lambda text, end: f"/{text}{end}", pieces, st.sampled_from(["", "$"]))
PATHS = ["/" + "".join(path) for size in range(9) for path in itertools.product("ab", repeat=size)]


@given(small, small)
def test_overruled_rules_agree_with_all_short_paths(one, other):
    closed = rule_directive(False, one, "robots.d/site.txt:2:1")
    opened = rule_directive(True, other, "robots.d/shop.txt:2:1")
    if closed.key == opened.key:
        return
    merged = {(each.field, each.key): Merged(each, (each.source,)) for each in (closed, opened)}
    both = [compile_pattern(each.key, wildcards=True) for each in (closed, opened)]
    found = OverruledSearch().pairs(sorted_rules(merged))
    shortest = next((path for path in PATHS if all(matches(pattern, path) for pattern in both)), None)

    if shortest is None:
        assert not found or len(found[0].path) > 9
    else:
        assert len(found[0].path) == len(shortest)
        assert all(matches(pattern, found[0].path) for pattern in both)


def test_incomplete_search_is_noted(site):
    shop = "".join(f"Allow: /shop/{number}\n" for number in range(1500))
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*.pdf$\n",
        "robots.d/shop.txt": f"User-agent: *\n{shop}",
    }
    notes = site(files).notes

    assert sum(" overrules " in note for note in notes) == 1000
    assert notes[-1].startswith("there are more rules of one file that overrule another's: too many to check")

    rules = sorted_rules(
        {
            (each.field, each.key): Merged(each, (each.source,))
            for each in (
                rule_directive(False, "/*a*b$", "a.txt:1:1"),
                rule_directive(True, "/x*ba*", "b.txt:1:1"),
            )
        }
    )
    without_states, without_pairs = OverruledSearch(states=0), OverruledSearch(pairs=0)
    assert [one.path for one in without_states.pairs(rules)] == ["/xabab"]  # not the shortest
    assert without_states.complete
    assert (without_pairs.pairs(rules), without_pairs.complete) == ([], False)


def test_fragment_group_does_not_open_other_parts(site):
    """A robot with a group ignores `*`, so the group that a fragment creates inherits from `*`."""
    files = {
        "robots.toml": "keep_out = true",
        "robots.d/blog.txt": BLOG,
        "robots.d/shop.txt": "User-agent: ExampleBot\nAllow: /shop/feed\n",
    }
    robots = comity.parse(site(files).body)

    assert not robots.allowed("/", agent="ExampleBot")
    assert not robots.allowed("/blog/drafts/x", agent="ExampleBot")
    assert robots.allowed("/shop/feed", agent="ExampleBot")


#: (plan, fragment, message; None if it is valid)
LIFTED = [
    (
        'block = ["training"]',
        "User-agent: GPTBot\nAllow: /shop/",
        "GPTBot: `Allow: /shop/` (robots.d/shop.txt:2:1) opens paths that robots.toml: block[0] blocks; "
        'add let_in = "GPTBot" to the plan to allow it',
    ),
    (
        'block = "GPTBot"',
        "User-agent: *\nUser-agent: gptbot\nAllow: /shop/a*b",
        "gptbot: `Allow: /shop/a*b` (robots.d/shop.txt:3:1) opens paths that robots.toml: block blocks; "
        'add let_in = "gptbot" to the plan to allow it',
    ),
    (
        'block = "Googlebot"',
        "User-agent: Googlebot-Image\nDisallow: /shop/a",
        "Googlebot-Image: with a group of its own (robots.d/shop.txt:1:1) it ignores the group of Googlebot, which "
        'robots.toml: block blocks; add let_in = "Googlebot-Image" to the plan to allow it',
    ),
    (
        'block = "*"',
        "User-agent: *\nAllow: /shop/",
        "*: `Allow: /shop/` (robots.d/shop.txt:2:1) opens paths that robots.toml: block blocks",
    ),
    ('block = "training"\nlet_in = "GPTBot"', "User-agent: GPTBot\nAllow: /shop/", None),
    ('block = "Googlebot"\nlet_in = "Googlebot-Image"', "User-agent: Googlebot-Image\nAllow: /shop/", None),
    ('block = "GPTBot"', "User-agent: GPTBot\nDisallow: /shop/", None),
    ('block = "GPTBot"', "User-agent: *\nAllow: /shop/", None),
    ('block = "GPTBot"\ngroups = [{agents = "GPTBot", allow = "/open/"}]', "", None),  # the plan's own group
]


@pytest.mark.parametrize(("plan", "shop", "message"), LIFTED)
@pytest.mark.parametrize("name", ["shop.txt", "site.txt"])
def test_fragment_cannot_open_paths_to_a_blocked_robot(site, plan, shop, message, name):
    files = {"robots.toml": plan, f"robots.d/{name}": shop}
    if message is None:
        site(files)
        return
    with pytest.raises(comity.errors.PlanConflict) as caught:
        site(files)

    assert caught.value.problems == (message.replace("shop.txt", name),)


def test_directives_not_inherited_are_noted(site):
    files = {"robots.toml": 'close = ["/a", "/b"]', "robots.d/site.txt": "User-agent: ABot\nDisallow: /x"}
    (note,) = site(files).notes

    assert note == (
        "ABot: a robot with a group of its own ignores `Disallow: /a` (robots.toml: close[0]) and 1 more of `*`; "
        "set inherit = true to repeat them, or inherit = false if that is intended"
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
        ({"keep_out": True, "inherit": False}, []),  # no source names them
        ({"only": "/about.html"}, []),
        ({"keep_out": True, "let_in": "AdsBot-Google"}, ["AdsBot-Google"]),
        ({"keep_out": True, "let_in": "ads"}, [token for token in NAMED_ONLY if token != "APIs-Google"]),
        ({"keep_out": True, "groups": {"agents": "adsbot-google", "inherit": False}}, ["AdsBot-Google"]),
        ({"environments": {"staging": {"closed": True}}, "let_in": "ads"}, []),
    ],
)
def test_named_only_robots_are_named_when_all_are_kept_out(plan, open_to):
    """Google: AdsBot ignores `*`, so it must be named to close a site to it."""
    built = comity.build(plan, environment="staging" if "environments" in plan else None)
    robots = comity.parse(built.body)

    assert [token for token in NAMED_ONLY if robots.check("/", agent=token).matched == "*"] == []
    assert [token for token in NAMED_ONLY if robots.allowed("/", agent=token)] == open_to
    assert not robots.allowed("/", agent="ExampleBot")
    assert built.notes == ()


def test_build_and_serve_close_a_site_alike():
    from comity.site.serve import Request, Site

    plan = {"environments": {"staging": {"closed": True}}}
    served = Site(None, environment="staging").answer(Request("GET", b"/robots.txt", b"", ()))

    assert comity.build(plan, environment="staging").body == served.body


def test_named_only_robots_are_noted():
    """A rule that the owner writes for `*` is not extended to them."""
    closed = {"agents": "*", "disallow": "/"}
    (note,) = comity.build({"groups": closed}).notes

    assert note.startswith("plan: groups.agents does not close the site to AdsBot-Google, ")
    assert note.endswith(", which obey only groups that name them; keep_out = true names them")
    assert "AdsBot-Google," not in comity.build({"groups": closed, "block": "AdsBot-Google"}).notes[0]
    assert comity.build({"groups": closed, "block": NAMED_ONLY}).notes == ()


@pytest.mark.parametrize(
    ("plan", "is_noted"),
    [
        ({"block": "training"}, True),
        ({"block": ["training", "Diffbot"]}, True),
        ({"block": ["training", "search"]}, True),
        ({"block": ["training", "data"]}, False),
        ({"block": ["training"], "let_in": "data"}, False),
        ({"block": ["training"], "keep_out": True}, False),  # keep_out closes the site to them
        ({"block": "GPTBot"}, False),
        ({"let_in": "training"}, False),
    ],
)
def test_data_collectors_are_noted(plan, is_noted):
    notes = [note for note in comity.build(plan).notes if "training but not data" in note]

    assert len(notes) == is_noted
    for note in notes:
        source = note.partition(" blocks ")[0]
        assert source.startswith("plan: block")
        assert ("Diffbot" in note) is ("Diffbot" not in plan["block"])
        assert "FirecrawlAgent, " in note
        assert "CCBot" not in note  # it is blocked
        assert 'block "data" too' in note


def test_named_data_collector_is_not_noted():
    plans = {"let_in": "Diffbot"}, {"groups": {"agents": "diffbot", "disallow": "/x"}}
    for plan in plans:
        (note,) = [one for one in comity.build({"block": "training", **plan}).notes if "not data" in one]
        assert "Diffbot" not in note


def test_unknown_name_is_noted():
    assert comity.build({"block": "Zzyzx"}).notes == (
        "plan: block: Zzyzx is not a known agent or purpose, so it is used as the name of a robot",
    )


def test_large_file_is_noted():
    plan = {"close": [f"/{number:06}/{'x' * 200}" for number in range(LIMIT // 210)]}
    built = comity.build(plan)

    assert len(built.body) > LIMIT
    assert built.notes[-1].startswith("the file is larger than 500 KiB")


def test_lines_too_long_for_a_dialect_are_refused():
    """Google ignores the rest of a long line."""
    long = "/" + "a" * 20_000
    plans = [
        ({"close": ["/x", long]}, "plan: close[1]: `Disallow: /aaa"),
        ({"groups": {"agents": "a" * 20_000, "disallow": "/"}}, "plan: groups.agents: `User-agent: aaa"),
        ({"sitemaps": f"https://example.com{long}"}, "plan: sitemaps: `Sitemap: https://example.com/aaa"),
    ]
    for plan, message in plans:
        with pytest.raises(comity.errors.InvalidPlan) as caught:
            comity.build(plan)
        (problem,) = caught.value.problems
        assert problem.startswith(message)
        assert "` has 20," in problem
        assert problem.endswith(" bytes; the dialect google reads 16,663 bytes of a line")


names = st.sampled_from(["*", "ExampleBot", "OtherBot", "MJ12bot", "examplebot"])
groups = st.fixed_dictionaries(
    {"agents": st.lists(names, min_size=1, max_size=3), "inherit": st.just(False)},
    optional={"allow": st.lists(patterns, max_size=4), "disallow": st.lists(patterns, max_size=4)},
)


@given(st.lists(groups, max_size=4), st.lists(urls, max_size=6))
def test_result_has_the_verdicts_of_the_plan(plan, several):
    """The same groups written one after the other mean the same (RFC 9309 2.2.1, 2.2.2)."""
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
        expected = comity.parse(plain).rules_for(agent)
        assert comity.parse(body).rules_for(agent).allowed_many(several) == expected.allowed_many(several)
    assert comity.build({"groups": plan}).body == body


@given(
    st.sampled_from(
        ["close", "only", "block", "let_in", "sitemaps", "agents", "allow", "content_usage", "content_signal"]
    ),
    st.text(max_size=12),
)
def test_no_value_begins_a_new_line(key, text):
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
    # In the older dialects a name matches parts of names, so more robots may be let in.
    for dialect in ("rfc9309", "google"):
        closed = not comity.parse(body, dialect=dialect).allowed("/x/y", agent="Nobody")
        assert closed or text.startswith(("/", "*"))
