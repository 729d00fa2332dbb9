"""RSL 1.0: License lines, documents, and the licences of a response and its page.

`rsl_cases.json` has the cases of the standard and of our own decisions, each with its rule.
"""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.robotstxt import DIALECTS
from comity.protocol.robotstxt.fields.license import license_fault
from comity.protocol.usage import LicenseDocuments, Standing, rsl
from comity.protocol.usage.bounded_xml import DEPTH, ELEMENTS, LIMIT, NAMESPACE, TEXT, tree_of
from comity.protocol.usage.rsl_file import CONTENTS, TOKENS

CASES = json.loads(Path(__file__).with_name("rsl_cases.json").read_text(encoding="utf-8"))
DISCOVERY = [case for case in CASES if "documents" not in case]
DOCUMENTS = [case for case in CASES if "documents" in case]
USES = {"search": "search", "ai-input": "ai-input", "ai-train": "train-ai", "ai-index": "ai-index"}

RL = "https://www.example.com/license.xml"
ROBOTS = f"License: {RL}\nUser-agent: *\nAllow: /\n"


def document(inner, attributes=""):
    return f'<rsl xmlns="https://rslstandard.org/rsl"{attributes}>{inner}</rsl>'


def prohibiting(use, url="/"):
    return document(
        f'<content url="{url}"><license><prohibits type="usage">{use}</prohibits></license></content>'
    )


def states(usage):
    """Return the state of each use by the statements of RSL."""
    found = {}
    for use, category in USES.items():
        standings = [
            (one.standing, one.preference)
            for one in usage.statements
            if one.vocabulary == "rsl" and one.category == category
        ]
        assert all(preference is not comity.Preference.ALLOW for _, preference in standings)
        codes = {standing for standing, _ in standings}
        if codes & {Standing.DECIDES, Standing.AGREES}:
            found[use] = "disallow"
        else:
            order = (Standing.UNLICENSED, Standing.TERMS)
            found[use] = next((one.code for one in order if one in codes), "none")
    return found


@pytest.mark.parametrize("case", DISCOVERY, ids=lambda case: case["rule"])
def test_license_lines(case):
    rules = comity.parse(case["robots_txt"]).rules_for(case["agent"])
    fetch = "allow" if rules.allowed(case["url"]) else "disallow"
    assert f"fetch={fetch}; licenses: {' '.join(rules.licenses) or 'none'}" == case["expected"]


@pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: case["rule"])
def test_documents(case):
    known = LicenseDocuments(case["documents"], user=case.get("user") or (), geo=case.get("geo") or ())
    usage = comity.usage(case["url"], agent=case["agent"], robots=case["robots_txt"], licenses=known)
    expected = dict(pair.split("=") for pair in case["expected"].split(", "))
    assert states(usage) == expected


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (RL, None),
        ("HTTPS://EXAMPLE.COM/l.xml", None),
        ("https://[2001:db8::1]/l.xml", None),  # public_only refuses it when it is fetched
        ("https://example.com/" + "a" * 2028, None),
        ("https://example.com/" + "a" * 2029, "longer"),
        ("license.xml", "absolute"),
        ("//example.com/l.xml", "absolute"),
        ("https:/example.com/l.xml", "absolute"),
        ("ftp://example.com/l.xml", "https"),
        ("https://", "host"),
        ("https:///l.xml", "host"),
        ("https://example.com:99999/", "host"),
        ("https://a b/", "space"),
        ("https://example.com/\x1b[0m", "space"),
        ("https://example.com/é", "space"),
        ("https://user@example.com/", "user name"),
        ("https://user%40example.com/", "user name"),
        ("", "absolute"),
    ],
)
def test_values_of_license(value, fault):
    found = license_fault(value)
    assert found is None if fault is None else fault in found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_license_never_changes_groups(dialect):
    # RFC 9309 2.2.4: other records must not interfere
    lines = ["User-agent: a", "Crawl-delay: 3", "User-agent: b", "Disallow: /x", "User-agent: *", "Allow: /"]
    plain = comity.parse("\n".join(lines), dialect=dialect)
    for at in range(len(lines) + 1):
        text = "\n".join([*lines[:at], f"License: {RL}", *lines[at:]])
        file = comity.parse(text, dialect=dialect)
        for agent in ("a", "b", "c"):
            before, after = plain.rules_for(agent), file.rules_for(agent)
            assert before.crawl_delay == after.crawl_delay
            assert before.allowed_many(["/x", "/y"]) == after.allowed_many(["/x", "/y"])
            assert [group.rules for group in before.groups] != [] or not after.groups


def test_rules_with_licenses_survive_a_pickle():
    import pickle

    rules = comity.parse(ROBOTS).rules_for("ExampleBot")
    copy = pickle.loads(pickle.dumps(rules))
    assert copy.licenses == (RL,)
    assert copy == rules


def test_many_license_lines_are_bounded():
    lines = "".join(f"License: https://example.com/{number}.xml\n" for number in range(20_000))
    robots = comity.parse(f"User-agent: *\n{lines}Disallow: /x\n")
    assert len(robots.rules_for("ExampleBot").licenses) == 20_000
    found = comity.usage("/", agent="ExampleBot", robots=robots).statements
    assert len([one for one in found if one.vocabulary == "rsl"]) == 9 * len(USES)
    # The ninth is declared and not read: a robot that respects licences does not get more by that.
    known = LicenseDocuments(
        {f"https://example.com/{number}.xml": prohibiting("ai-train") for number in range(8)}, respected=True
    )
    usage = comity.usage("/", agent="ExampleBot", robots=robots, licenses=known)
    assert not usage.permits("search")


@pytest.mark.parametrize(
    "body",
    [
        f'<rsl xmlns="{"u" * 200_000}">{"<a/>" * 9_999}</rsl>',
        document('<content url="/" p:a=""/>' * 9_000, f' xmlns:p="{"u" * 500_000}"'),
        f'<rsl xmlns="{"u" * NAMESPACE}">{"".join(f"<a{n}/>" for n in range(9_999))}</rsl>',
    ],
    ids=range(3),
)
def test_namespaces_take_bounded_memory(body):
    tracemalloc.start()
    try:
        rsl(body)
        comity.usage("/", agent="b", html=f'<script type="application/rsl+xml">{body}</script>')
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


def test_a_namespace_is_kept_once():
    root = tree_of(f'<p:rsl xmlns:p="{"u" * NAMESPACE}"><p:a/><p:b/></p:rsl>')
    assert len({id(node.namespace) for node in (root, *root.children)}) == 1
    assert [len(root.namespace), root.prefix, root.children[1].name] == [NAMESPACE, "p", "b"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "rsl-xml"),
        ("not xml", "rsl-xml"),
        (document("<content url='/'>"), "rsl-xml"),
        (document("&nothing;"), "rsl-xml"),
        (document("<content url='/' url='/'><license/></content>"), "rsl-xml"),
        (document("<x:y/>"), "rsl-xml"),
        (document("<!DOCTYPE a>"), "rsl-doctype"),
        (f"<!-- <!DOCTYPE a> -->{prohibiting('all')}", "rsl-doctype"),
        (f"<!DOCTYPE a [<!ENTITY % b SYSTEM 'file:///etc/passwd'>%b;]>{prohibiting('all')}", "rsl-doctype"),
        (b'<?xml version="1.0" encoding="utf-7"?>' + prohibiting("all").encode(), "rsl-xml"),
        (b'<?xml version="1.0" encoding="cp037"?>' + prohibiting("all").encode(), "rsl-xml"),
        (b"\xff\xfe<", "rsl-xml"),
        (prohibiting("all").encode() + b"\xff", "rsl-xml"),
        (prohibiting("all") + " " * LIMIT, "rsl-too-large"),
        (document("<a/>", f' xmlns:p = "{"u" * (NAMESPACE + 1)}"'), "rsl-too-large"),
        (document(f"<a\nxmlns\n=\t'{'u' * (NAMESPACE + 1)}'/>"), "rsl-too-large"),
        (document("<a>" * DEPTH + "</a>" * DEPTH), "rsl-too-large"),
        (document("<a/>" * ELEMENTS), "rsl-too-large"),
        (document("<content " + " ".join(f"a{n}=''" for n in range(40)) + "/>"), "rsl-too-large"),
        (document(f"<content url='/'>{'a' * (TEXT + 1)}</content>"), "rsl-too-large"),
        (document('<content url="/"><license/></content>' * (CONTENTS + 1)), "rsl-too-large"),
        (prohibiting("a " * (TOKENS + 1)), "rsl-too-large"),
        (document(f'<content url="/{"a" * 2048}"><license/></content>'), "rsl-too-large"),
        ('<rsl xmlns="https://rslstandard.org/rsl/"/>', "rsl-namespace"),
        ('<feed xmlns="http://www.w3.org/2005/Atom"/>', "rsl-root"),
        (document(""), "rsl-content"),
        (document('<content url="a/b"><license/></content>'), "rsl-content"),
        (document('<content url="/"><license><license/></license></content>'), "rsl-element"),
        (document("<permits/>"), "rsl-element"),
        (prohibiting("all").replace('type="usage"', 'type="use"'), "rsl-element"),
        (prohibiting("all").replace("<license>", "<license><payment/><payment/>"), "rsl-element"),
        (document('<content url="/" server="http://example.com/"><license/></content>'), "rsl-server"),
        (document('<content url="/" encrypted="true"><license/></content>'), "rsl-server"),
    ],
)
def test_documents_with_an_error_are_not_used(body, code):
    found = rsl(body)
    assert [one.code for one in found.findings if one.is_error][:1] == [code]
    assert found.fault
    assert found.contents == ()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (prohibiting("ai-train, search"), "rsl-old-draft"),
        (prohibiting("tdm"), "rsl-old-draft"),
        (prohibiting("ai-dream"), "rsl-token"),
        (
            document(
                '<content url="/"><license><permits type="usage">all</permits>'
                '<prohibits type="usage">all</prohibits></license></content>'
            ),
            "rsl-conflict",
        ),
        (document('<content url="/" lastmod="soon"><license/></content>'), "rsl-lastmod"),
        (document('<content url="/" encrypted="False"><license/></content>'), "rsl-boolean"),
        (document('<content url="/"><license/></content>', ' max-age="0"'), "rsl-max-age"),
        (document('<content url="/"><license><legal type="x"/></license></content>'), "rsl-token"),
        (
            document(
                '<content url="/"><license><payment type="inference"><amount>1</amount></payment>'
                "</license></content>"
            ),
            "rsl-old-draft",
        ),
        (
            document(
                '<content url="/"><license><payment type="use"><amount currency="dollar">1</amount>'
                "</payment></license></content>"
            ),
            "rsl-amount",
        ),
    ],
)
def test_documents_with_warnings_are_used(body, code):
    found = rsl(body)
    assert found.fault is None
    assert [one.code for one in found.findings][:1] == [code]


def test_extension_tokens_mean_nothing_and_are_not_reported():
    found = rsl(prohibiting("ai-train acme:dream"))
    assert found.findings == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "ascii"])
def test_encodings(encoding):
    declared = {"latin-1": "ISO-8859-1", "ascii": "US-ASCII"}.get(encoding, "UTF-8")
    body = f'<?xml version="1.0" encoding="{declared}"?>{prohibiting("ai-train")}'.encode(encoding)
    assert rsl(body).fault is None


@pytest.mark.parametrize(("value", "days"), [("7", 7), ("x", 30), ("9" * 5000, 3650), ("-1", 30)])
def test_max_age(value, days):
    assert rsl(document('<content url="/"><license/></content>', f' max-age="{value}"')).max_age == days


@given(st.binary(max_size=200) | st.text(max_size=200).map(document))
def test_any_body_is_read(body):
    found = rsl(body)
    assert bool(found.contents) != bool(found.fault)


@pytest.mark.parametrize(
    ("headers", "html", "expected"),
    [
        ({"Link": f'<{RL}>; rel="license"; type="application/rsl+xml"'}, None, "disallow"),
        ({"Link": f'<{RL}>;type=application/rsl+xml;rel="LICENSE next"'}, None, "disallow"),
        ({"Link": f'</next>; rel=next, <{RL}>; rel=license; type="application/rsl+xml"'}, None, "disallow"),
        ({"Link": '</license.xml>; rel="license"; type="application/rsl+xml"'}, None, "disallow"),
        ({"Link": f'<{RL}>; rel="license"'}, None, "none"),
        ({"Link": f'<{RL}>; type="application/rsl+xml"'}, None, "none"),
        ({"Link": f'<{RL}>; rel="license"; type="text/html"'}, None, "none"),
        ({"Link": f'<{RL}>; rel="license"; type="application/rsl+xml"; anchor="/b"'}, None, "none"),
        ({"Link": f'<{RL}>; title="; rel=license"; type="application/rsl+xml"'}, None, "none"),
        ({"Link": '<http://x/>; rel="license"; type="application/rsl+xml"'}, None, "unlicensed"),
        ({}, f'<link rel="license" type="application/rsl+xml" href="{RL}">', "disallow"),
        ({}, '<LINK REL=license TYPE="application/rsl+xml" HREF=license.xml>', "disallow"),
        ({}, '<base href="/"><link rel=license type="application/rsl+xml" href=license.xml>', "disallow"),
        ({}, f'<link rel="license" href="{RL}">', "none"),
        ({}, f'<!-- <link rel="license" type="application/rsl+xml" href="{RL}"> -->', "none"),
        ({}, f'<body><link rel="license" type="application/rsl+xml" href="{RL}">', "none"),
        ({}, f'<script type="application/rsl+xml">{prohibiting("ai-train", "")}</script>', "disallow"),
        ({}, f'<script type="application/rsl+xml">{prohibiting("ai-train", "/b")}</script>', "none"),
        ({}, '<script type="application/rsl+xml">nothing</script>', "unlicensed"),
        ({}, f"<script>{prohibiting('ai-train')}</script>", "none"),
        ({}, f'<body><script type="application/rsl+xml">{prohibiting("ai-train")}</script>', "none"),
    ],
)
def test_licences_of_a_page(headers, html, expected):
    usage = comity.usage(
        "https://www.example.com/a",
        agent="ExampleBot",
        headers=headers,
        html=html,
        licenses={RL: prohibiting("ai-train")},
    )
    assert states(usage)["ai-train"] == expected


def test_licence_of_a_page_replaces_that_of_the_site():
    inline = f'<script type="application/rsl+xml">{prohibiting("ai-input", "")}</script>'
    usage = comity.usage(
        "https://www.example.com/a",
        agent="ExampleBot",
        robots=ROBOTS,
        html=inline,
        licenses={RL: prohibiting("all")},
    )
    assert usage.permits("train-ai")
    assert not usage.permits("ai-input")
    assert usage.deciding("ai-input").source == "html"


def test_empty_url_is_for_pages_only():
    usage = comity.usage("/a", agent="ExampleBot", robots=ROBOTS, licenses={RL: prohibiting("ai-train", "")})
    assert states(usage)["ai-train"] == "unlicensed"


def test_licence_never_allows_what_another_statement_leaves_open():
    allowing = document('<content url="/"><license><permits type="usage">all</permits></license></content>')
    usage = comity.usage("/a", agent="ExampleBot", robots=ROBOTS, licenses={RL: allowing})
    assert usage.permits("train-ai")
    assert not usage.permits("train-ai", only_if_allowed=True)
    forbidden = ROBOTS + "Content-Signal: ai-train=no\n"
    usage = comity.usage("/a", agent="ExampleBot", robots=forbidden, licenses={RL: allowing})
    assert not usage.permits("train-ai")


def test_statements_show_their_line_and_document():
    usage = comity.usage("/a", agent="ExampleBot", robots=ROBOTS, licenses={RL: prohibiting("ai-train")})
    deciding = usage.deciding("train-ai")
    assert (deciding.source, deciding.place, deciding.policy) == ("robots.txt", 1, RL)
    assert str(deciding) == f"robots.txt line 1 `License: {RL} (line 1 prohibits it)`"
    assert usage.tdm_policy is None
    assert "its licence was not read" in comity.usage("/a", agent="ExampleBot", robots=ROBOTS).explain(
        "search"
    )


def test_unavailable_licence_disallows_only_if_respected():
    for respected in (False, True):
        known = LicenseDocuments({RL: None}, respected=respected)
        usage = comity.usage("/a", agent="ExampleBot", robots=ROBOTS, licenses=known)
        assert usage.permits("search") is not respected


def test_vocabulary_08_has_a_label_for_input():
    usage = comity.usage(
        "/a",
        agent="ExampleBot",
        robots=ROBOTS,
        licenses={RL: prohibiting("ai-input")},
        vocabulary="aipref-vocab-08",
    )
    assert not usage.permits("ai-use")
    assert not usage.permits("ai-input")
    assert usage.permits("train-ai")


def test_hostile_link_fields_take_linear_time():
    for value in ("<" * 8192, " " * 8192, '<a>;"' * 1600, "<a>; " * 1600, '<a>; rel="' + "\\" * 8000):
        comity.usage("https://example.com/", agent="", headers=[("Link", value)] * 40)
