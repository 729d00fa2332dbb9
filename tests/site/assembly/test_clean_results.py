"""What `comity.build` returns passes `comity.lint`, or a note names the sources of each warning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comity
from comity.agents import PURPOSES
from comity.errors import InvalidPlan
from comity.site import lint

OWNERS = {
    "robots.toml": """\
block = ["training", "data", "BadBot"]
let_in = "Amazonbot"
close = ["/tmp/", "/search", "/*?sort=", "/café/", "/%7ejoe/private/"]
inherit = true
sitemaps = ["https://www.example.com/sitemap.xml"]
comment = "Questions: web@example.com"

[[groups]]
agents = ["*"]
crawl_delay = 5
content_usage = "train-ai=n"
content_signal = {search = true, ai-train = false}

[[groups]]
agents = ["Googlebot", "bingbot"]
allow = "/search/help"

[owners]
"news.txt" = ["/news/", "/archive/"]
""",
    "robots.d/shop.txt": """\
# The shop: checkout pages are of no use in an index.
User-agent: *
Disallow: /shop/cart/
Disallow: /shop/*?session=
Allow: /shop/cart/help

User-agent: Googlebot
Allow: /shop/cart/
Sitemap: https://www.example.com/shop/sitemap.xml
""",
    "robots.d/blog.txt": """\
User-agent: *
Disallow: /blog/drafts/ # not yet
Content-Usage: /blog/ train-ai=n, search=y
""",
    "robots.d/news.txt": """\
User-agent: *
Disallow: /archive/paid/
Disallow: /news/{id}/print

User-agent: Googlebot-News
Disallow: /news/internal/
""",
    "robots.d/help.txt": "User-agent: *\nDisallow: /help/admin/\nSitemap: https://www.example.com/help/sitemap.xml\n",
    "robots.d/joe.txt": "User-agent: *\nDisallow: /~joe/old/\n",
    "robots.d/site.txt": "User-agent: *\nDisallow: /internal/\n\nUser-agent: ExampleBot\nCrawl-delay: 20\n",
}


def warnings_of(body):
    return [finding for finding in lint(body) if finding.severity != "information"]


def test_plan_with_six_owners_is_clean(site):
    built = site(OWNERS)

    assert warnings_of(built.body) == []
    assert {note.kind for note in built.notes} == {
        "disobedient-agent",
        "overruled-rule",
        "replaced-directive",
        "unknown-agent",
    }


def test_field_that_a_robot_does_not_read_is_not_inherited(site):
    plan = {
        "inherit": True,
        "groups": [
            {"agents": "*", "crawl_delay": 5, "disallow": "/a"},
            {"agents": ["Googlebot", "bingbot"], "disallow": "/b"},
        ],
    }
    built = comity.build(plan)

    assert built.body.decode() == (
        "User-agent: Googlebot\nDisallow: /a\nDisallow: /b\n\n"
        "User-agent: bingbot\nDisallow: /a\nDisallow: /b\nCrawl-delay: 5\n\n"
        "User-agent: *\nDisallow: /a\nCrawl-delay: 5\n"
    )
    assert warnings_of(built.body) == []


def test_field_of_several_robots_is_left_out_for_those_that_do_not_read_it():
    plan = {"groups": {"agents": ["Googlebot", "Slurp"], "crawl_delay": 5, "content_signal": "ai-train=no"}}
    built = comity.build(plan)

    assert built.body.decode() == (
        "User-agent: Googlebot\nDisallow:\nContent-Signal: ai-train=no\n\n"
        "User-agent: Slurp\nDisallow:\nCrawl-delay: 5\nContent-Signal: ai-train=no\n"
    )
    assert built.notes == ()
    assert b"Crawl-delay" in comity.build({"groups": {"agents": "Googlebot", "crawl_delay": 5}}).body


@pytest.mark.parametrize(
    ("plan", "kind", "message"),
    [
        (
            {"groups": {"agents": "*", "crawl_delay": 3600}},
            "crawl-delay-out-of-reach",
            "plan: groups.crawl_delay: a robot that obeys this delay fetches at most 24 pages a day; write a "
            "shorter delay (C408 crawl-delay-out-of-reach)",
        ),
        (
            {"close": "/files/", "sitemaps": "https://example.com/files/sitemap.xml"},
            "sitemap-blocked",
            "plan: sitemaps: plan: close closes this sitemap to Googlebot (C503 sitemap-blocked)",
        ),
        (
            {"groups": {"agents": "*", "allow": "/blog/"}},
            "group-only-allows",
            "plan: groups.allow: this Allow has no effect, because the group has no Disallow and so allows "
            "everything (C216 group-only-allows)",
        ),
    ],
)
def test_warning_is_a_note_with_its_sources(plan, kind, message):
    (note,) = [note for note in comity.build(plan).notes if note.kind == kind]

    assert str(note) == message


def test_error_of_the_linter_is_a_problem():
    with pytest.raises(InvalidPlan, match=r"plan: close: .* \(C322 html-entity\)"):
        comity.build({"close": "/a&amp;b"})


def test_comment_accepts_a_finding(site):
    text = "User-agent: *\nDisallow: /\nCrawl-delay: 90 # comity: ignore C408: a slow server\n"
    built = site({"robots.d/site.txt": text.replace("Disallow: /\n", "Disallow: /x\n")})

    assert built.notes == ()
    assert warnings_of(built.body) == []
    assert comity.build({"close": "/a&amp;b", "comment": "comity: ignore-file C322"}).notes == ()


paths = st.lists(
    st.sampled_from(
        ["/", "/", "a", "bc", "*", "$", "?", "=", "é", "%7e", "%2F", "%C3%A9", "{", '"', ";", "tmp", "."]
    ),
    min_size=1,
    max_size=6,
).map(lambda pieces: "/" + "".join(pieces))
tokens = st.sampled_from(["*", "Googlebot", "bingbot",
    "GPTBot", "Google-Extended", "Slurp", "ExampleBot", "AdsBot-Google", "Yandex", "Applebot"])  # fmt: skip
lists = st.lists(paths, max_size=3)
group = st.fixed_dictionaries(
    {"agents": st.lists(tokens, min_size=1, max_size=3)},
    optional={
        "allow": lists,
        "disallow": lists,
        "inherit": st.booleans(),
        "crawl_delay": st.sampled_from([0.5, 10, 45, 3600]),
        "content_usage": st.sampled_from(["train-ai=n", "search=y", "/a train-ai=y"]),
        "content_signal": st.sampled_from(["ai-train=no", "search=yes, use=reference"]),
        "request_rate": st.just("1/10m 1300-1659"),
    },
)
plans = st.fixed_dictionaries(
    {},
    optional={
        "keep_out": st.booleans(),
        "only": lists,
        "close": lists,
        "block": st.lists(tokens | st.sampled_from(sorted(PURPOSES)), max_size=3),
        "let_in": st.lists(
            tokens.filter(lambda token: token != "*") | st.sampled_from(sorted(PURPOSES)), max_size=2
        ),
        "inherit": st.booleans(),
        "groups": st.lists(group, max_size=3),
        "sitemaps": st.lists(
            st.sampled_from(["https://example.com/a/map.xml", "https://example.com/map.xml"]), max_size=2
        ),
    },
)


@settings(max_examples=60)
@given(plans)
def test_each_warning_of_a_result_has_a_note(plan):
    try:
        built = comity.build(plan)
    except InvalidPlan:
        return
    noted = {note.kind: note for note in built.notes}
    for finding in warnings_of(built.body):
        assert finding.name in noted, (finding, built.body)
        assert "plan: " in str(noted[finding.name])
        assert noted[finding.name].sources
    if not built.notes:
        assert warnings_of(built.body) == []
