"""`comity.build`: fragments of several owners, and the rules that each may have."""

import os
from pathlib import Path

import pytest
from build_notes import texts

import comity

SHOP = "# The shop\nuser-agent: *\nDisallow: /shop/cart/\nAllow: /shop/cart/help\nSitemap: https://example.com/shop.xml\n"
BLOG = "User-agent: *\nDisallow: /blog/drafts/ # not yet\n"


def test_fragments(site):
    built = site(
        {
            "robots.toml": 'block = "GPTBot"',
            "robots.d/shop.txt": SHOP,
            "robots.d/blog.txt": BLOG,
        }
    )

    assert built.body.decode() == (
        "User-agent: GPTBot\nDisallow: /\n\n"
        "# The shop\nUser-agent: *\nAllow: /shop/cart/help\nDisallow: /blog/drafts/ # not yet\nDisallow: /shop/cart/\n\n"
        "Sitemap: https://example.com/shop.xml\n"
    )
    assert built.sources[6] == ("robots.d/blog.txt:2:1",)
    assert texts(built) == ()


def test_provenance(site):
    files = {"robots.toml": 'close = ["/tmp/", "/blog/drafts/"]', "robots.d/blog.txt": BLOG}
    built = site(files, provenance=True)

    assert built.body.decode() == (
        "# from robots.toml: close[0], robots.toml: close[1], robots.d/blog.txt:1:1\n"
        "User-agent: *\n"
        "# from robots.toml: close[1], robots.d/blog.txt:2:1\n"
        "Disallow: /blog/drafts/ # not yet\n"
        "# from robots.toml: close[0]\n"
        "Disallow: /tmp/\n"
    )
    assert comity.tidy(built.body) == built.body
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
    built = site({"robots.d/blog.txt": BLOG, "other.toml": "close = []"}, source=source)

    assert built.body == BLOG.encode()
    assert [sources[0].rpartition("robots.d/")[2] for sources in built.sources] == [
        "blog.txt:1:1",
        "blog.txt:2:1",
    ]


def test_table_has_no_fragments_by_default(site):
    files = {"robots.d/blog.txt": BLOG}

    assert site(files, source={}).body == b"User-agent: *\nDisallow:\n"
    assert site(files, source={"fragments": "robots.d"}).body == BLOG.encode()


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
        "robots.d/shop.txt:2:1: `Disallow: /` reaches outside of its folders; shop.txt may only have rules for /shop/ and /~shop/; `owners` in the plan can name other folders",
    ),
    (
        "User-agent: *\nDisallow: /shop",
        "robots.d/shop.txt:2:1: `Disallow: /shop` reaches outside of its folders",
    ),
    ("User-agent: *\nDisallow: /*/cart", "`Disallow: /*/cart` reaches outside of its folders"),
    ("User-agent: *\nDisallow: *.gif", "`Disallow: *.gif` reaches outside of its folders"),
    (
        "User-agent: *\nCrawl-delay: 3",
        "robots.d/shop.txt:2:1: `Crawl-delay: 3` concerns the whole site; shop.txt may only have rules for /shop/ and /~shop/",
    ),
    ("User-agent: *\nContent-Signal: search=no", "`Content-signal: search=no` concerns the whole site"),
    (
        "User-agent: *\nContent-Usage: train-ai=n",
        "`Content-usage: train-ai=n` reaches outside of its folders",
    ),
    ("Host: shop.example.com", "robots.d/shop.txt:1:1: `Host: shop.example.com` concerns the whole site"),
    ("Clean-param: sid /", "`Clean-param: sid /` reaches outside of its folders"),
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
    files = {"robots.toml": plan} | ({f"robots.d/{name}": shop} if shop else {})
    if message is None:
        site(files)
        return
    with pytest.raises(comity.errors.PlanConflict) as caught:
        site(files)

    assert caught.value.problems == (message.replace("shop.txt", name),)
