"""`comity.build` and `build_hosts`: one plan for several hosts."""

import pytest
from build_notes import texts

import comity
from comity.errors import InvalidPlan, PlanConflict
from comity.site import build_hosts

PLAN = """\
close = "/tmp/"
sitemaps = "https://www.example.com/all.xml"

[hosts."WWW.example.com"]

[hosts."shop.example.com"]
close = "/cart/"
sitemaps = "https://shop.example.com/sitemap.xml"
groups = [{agents = "ExampleBot", crawl_delay = 5, inherit = true}]

[hosts."bücher.example"]
keep_out = true
"""
SHOP = "# comity: hosts shop.example.com\n# Of the shop\nUser-agent: *\nDisallow: /shop/a\n"


def files(**more):
    return {"robots.toml": PLAN, "robots.d/shop.txt": SHOP, **more}


def test_each_host_has_a_file(site):
    site_files = files()
    with pytest.raises(InvalidPlan) as caught:
        site(site_files)
    found = build_hosts()

    assert caught.value.problems == (
        "robots.toml: the plan has 3 hosts; name one of www.example.com, shop.example.com, xn--bcher-kva.example",
    )
    assert list(found) == ["www.example.com", "shop.example.com", "xn--bcher-kva.example"]
    assert found["www.example.com"].body.decode() == (
        "User-agent: *\nDisallow: /tmp/\n\nSitemap: https://www.example.com/all.xml\n"
    )
    assert found["shop.example.com"].body.decode() == (
        "User-agent: ExampleBot\nDisallow: /shop/a\nDisallow: /cart/\nDisallow: /tmp/\nCrawl-delay: 5\n\n"
        "# Of the shop\nUser-agent: *\nDisallow: /shop/a\nDisallow: /cart/\nDisallow: /tmp/\n\n"
        "Sitemap: https://www.example.com/all.xml\nSitemap: https://shop.example.com/sitemap.xml\n"
    )
    assert not comity.parse(found["xn--bcher-kva.example"].body).allowed("/", agent="ExampleBot")
    for host, built in found.items():
        assert built.host == host
        assert comity.build(host=host) == built
    assert comity.build(host="Bücher.example") == found["xn--bcher-kva.example"]


def test_sources_name_the_host(site):
    site({"robots.toml": PLAN}, host="shop.example.com")
    built = comity.build(host="shop.example.com")
    lines = built.body.decode().splitlines()

    assert built.sources[lines.index("Disallow: /cart/")] == ('robots.toml: hosts."shop.example.com".close',)
    assert built.sources[lines.index("Disallow: /tmp/")] == ("robots.toml: close",)


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("", "Disallow: /a\n"),
        ("keep_out = true", "Disallow: /a\nDisallow: /\n"),
        ('close = "/b"', "Disallow: /a\nDisallow: /b\n"),
        ("closed = true", "Disallow: /\n"),
        ('only = "/b"', "Allow: /b$\nDisallow: /a\nDisallow: /\n"),
    ],
)
def test_keys_of_a_host(own, expected):
    import tomllib

    plan = {"close": "/a", "hosts": {"www.example.com": tomllib.loads(own)}}

    assert comity.build(plan).body.decode().endswith(expected)


def test_flag_of_a_host_replaces_that_of_the_plan():
    plan = {"keep_out": True, "hosts": {"a.example": {}, "b.example": {"keep_out": False}}}
    found = build_hosts(plan)

    assert comity.parse(found["b.example"].body).allowed("/", agent="ExampleBot")
    assert not comity.parse(found["a.example"].body).allowed("/", agent="ExampleBot")


def test_one_host_needs_no_name():
    assert comity.build({"close": "/a", "hosts": {"a.example": {"close": "/b"}}}).host == "a.example"
    assert comity.build({"close": "/a"}).host is None


def test_environment_applies_to_all_hosts():
    plan = {"hosts": {"a.example": {"close": "/a"}}, "environments": {"staging": {"closed": True}}}

    assert comity.build(plan, environment="staging").body.endswith(b"\nDisallow: /\n")
    plan["environments"]["staging"] = {"close": "/b"}
    assert comity.build(plan, environment="staging").body == b"User-agent: *\nDisallow: /a\nDisallow: /b\n"


#: (plan, host, message)
WRONG = [
    ({}, "a.example", 'plan: the plan has no hosts; add a table such as [hosts."www.example.com"]'),
    ({"hosts": {"a.example": {}}}, "b.example", "plan: the plan has no host b.example; did you mean a.example?"),
    ({"hosts": {"a.example": {}}}, "no", "plan: the plan has no host no; expected one of a.example"),
    ({"hosts": {"a.example": {}}}, "a b", "plan: invalid host `a b`; expected a name such as www.example.com"),
    ({"hosts": {"a.example:80": {}}}, None, 'plan: hosts."a.example:80": invalid host `a.example:80`'),
    ({"hosts": {"..": {}}}, None, 'plan: hosts."..": invalid host `..`'),  # it is the name of a folder too
    ({"hosts": {"a..example": {}}}, None, "invalid host `a..example`"),
    ({"hosts": {"http://a.example": {}}}, None, 'plan: hosts."http://a.example": invalid host'),
    ({"hosts": {"a.example": {}, "A.EXAMPLE": {}}}, None, 'hosts."A.EXAMPLE": the plan already has the host a.example'),
    ({"hosts": {"a.example": {"clos": "/"}}}, None, 'plan: hosts."a.example".clos: unknown key; did you mean close'),
    ({"hosts": {"a.example": {"environments": {}}}}, None, 'hosts."a.example".environments: unknown key'),
    ({"hosts": {"a.example": "/a"}}, None, "plan: hosts: invalid value; expected tables"),
    ({"hosts": ["a.example"]}, None, "plan: hosts: invalid value; expected tables"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "host", "message"), WRONG)
def test_wrong_hosts(plan, host, message):
    with pytest.raises(InvalidPlan) as caught:
        comity.build(plan, host=host)

    assert message in caught.value.problems[0]


def test_plan_without_hosts_has_no_files_of_hosts():
    with pytest.raises(InvalidPlan, match="the plan has no hosts"):
        build_hosts({"close": "/a"})


@pytest.mark.parametrize(
    ("plan", "mark", "message"),
    [
        (
            PLAN,
            "shp.example.com",
            "robots.d/shop.txt:1:1: the plan has no host shp.example.com; did you mean shop.",
        ),
        ('close = "/a"', "shop.example.com", "robots.d/shop.txt:1:1: the plan has no hosts"),
        (PLAN, "shop.example.com:80", "robots.d/shop.txt:1:1: invalid host `shop.example.com:80`"),
        (PLAN, "", "robots.d/shop.txt:1:1: `comity: hosts` names no host"),
        (
            PLAN,
            "shop.example.com\nSitemap: https://a.example/ # comity: host www.example.com",
            "robots.d/shop.txt:2:1: `comity: hosts` concerns the whole fragment; write it on its own line",
        ),
    ],
)
def test_fragment_for_an_unknown_host_is_an_error(site, plan, mark, message):
    text = SHOP.replace("shop.example.com", mark)
    with pytest.raises(InvalidPlan) as caught:
        site(
            {"robots.toml": plan, "robots.d/shop.txt": text}, host="www.example.com" if plan == PLAN else None
        )

    assert message in caught.value.problems[0]


def test_problems_of_all_hosts_are_in_one_error(site):
    plan = {
        "close": "/x",
        "hosts": {"a.example": {"groups": {"agents": "*", "allow": "/x"}}, "b.example": {}},
    }
    with pytest.raises(PlanConflict) as caught:
        build_hosts(plan)
    assert len(caught.value.problems) == 1
    plan["hosts"]["b.example"] = {"close": "x"}
    with pytest.raises(InvalidPlan) as caught:
        build_hosts(plan)
    assert not isinstance(caught.value, PlanConflict)


def test_notes_are_those_of_the_host():
    plan = {"hosts": {"a.example": {"block": "Zzyzx"}, "b.example": {}}}
    found = build_hosts(plan)

    assert [len(texts(built)) for built in found.values()] == [1, 0]
