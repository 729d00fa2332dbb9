"""A robot that is an entry of the catalogue gets the answers that `comity check --agent` gives."""

import json
from contextlib import suppress

import pytest
from click.testing import CliRunner

import comity
from comity import agents
from comity.cli import main
from comity.errors import InvalidArgument
from comity.politeness.identity import Identity
from comity.testing import FakeSite

SITE = "https://example.com"
PATHS = (
    "/",
    "/all",
    "/own",
    "/fallback",
    "/typo",
    "/shop/",
    "/cart.php",
    "/cart.php?x=1",
    "/a%2Fb",
    "/robots.txt",
)

STAR = "User-agent: *\nDisallow: /all\nDissallow: /typo\nDisallow: /*.php$\nCrawl-delay: 7\nContent-Usage: train-ai=n\n\n"
FALLBACK = "User-agent: {fallback}\nDisallow: /fallback\nDisallow: /a%2fb\nDisallow: /shop/\nAllow: /shop/index.html\n\n"
OWN = "User-agent: {own}/2.0\nDisallow: /own\nDisallow: /*.php$\nAllow: /cart.php?\nDisallow /typo\n"

FILES = ["", STAR, FALLBACK + STAR, STAR + OWN, OWN + FALLBACK + STAR, "User-agent: *\nDisallow: /"]


def robots_of(agent, file):
    """Return a robots.txt with groups for an agent, and for the robot whose group it uses."""
    return file.format(own=agent.token, fallback=agent.falls_back_to or "OtherBot")


def robot_of(agent, site, **options):
    header = f"{agent.token}/1.0 (+https://example.com/bot)"
    return comity.Robot(
        header, contact="bot@example.com", agent=agent, transport=site, clock=site.clock, **options
    )


@pytest.mark.parametrize("agent", agents.ALL, ids=lambda agent: agent.token)
def test_agent_of_the_catalogue_is_answered_as_a_file_answers_it(agent):
    for file in FILES:
        body = robots_of(agent, file)
        robots = comity.parse(body)
        with robot_of(agent, FakeSite(robots=body)) as robot:
            for path in PATHS:
                assert robot.check(SITE + path) == robots.check(path, agent=agent)
                assert robot.allowed(SITE + path) is robots.allowed(path, agent=agent)
            assert robot.host_wait(SITE) == max(robots.rules_for(agent).crawl_delay or 0.0, 1.0)


@pytest.mark.parametrize("status", [404, 503])
@pytest.mark.parametrize("token", ["Applebot", "AdsBot-Google"])
def test_agent_gets_the_outcome_of_a_missing_file(token, status):
    agent, site = agents.find(token), FakeSite({"/robots.txt": status})
    with robot_of(agent, site) as robot:
        verdict = robot.check(f"{SITE}/a")

    assert (verdict.allowed, verdict.agent, verdict.assumptions) == (status == 404, token, ())


def test_requests_have_the_header_of_the_robot():
    site = FakeSite({"/a": "tea"})
    with robot_of(agents.find("Applebot"), site) as robot:
        robot.get(f"{SITE}/a")

    sent = {request.headers["user-agent"] for request in site.requests}
    assert sent == {"Applebot/1.0 (+https://example.com/bot)"}


@pytest.mark.parametrize(
    ("header", "token", "names"),
    [
        ("Googlebot-Image/1.0", "Googlebot-Image", ("Googlebot-Image", "Googlebot")),
        ("Mozilla/5.0 (compatible; SISTRIX Crawler; +http://x.example/)", "SISTRIX Crawler", ("SISTRIX",)),
        ("Sogou web spider/4.0(+http://www.sogou.com/)", "Sogou web spider", ("Sogou",)),
        ("ExampleBot/1.0 (Applebot)", "Applebot", ("Applebot", "Googlebot")),
    ],
)
def test_names_are_those_of_the_agent(header, token, names):
    identity = Identity.of(header, "bot@example.com", agents.find(token))

    assert (identity.names, identity.agent) == (names, agents.find(token))


@pytest.mark.parametrize("header", ["ExampleBot/1.0", "ExampleBot/1.0 (+https://x.example/applebot)"])
def test_header_must_name_the_agent(header):
    with pytest.raises(InvalidArgument, match="invalid agent 'Applebot': expected a product of"):
        Identity.of(header, "bot@example.com", agents.find("Applebot"))


@pytest.mark.parametrize("agent", agents.ALL, ids=lambda agent: agent.token)
def test_documented_header_names_the_agent(agent):
    if agent.user_agent is not None:
        identity = Identity.of(agent.user_agent, "bot@example.com", agent)

        assert identity.header_token is None


@pytest.mark.parametrize(
    ("options", "allowed"),
    [({}, False), ({"dialect": "draft1996"}, True), ({"policy": "google"}, False)],
)
def test_chosen_dialect_wins_over_that_of_the_agent(options, allowed):
    site = FakeSite(robots="User-agent: Googlebot\nDissallow: /x")
    with robot_of(agents.find("Googlebot"), site, **options) as robot:
        assert robot.allowed(f"{SITE}/x") is allowed


def test_pages_and_uses_are_judged_for_the_agent():
    pages = {"/a": "<meta name=googlebot content=noindex>", "/b": "tea"}
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n\nUser-agent: Google-Extended\nDisallow: /b"
    image, bot = agents.find("Googlebot-Image"), agents.find("Googlebot")
    with robot_of(image, FakeSite(pages, robots=robots)) as robot:
        assert not robot.page(f"{SITE}/a").directives.index
    with robot_of(bot, FakeSite(pages, robots=robots), respect="train-ai") as robot:
        assert robot.page(f"{SITE}/a").usage.permits("train-ai")
        with pytest.raises(comity.UsageDisallowed) as refusal:
            robot.page(f"{SITE}/b")
    assert "Disallow: /b for Google-Extended" in str(refusal.value)


def test_description_states_the_assumptions():
    with robot_of(agents.find("AdsBot-Google"), FakeSite()) as robot:
        lines = robot.describe().splitlines()

    assert [line.partition(" (")[0].strip() for line in lines if "assumed" in line] == [
        "assumed: AdsBot-Google ignores the groups for *, so only a group that names it applies",
        "assumed: AdsBot-Google reads robots.txt as Google's own parser, by the dialect google",
    ]
    assert "    dialect: google" in lines


def test_log_of_each_agent_is_verified(tmp_path):
    log, store = tmp_path / "decisions.jsonl", comity.stores.MemoryStore()
    count = 0
    site = FakeSite(dict.fromkeys(PATHS, "tea"))
    for number, agent in enumerate(agents.ALL):
        file = FILES[number % len(FILES)]
        body = robots_of(agent, file)
        with robot_of(agent, site, log=log, store=store, max_wait=None) as robot:
            robot.learn(SITE, body)
            for path in PATHS[:4]:
                with suppress(comity.Disallowed):
                    robot.get(SITE + path)
                count += 1

    found = CliRunner().invoke(main, ["log", "verify", str(log), "--json"])
    summary = json.loads(found.output.splitlines()[-1])
    assert (found.exit_code, summary["holds"], summary["replayed"]) == (0, True, count + len(agents.ALL))


def test_verification_states_what_the_robot_assumed(tmp_path):
    log = tmp_path / "decisions.jsonl"
    site = FakeSite({"/": "tea"}, robots="User-agent: *\nDisallow: /")
    with robot_of(agents.find("AdsBot-Google"), site, log=log) as robot:
        robot.get(f"{SITE}/")

    found = CliRunner().invoke(main, ["log", "verify", str(log)])
    assert found.exit_code == 0
    assert "assumed by the robot: AdsBot-Google ignores the groups for *, so only" in found.output
    client = json.loads(log.read_text("ascii").splitlines()[-1])["client"]
    assert (client["dialect"], client["ignores_star"], len(client["assumptions"])) == ("google", True, 2)
