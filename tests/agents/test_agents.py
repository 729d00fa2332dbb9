"""The catalogue of agents: its data, its schema, and the lookup functions."""

import json
import pickle
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity import agents
from comity.agents import similar_tokens
from comity.agents.agent import _DIALECTS, CHECK_LIMITS, FACTS, SHAPES
from comity.agents.catalogue import read
from comity.protocol.product_token import product_token

FOLDER = Path(agents.__file__).parent
TEXT = (FOLDER / "agents.toml").read_text(encoding="utf-8")
DATA = tomllib.loads(TEXT)
ENTRIES = {entry["token"]: entry for entry in DATA["agents"]}
SCHEMA = json.loads((FOLDER / "agents.schema.json").read_text(encoding="utf-8"))


def test_data_conforms_to_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(DATA)

    assert [f"{error.json_path}: {error.message}" for error in errors] == []


@pytest.mark.parametrize(
    "change",
    [
        {"token": "Example Bot/1.0"},
        {"operator": ""},
        {"purposes": []},
        {"purposes": ["evil"]},
        {"purposes": ["search", "search"]},
        {"documentation": "example.com"},
        {"obeys": "unstated"},
        {"crawls": True},
        {"named_only": False},
        {"note": "No full stop"},
        {"user_agent": ""},
        {"user_agent": "ExampleBot\t/1.0"},
        {"contact": "somebody"},
        {"platform": ""},
        {"obeys_meta_robots": "unstated"},
        {"obeys_x_robots_tag": "often"},
        {"hosts": []},
        {"hosts": [".example.com"]},
        {"hosts": ["*.example.com"]},
        {"hosts": ["example"]},
        {"hosts": ["bot-*"]},
        {"hosts": ["a.bot-*.example.com"]},
        {"dialect": "bing"},
        {"collective": False},
        {"ranges_shape": "json"},
        {"check_limit": "none"},
        {"ranges": ["example.com/ranges.json"]},
        {"other_sources": {"colour": "site"}},
        {"colour": "green"},
    ],
    ids=str,
)
def test_schema_rejects_invalid_data(change):
    entry = {"token": "ExampleBot", "purposes": ["search"], "source": "site"}
    data = {
        "sources": {"site": {"url": "https://example.com/bot", "checked": "2026-11-21"}},
        "agents": [entry],
    }
    validator = jsonschema.Draft202012Validator(SCHEMA)

    assert validator.is_valid(data)
    entry |= change
    assert not validator.is_valid(data)


def test_schema_and_constants_agree():
    facts = SCHEMA["$defs"]["agent"]["properties"]

    assert facts["purposes"]["items"]["enum"] == list(agents.PURPOSES)
    for fact in ("obeys", "obeys_meta_robots", "obeys_x_robots_tag"):
        assert [*facts[fact]["enum"], "unstated"] == list(agents.OBEYS)
    assert set(FACTS) < {*facts, "names"}
    assert facts["other_sources"]["propertyNames"]["enum"] == list(FACTS)


def test_tokens_are_unique():
    assert len(agents.ALL) == len(DATA["agents"]) >= 150
    assert [agent.token for agent in agents.ALL] == sorted(
        (entry["token"] for entry in DATA["agents"]), key=str.lower
    )
    for purpose in agents.PURPOSES:
        assert agents.by_purpose(purpose)


def test_sources_are_used_and_not_in_the_future():
    named = {
        name
        for entry in (*DATA["agents"], *DATA["misnomers"])
        for name in (entry["source"], *entry.get("other_sources", {}).values())
    }

    assert named == set(DATA["sources"])
    for source in DATA["sources"].values():
        assert date(2020, 1, 1) <= date.fromisoformat(source["checked"]) <= date.today()


@pytest.mark.parametrize("agent", agents.ALL, ids=lambda agent: agent.token)
def test_agent_is_consistent(agent):
    assert agents.find(agent.token) is agent
    assert agents.find(agent.token.upper()) is agent
    assert agent.names[0] == agent.token
    assert agent.names[1:] == (agents.find(agent.falls_back_to).names if agent.falls_back_to else ())
    assert not (agent.named_only and agent.falls_back_to)
    assert agent.source_of("obeys").checked <= str(date.today())
    assert agent.falls_back_to or "falls_back_to" not in dict(agent.other_sources)
    assert pickle.loads(pickle.dumps(agent)) == agent
    hash(agent)


def test_group_of_token_applies_to_agent():
    """So does a group of a fallback token."""
    for agent in agents.ALL:
        for name in agent.names:
            robots = comity.parse(f"User-agent: {name}\nDisallow: /\n")
            assert not robots.allowed("/", agent=agent.names), agent
            assert not robots.allowed("/", agent=name), agent
        assert comity.parse("User-agent: ExampleBot\nDisallow: /").allowed("/", agent=agent.names), agent


def test_find_by_usual_headers():
    for agent in agents.ALL:
        for header in (
            f"{agent.token}/1.0",
            f"{agent.token}/1.0 (+https://example.com/bot)",
            f"Mozilla/5.0 (compatible; {agent.token}/1.0; +https://example.com/bot)",
            f"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {agent.token}/1.0; +https://example.com) Safari/537.36",
        ):
            assert agents.find(header) is agent, header


@pytest.mark.parametrize(
    ("header", "token"),
    [
        (
            "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots)",
            "Mail.RU_Bot",
        ),
        ("Mozilla/5.0 (X11; quillbot.com)", "quillbot.com"),
        ("Mozilla/5.0 (compatible; Linux x86_64; Tea/2.0; +http://quillbot.com/robots)", None),
        ("Mozilla/5.0 (compatible; Linux x86_64; Tea/2.0; +http://www.quillbot.com/robots)", None),
    ],
)
def test_names_with_a_dot_are_found_in_headers_but_not_in_urls(header, token):
    found = agents.find(header)
    assert (found and found.token) == token


WITH_HEADER = [agent for agent in agents.ALL if agent.user_agent]


def test_find_by_sample_header():
    """RFC 9309 2.2.1 requires the product token to be part of the header."""
    for agent in WITH_HEADER:
        header = agent.user_agent
        assert agents.find(header) is agent, agent
        assert agent.token.lower() in header.lower(), agent
        assert agent.contact is None or agent.contact in header or "contact" in ENTRIES[agent.token], agent


def test_sample_headers_are_unique():
    headers = [agent.user_agent for agent in WITH_HEADER]

    assert len(set(headers)) == len(headers) >= 130
    assert agents.find("Googlebot-News").user_agent is None  # Googlebot fetches for it


#: The robots that sites ask about most.
BEST_KNOWN = [
    "Googlebot",
    "Googlebot-Image",
    "bingbot",
    "YandexBot",
    "Baiduspider",
    "Applebot",
    "Amazonbot",
    "meta-externalagent",
    "facebookexternalhit",
    "GPTBot",
    "OAI-SearchBot",
    "ChatGPT-User",
    "ClaudeBot",
    "Claude-User",
    "PerplexityBot",
    "Perplexity-User",
    "MistralAI-User",
    "DuckDuckBot",
    "DuckAssistBot",
    "CCBot",
    "archive.org_bot",
    "AhrefsBot",
    "SemrushBot",
    "MJ12bot",
    "SeznamBot",
    "PetalBot",
    "Qwantbot",
    "MojeekBot",
    "Bytespider",
    "Slurp",
    "Pinterestbot",
    "Twitterbot",
    "LinkedInBot",
]


@pytest.mark.parametrize("token", BEST_KNOWN)
def test_best_known_robots_have_header_and_page(token):
    agent = agents.find(token)

    assert agent.user_agent
    assert agent.contact or agent.documentation or token == "Twitterbot"


#: Domains for reverse DNS, as operators or the sources in the data name them.
HOSTS = [
    ("Googlebot", ["googlebot.com"]),
    ("AdsBot-Google", ["rate-limited-proxy-*.google.com"]),
    ("FeedFetcher-Google", ["gae.googleusercontent.com", "google-proxy-*.google.com"]),
    ("bingbot", ["search.msn.com"]),
    ("Applebot", ["applebot.apple.com"]),
    ("YandexBot", ["yandex.ru", "yandex.net", "yandex.com"]),
    ("Baiduspider", ["baidu.com", "baidu.jp"]),
    ("SeznamBot", ["seznam.cz"]),
    ("CCBot", ["crawl.commoncrawl.org"]),
    ("Amazonbot", ["crawl.amazonbot.amazon"]),
    ("Sogou web spider", ["sogou.com"]),
    ("PetalBot", ["petalsearch.com", "aspiegel.com"]),
    ("AhrefsBot", ["ahrefs.com", "ahrefs.net"]),
    ("Pinterestbot", ["pinterest.com", "pinterestcrawler.com"]),
    ("Slurp", ["crawl.yahoo.net"]),
    ("coccocbot-web", ["coccoc.com"]),
    ("Yandex", ["yandex.ru", "yandex.net", "yandex.com"]),
    ("Bytespider", []),
]


@pytest.mark.parametrize(("token", "hosts"), HOSTS)
def test_hosts(token, hosts):
    assert list(agents.find(token).hosts) == hosts


@pytest.mark.parametrize(
    ("token", "meta", "header"),
    [
        ("Googlebot", "yes", "yes"),
        ("bingbot", "yes", "yes"),
        ("Applebot", "yes", "yes"),
        ("YandexBot", "yes", "yes"),
        ("SeznamBot", "yes", "unstated"),
        ("Amazonbot", "yes", "unstated"),
        ("GPTBot", "unstated", "unstated"),
    ],
)
def test_statements_on_page_rules(token, meta, header):
    agent = agents.find(token)

    assert (agent.obeys_meta_robots, agent.obeys_x_robots_tag) == (meta, header)


def test_record_has_all_facts_ready_for_json():
    record = agents.find("Amazonbot").record()

    assert json.loads(json.dumps(record)) == record
    assert record["contact"] == "amazonbot@amazon.com"
    assert record["hosts"] == ["crawl.amazonbot.amazon"]
    assert record["other_sources"]["hosts"]["url"] == "https://developer.amazon.com/en-US/amazonbot"


#: What robots send, by their operators' documents.
HEADERS = [
    ("Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot"),
    ("Googlebot-Image/1.0", "Googlebot-Image"),
    ("Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36", "Storebot-Google"),
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1.2 Mobile/15E148 Safari/604.1 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)", "AdsBot-Google-Mobile"),
    ("FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)", "FeedFetcher-Google"),
    ("Mozilla/5.0 (compatible; Google-CWS)", "Google-CWS"),
    ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/W.X.Y.Z Safari/537.36", "bingbot"),
    ("Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b", "BingPreview"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1)", "Applebot"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)", "Amazonbot"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot", "OAI-SearchBot"),
    ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot", "GPTBot"),
    ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"),
    ("meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)", "meta-externalagent"),
    ("Mozilla/5.0 (compatible; AhrefsSiteAudit/6.1; +http://ahrefs.com/robot/site-audit)", "AhrefsSiteAudit"),
    ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"),
    ("Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://help.qwant.com/bot/)", "Qwantbot-news"),
    ("Mozilla/5.0 (compatible;PetalBot; +https://webmaster.petalsearch.com/site/petalbot)", "PetalBot"),
    ("Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou web spider"),
    ("Mozilla/5.0 (compatible; SISTRIX Crawler; http://crawler.sistrix.net/)", "SISTRIX Crawler"),
    ("Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slackbot-LinkExpanding"),
    ("Slack-ImgProxy 0.19 (+https://api.slack.com/robots)", "Slack-ImgProxy"),
    ("TelegramBot (like TwitterBot)", "TelegramBot"),
    ("Arquivo-web-crawler (compatible; heritrix/3.4.0-20200304 +https://arquivo.pt/faq-crawling)", "Arquivo-web-crawler"),
    ("Baiduspider-image+(+http://www.baidu.com/search/spider.htm)", "Baiduspider-image"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "token"), HEADERS)
def test_find_by_documented_headers(header, token):
    assert agents.find(header).token == token


@pytest.mark.parametrize(
    "header",
    [
        "",
        "*",
        " ",
        "ExampleBot/1.0",
        "GPTBot-Extra",  # a name counts whole: RFC 9309 2.2.1
        "NotGPTBot/1.0",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "ExampleBot/1.0 (not like Twitterbot)",
        "ExampleBot/1.0 (mykangaroo botany)",
        "x" * 100_000,
        "GPTBot\udce9",
    ],
)
def test_unknown_headers_find_nothing(header):
    assert agents.find(header) is None


@given(st.text())
def test_find_accepts_any_text(text):
    agent = agents.find(text)

    assert agent is None or agent in agents.ALL


def test_find_by_product_token_of_token():
    """Names of several words are excluded: their product token is only the first word."""
    single = [agent for agent in agents.ALL if " " not in agent.token]

    assert all(product_token(agent.token) == agent.token for agent in single)


#: Names that no robot has, and the tokens that they probably mean.
SIMILAR = {
    "Gogglebot": ["Googlebot"],
    "cc-bot": ["CCBot"],
    "Google-Extend": ["Google-Extended"],
    "Claude Bot": ["ClaudeBot"],
    "OpenAI-Bot": ["GPTBot", "OAI-SearchBot", "ChatGPT-User"],
    "PerplexityAI": ["PerplexityBot"],
    "DeepSeek-AI": ["DeepSeekBot"],
    "AdsBot": ["AdsBot-Google", "AdsBot-Google-Mobile"],
    "mistral": ["MistralAI-Training", "MistralAI-Index", "MistralAI-User"],
    "CloudVertexBot": ["Google-CloudVertexBot"],
    **{
        name: []
        for name in ("ExampleBot", "Googlebot", "GPTBo", "openbot", "sogou", "news bot", "*gptbot*", "\xe9")
    },
}


@pytest.mark.parametrize("name", SIMILAR)
def test_similar_names(name):
    assert [*similar_tokens(name)] == SIMILAR[name]


@given(st.text())
def test_similar_names_are_other_names(text):
    assert not similar_tokens(text) or agents.find(text) is None


def test_names_of_lists_are_known():
    """Names that lists of robots for blocking have are those of agents, or of misnomers."""
    misnomers = {misnomer.name for misnomer in agents.MISNOMERS}
    names = {"ChatGPT Agent", "Code", "Operator", "OpenAI", "NotebookLM", "Terra Cotta", "CloudVertexBot"}

    assert {name for name in names if agents.find(name) is None} == names & misnomers


#: Whose rules an agent follows, by its operator's word or the report that the data names.
FALLBACKS = {
    "Googlebot-Image": "Googlebot",
    "Googlebot-News": "Googlebot",
    "Applebot": "Googlebot",
    "Screaming Frog SEO Spider": "Googlebot",
    "YandexImages": "Yandex",
    "bingbot": "msnbot",
    "GoogleOther-Image": "GoogleOther",
    "GoogleOther-Video": "GoogleOther",
    "Google-InspectionTool": "Googlebot",
    "Google-CloudVertexBot": "Googlebot",
    "coccocbot-image": "coccocbot",
    "Baiduspider-image": "Baiduspider",
    "Baiduspider-video": "Baiduspider",
    "Baiduspider-news": "Baiduspider",
    "Baiduspider-mobile": "Baiduspider",
    "Baiduspider-favo": "Baiduspider",
    "ImagesiftBot": "Googlebot",
    "TavilyBot": "Googlebot",
}


@pytest.mark.parametrize(("token", "fallback"), FALLBACKS.items())
def test_fallbacks(token, fallback):
    names = agents.find(token).names
    other = comity.parse(f"User-agent: {fallback}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b")
    own = comity.parse(f"User-agent: {fallback}\nDisallow: /a\n\nUser-agent: {token}\nDisallow: /c")

    assert names == (token, fallback)
    assert [other.allowed(path, agent=names) for path in ("/a", "/b")] == [False, True]
    assert [own.allowed(path, agent=names) for path in ("/a", "/c")] == [True, False]


def test_control_token_is_independent_of_crawler():
    """A rule for Google-Extended does not affect Googlebot, and the reverse."""
    robots = comity.parse("User-agent: Google-Extended\nDisallow: /\n")
    crawler, control = agents.find("Googlebot"), agents.find("Google-Extended")

    assert (crawler.crawls, control.crawls) == (True, False)
    assert crawler.control_token == agents.find("Googlebot-News").control_token == control.token
    assert robots.allowed("/a", agent=crawler.names)
    assert not robots.allowed("/a", agent=control.names)


def test_control_token_of_another_operator_is_not_inherited():
    """Screaming Frog follows the rules for Googlebot; Google-Extended is about Google's use of content."""
    assert agents.find("Screaming Frog SEO Spider").control_token is None
    assert agents.find("Applebot").control_token == "Applebot-Extended"


@pytest.mark.parametrize("token", ["Yandex", "coccocbot"])
def test_collective_token_closes_pages_to_its_robots(token):
    agent = agents.find(token)
    robots = comity.parse(f"User-agent: {token}\nDisallow: /\n")
    members = [other for other in agents.ALL if other.falls_back_to == token]

    assert (agent.collective, agent.crawls) == (True, True)
    assert len(members) >= 5
    assert not any(robots.allowed("/", agent=member.names) for member in members)


def test_dialect_is_that_of_google():
    """Robots of Google that do not obey, and control tokens, have the dialect of their operator or none."""
    documented = {(agent.operator, agent.dialect) for agent in agents.ALL if agent.dialect}
    assert documented == {("Google", "google"), ("X", "google")}
    assert documented >= {(operator, dialect) for operator, (dialect, _) in _DIALECTS.items()}
    assert agents.find("Googlebot-News").dialect == "google"
    assert agents.find("bingbot").dialect is None


@pytest.mark.parametrize(
    ("token", "shape", "limit"),
    [
        ("GPTBot", "json", None),
        ("Amazonbot", "html", None),
        ("meta-externalagent", "geofeed", "shared"),
        ("Scrapy", "json", "run-by-anyone"),
    ],
)
def test_form_and_limit_of_address_lists(token, shape, limit):
    agent = agents.find(token)

    assert (agent.ranges_shape, agent.check_limit) == (shape, limit)
    assert shape in SHAPES
    assert limit is None or limit in CHECK_LIMITS


#: Collectors for others on whose data models are trained, as the data's source tells of each.
TRAINED_ON = ["CCBot", "omgili", "Webzio-Extended", "Brightbot", "LAIONDownloader", "img2dataset"]


@pytest.mark.parametrize("token", TRAINED_ON)
def test_training_collectors_have_purpose_training(token):
    """A site that blocks training blocks them too."""
    agent = agents.find(token)

    assert {"data", "training"} <= set(agent.purposes)
    assert agent.source_of("purposes").name == "ai.robots.txt"
    assert agent.note or agent.documentation


def test_by_purpose():
    both = agents.by_purpose("training", "seo")

    assert both == tuple(agent for agent in agents.ALL if {"training", "seo"} & set(agent.purposes))
    assert agents.by_purpose() == ()
    with pytest.raises(comity.InvalidArgument, match="unknown purpose 'Training': expected search"):
        agents.by_purpose("search", "Training")


@pytest.mark.parametrize(
    ("facts", "contact"),
    [
        ('user_agent = "A/1.0 (+https://example.com/bot; bot@example.com)"', "https://example.com/bot"),
        ('user_agent = "Mozilla/5.0 (compatible; A/1.0; +bot@example.com)"', "bot@example.com"),
        ('user_agent = "A/1.0 +http://example.com/bot.html)"', "http://example.com/bot.html"),
        ('user_agent = "A/1.0 (example.com)"', None),
        ('user_agent = "A/1.0 (+https://example.com/)"\ncontact = "a@example.com"', "a@example.com"),
    ],
)
def test_contact_is_read_from_header(facts, contact):
    (agent,), _ = read(f"{SOURCE}{ENTRY}{facts}\n")

    assert agent.contact == contact


SOURCE = '[sources.site]\nurl = "https://example.com/bot"\nchecked = "2026-11-21"\n'
ENTRY = '[[agents]]\ntoken = "A"\npurposes = ["search"]\nsource = "site"\n'
LISTS = 'ranges = ["https://example.com/list"]'


def test_absent_facts_are_unknown():
    (agent,), _ = read(SOURCE + ENTRY)

    assert (agent.operator, agent.documentation, agent.obeys, agent.falls_back_to) == (
        None,
        None,
        "unstated",
        None,
    )
    assert (agent.crawls, agent.named_only, agent.obsolete, agent.note) == (True, False, False, "")
    assert (agent.dialect, agent.collective) == (None, False)
    assert (agent.ranges_shape, agent.check_limit) == ("json", None)
    assert (agent.user_agent, agent.contact, agent.platform) == (None, None, None)
    assert (agent.obeys_meta_robots, agent.obeys_x_robots_tag) == ("unstated", "unstated")
    assert (agent.hosts, agent.ranges) == ((), ())
    assert agent.checked == agent.source_of("purposes").checked == "2026-11-21"
    with pytest.raises(KeyError):
        agent.source_of("colour")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY + ENTRY.replace('"A"', '"a"'), "a: the token occurs twice"),
        (ENTRY.replace('"search"', '"evil"'), "A: unknown purpose 'evil'"),
        (ENTRY + 'obeys = "often"\n', "A: unknown obeys 'often': expected yes, no, unstated"),
        (ENTRY + 'obeys_meta_robots = "often"\n', "A: unknown obeys_meta_robots 'often'"),
        (ENTRY + 'dialect = "bing"\n', "A: unknown dialect 'bing'"),
        (ENTRY + 'ranges_shape = "xml"\n', "A: unknown ranges_shape 'xml'"),
        (ENTRY + 'check_limit = "none"\n', "A: unknown check_limit 'none'"),
        (
            f'{ENTRY}{LISTS}\n{ENTRY.replace("A", "B")}{LISTS}\nranges_shape = "html"\n',
            "B: https://example.com/list has another ranges_shape elsewhere",
        ),
        (ENTRY + 'other_sources = { hosts = "site" }\n', "A: the source of hosts has no fact"),
        (ENTRY.replace('"site"', '"sight"'), "A: unknown source 'sight'"),
        (ENTRY + 'other_sources = { obeys = "sight" }\n', "A: unknown source 'sight'"),
        (ENTRY + 'other_sources = { colour = "site" }\n', "A: unknown fact 'colour'"),
        (ENTRY + 'colour = "green"\n', "A: unknown key 'colour'"),
        (ENTRY + 'falls_back_to = "B"\n', "A: unknown agent 'B'"),
        (ENTRY + 'falls_back_to = "A"\n', "A: the fallbacks form a cycle"),
        (ENTRY + 'control_token = "B"\n', "A: the control token 'B' is unknown, or crawls"),
        (ENTRY + 'control_token = "A"\n', "A: the control token 'A' is unknown, or crawls"),
        (ENTRY.replace('source = "site"\n', ""), "A: source is missing"),
    ],
)
def test_invalid_data_raises(text, message):
    with pytest.raises(ValueError, match=message):
        read(SOURCE + text)


MISNOMER = '[[misnomers]]\nname = "B"\ntokens = ["A"]\nsource = "site"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MISNOMER + MISNOMER.replace('"B"', '"b"'), "b: the name occurs twice, or is a token"),
        (MISNOMER.replace('"B"', '"a"'), "a: the name occurs twice, or is a token"),
        (MISNOMER.replace('"A"', '"C"'), "B: unknown token 'c'"),
        (MISNOMER.replace('"site"', '"sight"'), "B: unknown source 'sight'"),
    ],
)
def test_invalid_misnomer_raises(text, message):
    with pytest.raises(ValueError, match=message):
        read(SOURCE + ENTRY + text)


@pytest.mark.parametrize("misnomer", agents.MISNOMERS, ids=lambda misnomer: misnomer.name)
def test_misnomer_does_not_reach_its_robots(misnomer):
    """The diagnostics point it out, unless the file names one of the robots too."""
    body = f"User-agent: {misnomer.name}\nDisallow: /\n"
    robots = comity.parse(body)
    named = comity.parse(f"{body}User-agent: {misnomer.tokens[-1]}\nDisallow: /\n")
    (found,) = [problem for problem in robots.diagnostics if problem.name == "misnamed-agent"]

    assert agents.find(misnomer.name) is None
    assert all(robots.allowed("/", agent=agents.find(token).names) for token in misnomer.tokens)
    assert all(f"`{token}`" in found.message for token in misnomer.tokens)
    assert not any(problem.name == "misnamed-agent" for problem in named.diagnostics)


def test_misnomer_that_the_dialect_finds_has_no_diagnostic():
    """A robot of 1994 searches for the value in its name: Google in Googlebot."""
    for dialect, count in (("1994", 0), ("draft1996", 1)):
        robots = comity.parse("User-agent: Google\nDisallow: /", dialect=dialect)
        assert [problem.name for problem in robots.diagnostics] == ["misnamed-agent"] * count


def test_cycle_of_fallbacks_raises():
    other = ENTRY.replace('"A"', '"B"')
    with pytest.raises(ValueError, match="A: the fallbacks form a cycle"):
        read(f'{SOURCE}{ENTRY}falls_back_to = "B"\n{other}falls_back_to = "A"\n')


def test_data_is_loaded_on_demand():
    code = (
        "import sys; from comity import agents; before = 'comity.agents.catalogue' in sys.modules;"
        "print(before, agents.find('GPTBot').operator, 'comity.agents.catalogue' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)

    assert run.stdout.split() == ["False", "OpenAI", "True"]


@pytest.mark.parametrize("token", ["Baiduspider", "Baiduspider-image"])
def test_copy_of_an_operators_page_is_named_as_one(token):
    source = comity.agents.find(token).source_of("obeys")

    assert "baidu.com" not in source.url
    assert source.name == "baidu-copy"
