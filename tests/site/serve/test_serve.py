"""A site without a server: its file, conditions, the fields of each path, and the environment."""

import hashlib
import pickle
import time
import warnings
from contextlib import suppress
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import patterns

import comity
from comity.protocol.text import to_bytes
from comity.site.serve import ENVIRONMENTS, Fields, HeaderRule, ServedRequest, Site
from comity.site.serve.request_paths import comparable_path, comparable_pattern

BODY = b"User-agent: *\nDisallow: /private/\n"
ETAG = f'"{hashlib.sha256(BODY).hexdigest()[:32]}"'
#: 6 November 1994, 08:49:37 GMT, which RFC 9110 5.6.7 writes in three ways, and a second around it.
CHANGED = 784_111_777.0
NOW, LATER, BEFORE = (f"Sun, 06 Nov 1994 08:49:{second} GMT" for second in (37, 38, 36))


def request_for(path="/robots.txt", query="", method="GET", *headers):
    lines = tuple(tuple(part.strip() for part in line.split(":", 1)) for line in headers)
    return ServedRequest(method, path.encode(), query.encode(), lines)


def site(robots=BODY, *rules, environment="production", **options):
    return Site(robots, environment=environment, headers=rules, **options)


def answer(*headers, method="GET", **options):
    return site(**options).answer(request_for("/robots.txt", "", method, *headers))


# The file -----------------------------------------------------------------------------------------


def test_get():
    """RFC 9309 2.3: UTF-8, as text/plain."""
    found = answer()

    assert (found.status, found.body) == (200, BODY)
    assert dict(found.headers) == {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(BODY)),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "max-age=3600",
        "ETag": ETAG,
    }


def test_head_has_the_headers_of_get():
    """RFC 9110 9.3.2."""
    whole, head = answer(last_modified=CHANGED), answer(method="HEAD", last_modified=CHANGED)

    assert (head.status, head.headers, head.body) == (whole.status, whole.headers, b"")
    assert dict(head.headers)["Last-Modified"] == NOW


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get", ""])
def test_other_methods(method):
    """RFC 9110 15.5.6: 405 has the allowed methods."""
    found = answer(method=method)

    assert (found.status, found.body) == (405, b"")
    assert dict(found.headers)["Allow"] == "GET, HEAD, OPTIONS"


def test_options():
    """RFC 9110 9.3.7, and 8.6: no Content-Length with 204."""
    assert answer(method="OPTIONS") == answer(method="OPTIONS", robots="another")
    assert answer(method="OPTIONS").headers == (("Allow", "GET, HEAD, OPTIONS"),)


@pytest.mark.parametrize(
    "path", ["/", "", "/robots.txt/", "//robots.txt", "/Robots.txt", "/shop/robots.txt", "/robots.tx"]
)
def test_other_paths_are_for_the_application(path):
    for environment in ENVIRONMENTS:
        assert site(environment=environment).answer(request_for(path)) is None


def test_query_is_ignored():
    assert site().answer(request_for(query="v=2")).body == BODY


def test_site_without_file_leaves_answer_to_application():
    assert site(None).answer(request_for()) is None
    assert site(None, environment="staging").answer(request_for()).body.endswith(b"Disallow: /\n")


def test_str_is_sent_as_utf_8():
    assert site("Disallow: /caf\u00e9").answer(request_for()).body == b"Disallow: /caf\xc3\xa9"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("authority", "headers", "modified", "status"),
    [
        ("rfc 13.1.2", [f"If-None-Match: {ETAG}"], None, 304),
        ("rfc 8.8.3.2", [f"If-None-Match: W/{ETAG}"], None, 304),  # the weak comparison
        ("rfc 13.1.2", [f'If-None-Match: "a", W/"b,c" ,, {ETAG}'], None, 304),
        ("rfc 5.3", ['If-None-Match: "a"', f"if-none-match: {ETAG}"], None, 304),
        ("rfc 13.1.2", ["If-None-Match: *"], None, 304),
        ("rfc 13.1.2", ['If-None-Match: "a"'], None, 200),
        ("rfc 8.8.3", [f'If-None-Match: "{ETAG[1:-1].upper()}"'], None, 200),
        ("comity", [f"If-None-Match: {ETAG[1:-1]}"], None, 200),  # no entity tag without quotes
        ("comity", [f"If-None-Match: x, {ETAG}"], None, 200),
        ("comity", [f"If-None-Match: w/{ETAG}"], None, 200),  # W is in upper case
        ("comity", ['If-None-Match: "'], None, 200),
        ("comity", ["If-None-Match:"], None, 200),
        ("rfc 13.1.3", [f"If-Modified-Since: {NOW}"], CHANGED, 304),
        ("rfc 13.1.3", [f"If-Modified-Since: {LATER}"], CHANGED, 304),
        ("rfc 13.1.3", [f"If-Modified-Since: {BEFORE}"], CHANGED, 200),
        ("rfc 5.6.7", ["If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"], CHANGED, 304),
        ("rfc 5.6.7", ["If-Modified-Since: Sun Nov  6 08:49:37 1994"], CHANGED, 304),
        ("rfc 13.1.3", [f"If-Modified-Since: {NOW}"], CHANGED + 0.9, 304),  # which HTTP dates cannot express
        ("rfc 13.1.3", [f"If-Modified-Since: {LATER}"], None, 200),  # unknown
        ("rfc 13.1.3", ["If-Modified-Since: soon"], CHANGED, 200),
        ("rfc 13.1.3", [f"If-Modified-Since: {LATER}, {LATER}"], CHANGED, 200),
        ("rfc 13.1.3", [f"If-Modified-Since: {LATER}", 'If-None-Match: "a"'], CHANGED, 200),
        ("rfc 13.2.2", [f"If-Modified-Since: {BEFORE}", f"If-None-Match: {ETAG}"], CHANGED, 304),
        ("rfc 13.1.1", [f"If-Match: {ETAG}"], None, 200),
        ("rfc 13.1.1", ["If-Match: *"], None, 200),
        ("rfc 13.1.1", ['If-Match: "a"'], None, 412),
        ("rfc 13.1.1", [f"If-Match: W/{ETAG}"], None, 412),  # the strong comparison
        ("rfc 13.2.2", [f"If-Match: {ETAG}", f"If-None-Match: {ETAG}"], None, 304),
        ("rfc 13.1.4", [f"If-Unmodified-Since: {BEFORE}"], CHANGED, 412),
        ("rfc 13.1.4", [f"If-Unmodified-Since: {NOW}"], CHANGED, 200),
        ("rfc 13.1.4", [f"If-Unmodified-Since: {BEFORE}"], None, 200),
        ("rfc 13.1.4", [f"If-Unmodified-Since: {BEFORE}", f"If-Match: {ETAG}"], CHANGED, 200),
        ("rfc 14.2", ["Range: bytes=0-3", f"If-Range: {ETAG}"], None, 200),  # which a server may ignore
        ("comity", ["Accept-Encoding: gzip", "Accept: text/html"], None, 200),
    ],
)
def test_conditions(method, authority, headers, modified, status):
    found = answer(*headers, method=method, last_modified=modified)

    assert found.status == status
    if status == 304:  # RFC 9110 15.4.5
        assert found.headers == (("Cache-Control", "max-age=3600"), ("ETag", ETAG))
    assert (found.body == BODY) is (status == 200 and method == "GET")


@given(
    st.lists(
        st.tuples(st.sampled_from(["if-match", "If-None-Match", "If-Modified-Since"]), st.text()), max_size=4
    )
)
def test_conditions_never_raise(headers):
    request = ServedRequest("GET", b"/robots.txt", b"", tuple(headers))

    assert site(last_modified=CHANGED).answer(request).status in (200, 304, 412)


def test_long_condition_is_parsed_in_linear_time():
    assert answer("If-None-Match: " + '"a", ' * 200_000 + ETAG).status == 304


# The fields of a path -----------------------------------------------------------------------------

# authority, the patterns of rules, path, query, which of them speaks (its place), or none
MATCHES = [
    ("rfc", ["/a"], "/ab", "", [0]),
    ("rfc", ["/a"], "/A", "", []),
    ("rfc", ["/a/", "/a/b"], "/a/bc", "", [1]),
    ("rfc", ["/a/b", "/a/"], "/a/c", "", [1]),
    ("rfc", ["/*.pdf$"], "/x/a.pdf", "", [0]),
    ("rfc", ["/*.pdf$"], "/x/a.pdf", "v=1", []),
    ("rfc", ["/a?v="], "/a", "v=1", [0]),
    ("rfc", ["/a?v="], "/a?v=1", "", []),  # %3F in the path does not begin a query
    ("rfc", ["/a%3Fv="], "/a?v=1", "", [0]),
    ("rfc", ["*/x"], "/a/x", "", [0]),
    ("rfc", ["/%7Ejoe"], "/~joe", "", [0]),
    ("rfc", ["/caf\u00e9"], "/caf\u00e9", "", [0]),
    ("rfc", ["/caf%c3%a9"], "/caf\u00e9", "", [0]),
    ("rfc", ["/a%2Ab"], "/a*b", "", [0]),
    ("rfc", ["/a%2Ab"], "/axb", "", []),
    ("rfc", ["/a%24"], "/a$", "", [0]),
    ("rfc", ["/a%23b"], "/a#b", "", [0]),
    ("rfc", ["/50%25"], "/50%", "", [0]),
    ("rfc", ["/50%"], "/50%", "", [0]),
    ("rfc", ["/a%zz"], "/a%zz", "", [0]),
    ("rfc", ["/a%2"], "/a%2", "", [0]),
    ("rfc", ["/a b"], "/a b", "", [0]),
    ("rfc", ["/a?q=%3A"], "/a", "q=%3a", [0]),
    # What applications get is decoded, so an escaped slash is a slash.
    ("comity", ["/a%2Fb"], "/a/b", "", [0]),
    ("comity", ["/a%3Ab"], "/a:b", "", [0]),
    ("comity", ["/a"], "//a", "", []),
    ("comity", ["/"], "", "", []),
    # Equally long patterns both speak.
    ("comity", ["/ab", "/a*"], "/ab", "", [0, 1]),
    ("comity", ["/ab", "/ab"], "/abc", "", [0, 1]),
    ("comity", ["/"], "/robots.txt", "", [0]),
]


@pytest.mark.parametrize(("authority", "found", "path", "query", "places"), MATCHES)
def test_longest_matching_rule_applies(authority, found, path, query, places):
    tags = ["noindex", "nosnippet"]
    rules = [HeaderRule(pattern, tag) for pattern, tag in zip(found, tags, strict=False)]
    fields = site(BODY, *rules).fields_for(request_for(path, query))

    assert fields == Fields(tuple(tags[place] for place in places), ())
    assert bool(fields) is bool(places)


def test_each_field_has_its_own_longest_rule():
    rules = HeaderRule("/drafts/", "noindex"), HeaderRule("/*.pdf", content_usage="train-ai=n"), HeaderRule("/drafts/x", "all")  # fmt: skip

    assert site(BODY, *rules).fields_for(request_for("/drafts/a.pdf")) == Fields(
        ("noindex",), ("train-ai=n",)
    )
    assert site(BODY, *rules).fields_for(request_for("/drafts/x.pdf")) == Fields(("all",), ("train-ai=n",))


def test_equally_long_rules_all_apply():
    rules = (
        HeaderRule("/ab", content_usage="train-ai=y, search=y"),
        HeaderRule("/a*", content_usage="train-ai=n"),
    )

    for pair in (rules, rules[::-1]):
        assert site(BODY, *pair).fields_for(request_for("/ab")).usage == ("search=y", "train-ai=n")


def test_robots_txt_has_header_fields():
    found = site(BODY, HeaderRule("/robots.txt", "noindex", "train-ai=n")).answer(request_for())

    assert dict(found.headers)["X-Robots-Tag"] == "noindex"
    assert dict(found.headers)["Content-Usage"] == "train-ai=n"
    assert dict(found.headers)["ETag"] == ETAG


@given(st.lists(patterns, max_size=60), st.binary(), st.binary())
def test_paths_never_raise(written, path, query):
    rules = [HeaderRule(pattern, "noindex") for pattern in written if pattern.startswith(("/", "*"))]
    made = site(BODY, *rules)

    for _ in range(9):  # the index of many patterns is built late
        made.fields_for(ServedRequest("GET", path, query, ()))


@given(st.text(st.characters(exclude_characters="*$#?%"), min_size=1))
@example("\udc80")  # the byte 80, by surrogateescape
@example("\ud800")
def test_path_matches_the_same_text_as_a_pattern(text):
    pattern = f"/{text}".rstrip("\t\r\n\x0b\x0c")

    assert comparable_pattern(pattern) == comparable_path(to_bytes(pattern), b"")


# Fields of the application --------------------------------------------------------------------

MERGED = [
    # fields of the site, lines of the application, X-Robots-Tag and Content-Usage in the end
    ((("noindex",), ()), [], ["noindex"], []),
    ((("noindex",), ()), [("X-Robots-Tag", "nosnippet")], ["noindex", "nosnippet"], []),
    ((("noindex",), ()), [("x-robots-tag", "bot: all")], ["noindex", "bot: all"], []),
    ((("bot: noindex",), ()), [("X-Robots-Tag", "all")], ["all", "bot: noindex"], []),
    ((("noarchive, bot: noindex",), ()), [("X-Robots-Tag", "all")], ["noarchive", "all", "bot: noindex"], []),
    ((("unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, bot: none",), ()), [], ["unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT", "bot: none"], []),
    ((("a: noindex", "nosnippet"), ()), [("X-Robots-Tag", "b: all")], ["nosnippet", "b: all", "a: noindex"], []),
    (((), ("train-ai=n",)), [], [], ["train-ai=n"]),
    (((), ("train-ai=n",)), [("content-usage", "search=y")], [], ["search=y, train-ai=n"]),
    (((), ("train-ai=n",)), [("Content-Usage", "train-ai=y")], [], ["train-ai=y, train-ai=n"]),
    (((), ("train-ai=y",)), [("Content-Usage", "train-ai=n")], [], ["train-ai=n"]),
    (((), ("train-ai=y",)), [("Content-Usage", "train-ai=what")], [], ["train-ai=what"]),
    (((), ("train-ai=y", "search=y")), [("Content-Usage", "train-ai=n"), ("Content-Usage", "x=1")], [], ["train-ai=n, x=1, search=y"]),
    (((), ("train-ai=y", "search=n")), [("Content-Usage", "train-ai=n"), ("Content-Usage", "")], [], ["search=n"]),
    (((), ("train-ai=n", "search=y")), [("Content-Usage", "Train-AI=N")], [], ["train-ai=n"]),
    (((), ("search=y",)), [("Content-Usage", "Train-AI=N")], [], ["Train-AI=N"]),
    (((), ("train-ai=n",)), [("Content-Usage", "")], [], ["train-ai=n"]),
    (((), ("train-ai=n",)), [("Content-Usage", "caf\u00e9")], [], ["train-ai=n"]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "own", "tags", "usage"), MERGED)
def test_fields_of_site_and_application_both_count(fields, own, tags, usage):
    others = [("Server", "x"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    lines = Fields(*fields).added_to([*others, *own])

    assert [value for name, value in lines if name.lower() == "x-robots-tag"] == tags
    assert [value for name, value in lines if name.lower() == "content-usage"] == usage
    assert lines[:3] == others


rules_for_all = st.lists(st.sampled_from(["noindex", "nosnippet", "max-snippet: 5", "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT"]), min_size=1, max_size=3)  # fmt: skip
rules_for_one = st.builds(lambda name, rules: f"{name}: " + ", ".join(rules), st.sampled_from(["ExampleBot", "b"]), rules_for_all)  # fmt: skip
tag_values = st.one_of(rules_for_all.map(", ".join), rules_for_one, st.builds("{}, {}".format, rules_for_all.map(", ".join), rules_for_one))  # fmt: skip


def heard(lines, agent):
    page = comity.page_directives(headers=lines, agent=agent, now=2e9)
    return [bool(page.index), bool(page.snippet), page.max_snippet]


@given(tag_values, tag_values, st.sampled_from(["ExampleBot", "b", "c"]))
def test_joined_lines_keep_their_meaning(ours, own, agent):
    """As for clients that give the lines of a field as one (RFC 9110 5.3)."""
    alone = [("X-Robots-Tag", ours), ("X-Robots-Tag", own)]
    lines = Fields((ours,), ()).added_to(alone[1:])
    joined = [("X-Robots-Tag", ", ".join(value for _, value in lines))]

    assert heard(alone, agent) == heard(lines, agent) == heard(joined, agent)


members = st.lists(st.sampled_from(["train-ai=n", "train-ai=y", "search=n", "search=y", "train-ai", "x=1"]), max_size=3).map(", ".join)  # fmt: skip
rule_usages = st.sampled_from(["train-ai=n", "train-ai=y", "search=n, train-ai=y", "search=y"])


@given(rule_usages, st.lists(members | st.text(), max_size=2))
def test_no_preference_is_lost(ours, own):
    """A use that the site or the application disallows stays disallowed."""
    own_lines = [("Content-Usage", value) for value in own]
    lines = Fields((), tuple(ours.split(", "))).added_to(own_lines)
    before, after, alone = (
        comity.usage("/", headers=found, agent="b") for found in (own_lines, lines, [("Content-Usage", ours)])
    )

    for category in ("train-ai", "search"):
        if not (before.permits(category) and alone.permits(category)):
            assert not after.permits(category)
        if after.permits(category, only_if_allowed=True):
            assert before.permits(category, only_if_allowed=True) or alone.permits(
                category, only_if_allowed=True
            )


# Values of header rules --------------------------------------------------------------------------

GOOD = [
    {"x_robots_tag": "noindex"},
    {"x_robots_tag": " NOINDEX,nofollow "},
    {"x_robots_tag": "noarchive, Googlebot: noindex, max-snippet: 20, otherbot/2.0: none"},
    {"x_robots_tag": "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, googlebot: unavailable_after: 2020-09-21T10:00:00+02:00"},
    {"x_robots_tag": "a: unavailable_after: Wednesday, 03-Dec-25 13:09:53 GMT, b: unavailable_after: Wed., 03 Dec 2025 13:09:53 GMT, noindex"},
    {"x_robots_tag": "max-snippet: -1, max-image-preview: large, max-video-preview: 0"},
    {"x_robots_tag": "all"},
    {"content_usage": "train-ai=n"},
    {"content_usage": "train-ai=y,\tsearch=n".replace("\t", " ")},
    {"content_usage": "bots=n"},
]  # fmt: skip

BAD = [
    ({"x_robots_tag": ""}, "it has no rule"),
    ({"x_robots_tag": " , "}, "it has no rule"),
    ({"x_robots_tag": "no-index"}, "unknown rule `no-index`"),
    ({"x_robots_tag": "noindex nofollow"}, "unknown rule `noindex nofollow`"),
    ({"x_robots_tag": "noindex; nofollow"}, "unknown rule `noindex; nofollow`"),
    ({"x_robots_tag": "max-snippet"}, "the value of `max-snippet` is missing or not valid"),
    ({"x_robots_tag": "max-snippet: few"}, "the value of `max-snippet` is missing or not valid"),
    ({"x_robots_tag": "unavailable_after: soon"}, "the value of `unavailable_after`"),
    ({"x_robots_tag": "noindex: nofollow"}, "`noindex` is a rule, but stands in the place of a name"),
    ({"x_robots_tag": "noindex, googlebot:"}, "nothing before or after a colon"),
    ({"x_robots_tag": ": noindex"}, "nothing before or after a colon"),
    ({"x_robots_tag": "a: b: noindex"}, "two names in a row"),
    ({"x_robots_tag": "all, a:b:max-snippet: 5"}, "two names in a row"),
    ({"x_robots_tag": "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, a: b: noindex"}, "two names in a row"),
    ({"x_robots_tag": "google bot: noindex"}, "cannot be a name, because it has a space"),
    ({"x_robots_tag": "bot: all, *: noindex"}, "`*` is not a name"),
    ({"x_robots_tag": "noindex\r\nSet-Cookie: a=1"}, "only printable ASCII can be sent"),
    ({"x_robots_tag": "noindex\n"}, "only printable ASCII can be sent"),
    ({"x_robots_tag": "no\u00efndex"}, "only printable ASCII can be sent"),
    ({"content_usage": ""}, "it has no preference"),
    ({"content_usage": "train-ai=n,"}, "expected a member after the comma at character 11"),
    ({"content_usage": "Train-AI=n"}, "expected a key"),
    ({"content_usage": "train-ai=N"}, "`train-ai` must be `y` or `n`"),
    ({"content_usage": "train-ai"}, "`train-ai` must be `y` or `n`"),
    ({"content_usage": 'train-ai="n"'}, "`train-ai` must be `y` or `n`"),
    ({"content_usage": "train_ai=n"}, "unknown label `train_ai`; use train-ai, search"),
    ({"content_usage": "train-ai=n;x"}, "it has a parameter"),
    ({"content_usage": "train-ai=n, train-ai=y"}, "it has the same label twice"),
    ({"content_usage": "train-ai=n\r\n"}, "only printable ASCII can be sent"),
    ({}, "rule for '/': it has no field"),
    ({"pattern": "", "x_robots_tag": "noindex"}, "matches nothing"),
    ({"pattern": "drafts/", "x_robots_tag": "noindex"}, "it begins with neither"),
    ({"pattern": "/a#b", "x_robots_tag": "noindex"}, "write %23"),
]  # fmt: skip


@pytest.mark.parametrize("values", GOOD)
def test_valid_values(values):
    rule = HeaderRule("/", **values)

    assert pickle.loads(pickle.dumps(rule)) == rule
    assert repr(rule).startswith("HeaderRule(pattern='/'")


@pytest.mark.parametrize(("values", "why"), BAD)
def test_invalid_values(values, why):
    with pytest.raises(comity.InvalidArgument) as complaint:
        HeaderRule(**{"pattern": "/"} | values)

    assert why in str(complaint.value)
    assert str(complaint.value).isprintable()


@given(st.text() | tag_values, st.text() | members)
def test_line_ends_are_refused(tag, usage):
    """RFC 9110 5.5: no line ends and no control characters."""
    for values in ({"x_robots_tag": tag}, {"content_usage": usage}):
        try:
            rule = HeaderRule("/", **values)
        except comity.InvalidArgument:
            continue
        for _, value in site(BODY, rule).answer(request_for()).headers:
            assert value.isascii()
            assert value.isprintable()


# The environment ----------------------------------------------------------------------------------

CLOSED = sorted(name for name, is_open in ENVIRONMENTS.items() if not is_open)


@pytest.mark.parametrize("environment", CLOSED)
def test_closed_site(environment):
    rules = HeaderRule("/", "all", "train-ai=y"), HeaderRule("/a", "nosnippet")
    closed = site(b"User-agent: *\nAllow: /", *rules, environment=environment, last_modified=CHANGED)
    found = closed.answer(request_for())
    fields = dict(found.headers)

    assert not closed.open
    robots = comity.parse(found.body)
    assert not robots.diagnostics
    assert not any(robots.allowed("/", agent=agent.token) for agent in comity.agents.ALL)
    for agent in comity.agents.ALL:  # AdsBot-Google and its like heed no `*`
        assert not agent.named_only or robots.check("/", agent=agent.token).matched == agent.token
    assert not robots.allowed("/", agent="ExampleBot")
    assert (fields["Cache-Control"], fields["X-Robots-Tag"]) == ("no-store", "noindex, nofollow")
    assert "Last-Modified" not in fields
    for path in ("/a", "/", "/robots.txt", "*"):
        fields = closed.fields_for(request_for(path))
        lines = fields.added_to([("X-Robots-Tag", "all"), ("Content-Usage", "train-ai=y")])
        page = comity.page_directives(headers=lines, agent="ExampleBot")
        usage = comity.usage(path, headers=lines, agent="ExampleBot")
        assert not page.index
        assert not page.follow
        assert not usage.permits("train-ai")
        assert not usage.permits("search")


def test_closed_site_methods_and_conditions():
    for method in ("GET", "HEAD", "OPTIONS", "POST"):
        found = answer(method=method, environment="staging")
        assert dict(found.headers)["X-Robots-Tag"] == "noindex, nofollow"
    etag = dict(answer(environment="staging").headers)["ETag"]
    assert answer(f"If-None-Match: {etag}", environment="staging").status == 304
    assert answer(f"If-None-Match: {ETAG}", environment="staging").status == 200


def test_only_production_is_open():
    assert [name for name, is_open in ENVIRONMENTS.items() if is_open] == ["production"]
    assert site().open
    assert site().environment == "production"


@pytest.mark.parametrize("environment", ["prod", "Production", "production ", "", "qa", None, True])
def test_unknown_environment(environment):
    """Neither a staging site that is open nor a production site that is closed."""
    with pytest.raises(comity.InvalidArgument) as complaint:
        site(environment=environment)

    assert "use production, which is open, or staging, " in str(complaint.value)


def test_environment_is_required():
    with pytest.raises(TypeError):
        Site(BODY)


@pytest.mark.parametrize(
    "options",
    [{"max_age": -1}, {"last_modified": float("nan")}, {"last_modified": 1e30}, {"last_modified": "soon"}],
)
def test_invalid_last_modified_and_max_age(options):
    with pytest.raises(comity.InvalidArgument):
        site(**options)


@pytest.mark.parametrize("seconds", [3.5, "60", None, True])
def test_max_age_must_be_an_integer(seconds):
    with pytest.raises(TypeError, match="max_age must be an int, not "):
        site(max_age=seconds)


def test_max_age():
    assert dict(answer(max_age=0).headers)["Cache-Control"] == "max-age=0"


# Unreadable bodies and hidden noindex ---------------------------------------------------------------


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        (b"\xff\xfe", "UTF-16"),
        ("User-agent: *\n".encode("utf-16-le"), "UTF-16"),
        (b"User-agent: *\nDisallow: /caf\xe9\n", "robots.txt:2: the line is not UTF-8"),
        ("Disallow: /\udce9", "robots.txt:1: the line is not UTF-8"),
        (b"<!DOCTYPE html><title>Not found</title>", "looks like a web page"),
        (b"\xef\xbb\xbf\n <HTML>", "looks like a web page"),
    ],
)
def test_unreadable_body(environment, robots, expected):
    """RFC 9309 2.3: UTF-8. It is an error in each environment, not only in production."""
    with pytest.raises(comity.InvalidArgument, match=expected):
        site(robots, environment=environment)


@pytest.mark.parametrize("robots", [b"", b"\xef\xbb\xbfUser-agent: *", "# caf\u00e9", b"nonsense <html>"])
def test_readable_body(robots):
    assert site(robots).answer(request_for()).status == 200


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("/d", "noindex")], r"headers must be HeaderRule values, not \('/d', 'noindex'\)"),
        ({"/d": "noindex"}, "headers must be HeaderRule values, not '/d'"),
        ("/d", "headers must be HeaderRule values"),
        (HeaderRule("/d", "noindex"), "not iterable"),
    ],
)
def test_headers_of_wrong_type(headers, expected):
    with pytest.raises(TypeError, match=expected):
        Site(BODY, environment="production", headers=headers)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((None, "noindex"), "pattern must be a str, not None"),
        ((b"/d", "noindex"), "pattern must be a str, not b'/d'"),
        (("/d", ["noindex"]), r"x_robots_tag must be a str, not \['noindex'\]"),
        (("/d", None, {"train-ai": "n"}), "content_usage must be a str, not "),
    ],
)
def test_rule_values_of_wrong_type(values, expected):
    with pytest.raises(TypeError, match=expected):
        HeaderRule(*values)


#: authority, body, pattern, value, robot named by the warning or None
HIDDEN_NOINDEX = [
    ("google", "User-agent: *\nDisallow: /d/\n", "/d/", "noindex", "*"),
    ("google", "User-agent: *\nDisallow: /\n", "/d/", "noindex, nofollow", "*"),
    ("google", "User-agent: *\nDisallow: /d/\n", "/d/*.pdf$", "none", "*"),
    ("google", "User-agent: *\nDisallow: /*.pdf$\n", "/d/*.pdf$", "noindex", "*"),
    ("google", "User-agent: *\nDisallow: /*.pdf$\n", "/d/a.pdf", "noindex", None),  # /d/a.pdf?v=2 is seen
    ("google", "User-agent: *\nDisallow: /d/\n", "*/d/", "noindex", None),  # /e/d/ is seen
    ("google", "User-agent: *\nDisallow: /d/\n", "/d", "noindex", None),  # /day is seen
    ("google", "User-agent: *\nDisallow: /d/\nAllow: /d/open\n", "/d/open/", "noindex", None),
    ("google", "User-agent: *\nDisallow: /d/\nAllow: /d/open\n", "/d/", "noindex", "*"),
    ("google", "User-agent: *\nDisallow: /caf%C3%A9\n", "/caf\u00e9/", "noindex", "*"),
    ("google", "User-agent: *\nDisallow: //d\n", "//d/", "noindex", "*"),
    ("google", "User-agent: *\nDisallow: /d/\n", "/d/", "nosnippet", None),  # a hidden page has no snippet
    ("comity", "User-agent: *\nDisallow: /d/\n", "/d/", "googlebot: noindex", "*"),
    ("comity", "User-agent: Googlebot\nDisallow: /d/\n", "/d/", "noindex", "Googlebot"),
    ("comity", "User-agent: Googlebot\nDisallow: /d/\n", "/d/", "googlebot-news: noindex", "Googlebot"),
    ("comity", "User-agent: Googlebot\nDisallow: /d/\n", "/d/", "bingbot: noindex", None),
    ("comity", "User-agent: GPTBot\nDisallow: /\n", "/d/", "noindex", None),  # which has no index
    ("comity", "User-agent: ExampleBot\nDisallow: /d/\n", "/d/", "examplebot: noindex", "examplebot"),
]


@pytest.mark.parametrize(("authority", "robots", "pattern", "value", "robot"), HIDDEN_NOINDEX)
def test_noindex_on_disallowed_paths_warns(authority, robots, pattern, value, robot, recwarn):
    site(robots, HeaderRule(pattern, value))

    messages = [str(warning.message) for warning in recwarn]
    assert len(messages) == (robot is not None)
    for text in messages:
        assert text.startswith(
            f"{robot} never sees the noindex of `{pattern}`, because robots.txt has `Disallow: "
        )
    assert all(warning.category is UserWarning and warning.filename == __file__ for warning in recwarn)


def test_no_warning_without_file_or_noindex(recwarn):
    site(None, HeaderRule("/d/", "noindex"))
    site(b"User-agent: *\nDisallow: /", HeaderRule("/d/", content_usage="train-ai=n"))

    assert not list(recwarn)


@given(st.text(), patterns)
def test_any_body_and_rule_are_accepted(robots, pattern):
    with warnings.catch_warnings(), suppress(comity.InvalidArgument):
        warnings.simplefilter("ignore")
        site(robots, HeaderRule(pattern, "noindex"))


def test_last_modified_in_the_future_is_replaced():
    """RFC 9110 8.8.2.1: the clock of the machine that created the file may be ahead."""
    ahead = site(last_modified=time.time() + 1e6).answer(request_for())

    assert parsedate_to_datetime(dict(ahead.headers)["Last-Modified"]).timestamp() <= time.time()


def test_name_of_a_file_is_refused():
    with (
        pytest.warns(UserWarning, match="the name of a file"),
        pytest.raises(comity.InvalidArgument, match="looks like the name of a file"),
    ):
        site("public/robots.txt")
