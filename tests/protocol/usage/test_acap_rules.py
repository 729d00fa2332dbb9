"""ACAP's permissions for a robot: verdicts about crawling, and statements about the other usages."""

import json
import pickle

import pytest

import comity
from comity.protocol.robotstxt.engine.verdict import Reason
from comity.protocol.usage import AcapRules

ALLOW, DISALLOW, UNKNOWN = comity.Preference.ALLOW, comity.Preference.DISALLOW, comity.Preference.UNKNOWN

FILE = """\
##ACAP version=1.1
User-agent: *
Disallow: /closed
Allow: /
ACAP-crawler: *
"""


def usage_of(lines, path, agent="ExampleBot"):
    return comity.usage(path, agent=agent, robots=FILE + lines, acap=True)


# authority (the reference of ACAP's fields, or our decision), lines from 6 on, path, usage, preference, line
USAGES = [
    ("acap-1.1", "ACAP-disallow-index: /a", "/a/b", "acap-index", DISALLOW, 6),
    ("acap-1.1", "ACAP-allow-index: /a", "/a/b", "acap-index", ALLOW, 6),
    ("acap-1.1", "ACAP-disallow-index: /a", "/b", "acap-index", UNKNOWN, None),
    ("acap-1.1", "ACAP-disallow-preserve: /", "/a", "acap-preserve", DISALLOW, 6),
    ("acap-1.1", "ACAP-disallow-preserve: /\nACAP-allow-preserve: /a", "/a", "acap-preserve", ALLOW, 7),
    ("acap-1.1", "ACAP-allow-follow: /a\nACAP-disallow-follow: /a/b", "/a/b", "acap-follow", DISALLOW, 7),
    ("acap-1.1", "ACAP-disallow-present: /", "/a", "acap-present", DISALLOW, 6),
    ("acap-1.1", "ACAP-disallow-other: /", "/a", "acap-other", DISALLOW, 6),
    ("acap-1.1", "ACAP-allow-follow: /x\nACAP-crawler: OtherBot\nACAP-disallow-index: /", "/a", "acap-index", UNKNOWN, None),
    ("acap-1.1", "ACAP-allow-follow: /x\nACAP-crawler: ExampleBot\nACAP-disallow-index: /", "/a", "acap-index", DISALLOW, 8),
    # A part of a usage: a prohibition counts for the whole, a permission does not.
    ("comity", "ACAP-disallow-present-snippet: /", "/a", "acap-present", DISALLOW, 6),
    ("comity", "ACAP-allow-present-snippet: /", "/a", "acap-present", UNKNOWN, None),
    # A qualifier: a prohibition counts, a permission does not.
    ("comity", "ACAP-allow-preserve: / time-limit=7", "/a", "acap-preserve", UNKNOWN, None),
    ("comity", "ACAP-disallow-preserve: / time-limit=7", "/a", "acap-preserve", DISALLOW, 6),
    ("comity", "ACAP-qualified-usage: long preserve time-period=permanently\nACAP-disallow-(long): /", "/a", "acap-preserve", DISALLOW, 7),
    ("comity", "ACAP-qualified-usage: long preserve time-period=permanently\nACAP-allow-(long): /", "/a", "acap-preserve", UNKNOWN, None),
    ("comity", "ACAP-usage-purpose: news\nACAP-allow-index: /", "/a", "acap-index", UNKNOWN, None),
    ("comity", "ACAP-usage-purpose: news\nACAP-disallow-index: /", "/a", "acap-index", DISALLOW, 7),
    ("comity", "ACAP-disallow-index: the-archive", "/a", "acap-index", DISALLOW, 6),
    # An unknown usage forbids to crawl, and says nothing about the others.
    ("comity", "ACAP-disallow-mirror: /", "/a", "acap-preserve", UNKNOWN, None),
]  # fmt: skip


@pytest.mark.parametrize(("authority", "lines", "path", "category", "expected", "line"), USAGES)
def test_usages_are_statements(authority, lines, path, category, expected, line):
    usage = usage_of(lines, path)
    deciding = usage.deciding(category)

    assert (usage.preference(category), deciding and deciding.place) == (expected, line)
    if deciding is not None:
        assert str(deciding) == f"robots.txt line {line} `{(FILE + lines).splitlines()[line - 1]}`"
        assert f"by {deciding}" in usage.explain(category)
    assert usage.crawlable is ("mirror" not in lines)
    assert {one.category for one in usage.statements} <= {"crawl", category, "search"}


def test_only_a_ban_of_the_index_decides_search():
    """To search is to index and to show: ACAP's permission to index grants only the first half."""
    for lines, expected in [
        ("ACAP-disallow-index: /", DISALLOW),
        ("ACAP-allow-index: /", UNKNOWN),
        ("ACAP-disallow-present: /\nACAP-disallow-preserve: /\nACAP-disallow-follow: /", UNKNOWN),
        ("ACAP-disallow-index: /\nACAP-allow-index: /a", UNKNOWN),
    ]:
        usage = usage_of(lines, "/a")

        assert usage.preference("search") is expected
        assert {usage.preference(category) for category in ("train-ai", "ai-input", "tdm")} == {UNKNOWN}
    assert (
        comity.usage("/a", agent="b", robots=FILE + "ACAP-disallow-index: /").preference("search") is UNKNOWN
    )


def test_conditional_permission_is_listed():
    usage = usage_of("ACAP-disallow-preserve: /\nACAP-allow-preserve: /a time-limit=7", "/a")

    assert [(one.place, one.preference, one.standing.code) for one in usage.statements[1:]] == [
        (6, DISALLOW, "decides"),
        (7, UNKNOWN, "conditional"),
    ]
    assert "under conditions that are not read" in usage.explain("acap-preserve")


def test_categories_exist_on_request_only():
    usage = comity.usage("/", agent="b", robots=FILE)
    asked = comity.usage("/", agent="b", robots=FILE, acap=True)

    assert asked.categories == (
        *usage.categories,
        "acap-index",
        "acap-follow",
        "acap-preserve",
        "acap-present",
        "acap-other",
    )
    with pytest.raises(comity.InvalidArgument, match="unknown category 'acap-index'"):
        usage.permits("acap-index")


# lines from 6 on, path, whether robots.txt and ACAP together allow it, the reason, the line
CRAWLING = [
    ("ACAP-disallow-crawl: /a", "/a", False, "acap", 6),
    ("ACAP-disallow-crawl: /a", "/b", True, "longest-match", 4),
    ("ACAP-disallow-crawl: /a\nACAP-allow-crawl: /a/b", "/a/b", True, "longest-match", 4),
    ("ACAP-allow-crawl: /", "/closed", False, "longest-match", 3),  # either of them keeps the robot out
    ("ACAP-disallow-crawl: /", "/closed", False, "longest-match", 3),
    ("ACAP-disallow-crawl: /", "/robots.txt", True, "robots-txt-itself", None),
    ("ACAP-disallow-index: /", "/a", True, "longest-match", 4),
    ("ACAP-allow-follow: /\nACAP-crawler: OtherBot\nACAP-disallow-crawl: /", "/a", True, "longest-match", 4),
    (
        "ACAP-allow-follow: /\nACAP-crawler: ExampleBot\nACAP-disallow-crawl: /*.pdf$",
        "/a.pdf",
        False,
        "acap",
        8,
    ),
]


@pytest.mark.parametrize(("lines", "path", "allowed", "reason", "line"), CRAWLING)
def test_restricted_verdicts(lines, path, allowed, reason, line):
    robots = comity.parse(FILE + lines)
    permissions = AcapRules(robots, agent="ExampleBot")
    verdict = permissions.restricted(robots.check(path, agent="ExampleBot"), path)

    assert permissions
    assert (verdict.allowed, verdict.reason.code, verdict.line) == (allowed, reason, line)
    assert usage_of(lines, path).crawlable is allowed
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    if verdict.reason is Reason.ACAP:
        written = (FILE + lines).splitlines()[line - 1]
        assert str(verdict.rule) == written
        assert verdict.explain().startswith(f"line {line} `{written}` (group ")
        assert json.loads(json.dumps(verdict.record()))["rule"]["text"] == written


def test_explanation_of_acap():
    text = "ACAP-crawler: *\nACAP-disallow-crawl: /a\nACAP-allow-crawl: /"
    verdict = AcapRules(text, agent="b").restricted(comity.parse(text).check("/a", agent="b"), "/a")

    assert verdict.explain() == (
        "line 2 `ACAP-disallow-crawl: /a` (group *, lines 1-3, because no group names b) is the longest match of "
        "ACAP, with a path of 2 octets; it overrules line 3 `ACAP-allow-crawl: /`"
    )


def test_file_without_acap_has_no_permissions():
    robots = comity.parse("User-agent: *\nDisallow: /a\nACAP-disallow-crawl: /")  # before any ACAP-crawler

    assert not AcapRules(robots, agent="b")
    assert AcapRules(robots, agent="b").restricted(robots.check("/b", agent="b"), "/b").allowed


def test_rules_are_accepted_instead_of_the_whole_file():
    robots = comity.parse(FILE + "ACAP-disallow-crawl: /a\nACAP-disallow-index: /a")
    rules, permissions = robots.rules_for("b"), AcapRules(robots, agent="b")

    assert comity.usage("/a", robots=rules, acap=permissions) == comity.usage(
        "/a", agent="b", robots=robots, acap=True
    )


def test_many_lines_are_compiled_in_linear_time():
    """The purposes of a group are read once, not for each line: this would take minutes otherwise."""
    lines = "".join(f"ACAP-usage-purpose: p{n}\nACAP-allow-index: /{n}\n" for n in range(20_000))

    assert usage_of(lines, "/19999").preference("acap-index") is UNKNOWN
