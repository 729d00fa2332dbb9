"""`comity.build`: the keys of a plan, its problems and its environments."""

import pickle

import pytest
from build_notes import texts

import comity
from comity import agents as catalogue

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
        "User-agent: A\nDisallow: /~joe\n",
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
    assert comity.tidy(built.body) == built.body
    assert len(built.sources) == expected.count("\n")


def test_purposes():
    built = comity.build({"block": ["training", "ExampleBot"], "let_in": ["GPTBot"]})
    robots = comity.parse(built.body)
    tokens = {agent.token for agent in catalogue.by_purpose("training")}

    assert len(robots.groups) == 1
    assert set(robots.groups[0].agents) == tokens - {"GPTBot"} | {"ExampleBot"}
    assert not robots.allowed("/", agent="CCBot")
    assert robots.allowed("/", agent="GPTBot")
    (note,) = [note for note in texts(built) if note.startswith("LAIONDownloader")]
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
        {"keep_out": True, "let_in": ["Google"]},
        "plan: let_in[0]: Google is not a known agent or purpose; did you mean Googlebot? If not, name it in",
    ),
    ({"block": "OpenAI"}, "did you mean GPTBot or OAI-SearchBot or ChatGPT-User?"),
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
        "*: `Disallow: /a` (plan: close) contradicts `Allow: /a` (plan: groups[0].allow)",
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
        "A: `Content-Usage: /a train-ai=n` (plan: groups.content_usage[1]) contradicts "
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
    notes = texts(comity.build(plan, environment="staging"))

    assert notes == (
        (
            "plan: environments.staging changes nothing, so it is as open as the site itself; "
            "set closed = true to close it",
        )
        if is_noted
        else ()
    )
    assert texts(comity.build(plan)) == texts(comity.build(plan, environment="production")) == ()


def test_closed_environment_reports_problems_of_the_site(site):
    files = {
        "robots.toml": 'close = "/shop/a"\n[environments.staging]\nclosed = true\nclose = []\n',
        "robots.d/shop.txt": "User-agent: *\nDisallow: /\n",
    }
    with pytest.raises(
        comity.errors.InvalidPlan,
        match=r"robots.d/shop.txt:2:1: `Disallow: /` reaches outside of its folders",
    ):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a\n"
    with pytest.raises(comity.errors.PlanConflict):
        site(files, environment="staging")
    files["robots.d/shop.txt"] = "User-agent: *\nAllow: /shop/a/b\nSitemap: https://example.com/shop.xml\n"
    built = site(files, environment="staging")
    assert built.body.decode() == f"{ALL_ROBOTS}Disallow: /\n"
    assert texts(built) == ()  # the notes of the open site do not concern this file
