"""The rules of the linter: findings, messages, documentation, and the vocabulary of diagnostics."""

import re
from functools import cache

import pytest
from lint_files import RULE_FILES, STANDARD_EXAMPLES, body_of

import comity
from comity.protocol.robotstxt.diagnostics.diagnostic import KINDS
from comity.protocol.robotstxt.engine.grammar import FIELDS
from comity.site.linter.all_rules import DIAGNOSTICS_ONLY, RULES
from comity.site.linter.finding import SEVERITIES
from comity.site.linter.lint_settings import Settings
from comity.site.linter.rules.rule import SECTIONS

ALL = Settings(select=("ALL",))


rules = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@cache
def findings_of(body):
    """Return what all rules find; some files take a second."""
    return comity.lint(body, settings=ALL)


def codes(body):
    return {finding.code for finding in findings_of(body)}


@rules
def test_rule_finds_its_example_and_not_its_correction(rule):
    parts = rule.explanation
    found, clean = RULE_FILES.get(rule.code, ([], []))
    if rule.code not in ("C109", "C110", "C703", "C902"):  # too large for a docstring
        found, clean = [body_of(parts.example), *found], [body_of(parts.instead), *clean]

    assert found
    assert clean
    for body in found:
        assert rule.code in codes(body), body
    for body in clean:
        assert rule.code not in codes(body), body


@rules
def test_findings_and_diagnostics_use_one_vocabulary(rule):
    """A finding that is also a diagnostic has its code, name, severity and position, and begins with its message."""
    found, clean = RULE_FILES.get(rule.code, ([], []))
    examples = [body_of(rule.explanation.example), body_of(rule.explanation.instead)]
    for body in (*examples, *found, *clean):
        problems = comity.parse(body).diagnostics
        shared = {
            (it.code, it.name, it.severity, it.message, it.line, it.column, it.end_column) for it in problems
        }
        for it in findings_of(body):
            known_field = it.name == "obsolete-field" and it.message.split("`")[1].lower() in FIELDS
            if it.name in KINDS and not known_field:
                message = it.message.partition("; not fixed")[0]  # only the linter knows the effect of a fix
                finding = (it.code, it.name, it.severity, message, it.line, it.column, it.end_column)
                assert finding in shared
    if rule.name in KINDS:
        assert (rule.code, rule.severity) == (KINDS[rule.name].code, KINDS[rule.name].severity)


def test_kinds_without_a_rule():
    without = set(KINDS) - {rule.name for rule in RULES}

    assert without == set(DIAGNOSTICS_ONLY)
    assert not {KINDS[name].code for name in without} & {rule.code for rule in RULES}


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("Disallow: https://uat.example.com/*\nSitemap: https://example.com/s", "C302", "its own host only"),
        ("Disallow: https://example.com/*\nSitemap: https://example.com/s", "C302", "its own host only"),
        (
            "Disallow: https://a.example/a\nSitemap: https://a.example/s\nSitemap: https://b.example/s",
            "C302",
            "its own",
        ),
        (
            "Allow: Sitemap: https://example.com/s\nSitemap: https://example.com/s",
            "C302",
            "in its own line",
        ),
        ("Disallow: /tmp/.*", "C309", "write `/tmp/`"),
        ("Disallow: /a/.*/b", "C309", "write `/a/*/b`"),
        ("Disallow: ?voted", "C301", "write `/*?voted`"),
        ("Disallow: nocache=", "C301", "write `/*nocache=`"),
        ("Disallow: .js", "C301", "write `/.js` or `/*.js`"),
        ("Disallow: community.example.com/t5", "C301", "its own host only"),
        ("Disallow: /#/admin/", "C310", "so the value is only `/`, which closes the whole site"),
        (
            "Disallow: /search/#*",
            "C310",
            "so the value is only `/search/`, which closes all paths that begin with it",
        ),
        (
            "Disallow: /a\nSitemap: https://example.com/s#x",
            "C310",
            "so the value is only `https://example.com/s`",
        ),
        ("Disallow: /a\nCrawl-delay: 120", "C408", "at most 720 pages a day"),
        ("Disallow: /a%24", "C325", "it matches the character `$`, raw or escaped; Google matches only"),
        ("Disallow: /%2A/x", "C325", "it matches the character `*`, raw or escaped; Google matches only"),
        ("Disallow: /%2A/x%3f", "C325", "`%3f` matches only its escaped form in a URL; write `?`"),
        (
            "User-agent: openai\nUser-agent: ChatGPT-User\nDisallow: /",
            "C225",
            "the robots are called GPTBot, OAI-SearchBot, ChatGPT-User; line 3 names ChatGPT-User",
        ),
        (
            "User-agent: Google\nUser-agent: Googlebot\nDisallow: /",
            "C225",
            "the robot is called Googlebot, which line 3 names",
        ),
        ("Disallow: /x\n\nUser-agent: GoogleBot/2\nCrawl-delay: 5", "C222", "frees `GoogleBot` from"),
        ("Disallow: /.git\n\nUser-agent: a\nDisallow: /.git", "C801", "here (in 2 lines)"),
    ],
)
def test_messages_say_what_to_do(text, code, expected):
    (finding,) = comity.lint(f"User-agent: *\n{text}", settings=Settings(select=(code,)))

    assert expected in finding.message
    assert finding.fix is None or "write" in expected


@pytest.mark.parametrize(
    ("rules", "severities"),
    [
        ("/js/", ["warning"]),
        ("/images/", ["information"]),
        ("/*?", ["information"]),
        ("/wp-admin/\nDisallow: /*?", ["warning"]),
        ("/css/\nDisallow: /img/\nDisallow: /*?", ["warning", "information", "information"]),
    ],
)
def test_closed_images_are_only_information(rules, severities):
    found = comity.lint(f"User-agent: *\nDisallow: {rules}", settings=Settings("C802"))

    assert [one.severity for one in found] == severities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "\n".join(f"User-agent: a{n}\nDisallow: /{n}{'*' * 4_500}\n" for n in range(9)),
            "for this group and 4 more, because the file has more than 20,000 pieces",
        ),
        ("User-agent: *\n" + "Disallow: /*\n" * 2_501, "this group, because a robot has more than 5,000"),
    ],
)
def test_groups_not_compared_are_one_finding_that_names_the_limit(text, expected):
    (finding,) = comity.lint(text, settings=Settings(select=("C316", "C902")))

    assert finding.code == "C902"
    assert expected in finding.message


@rules
def test_correction_has_no_other_findings(rule):
    """No default rule reports anything in the correction of a rule."""
    if rule.code == "C110":
        return
    others = {finding.code for finding in comity.lint(body_of(rule.explanation.instead), settings=Settings())}

    assert others <= ({"C201"} if rule.code == "C901" else set())


@rules
def test_rule_is_documented(rule):
    parts = rule.explanation
    text = rule.documentation

    assert re.fullmatch(r"C[1-9]\d\d", rule.code)
    assert rule.severity in SEVERITIES
    assert len(parts.summary) < 115
    assert parts.summary[-1] == "."
    for part in (parts.why, parts.example, parts.instead, parts.engines, parts.source):
        assert part
    order = [text.index(f"\n{name}:") for name in SECTIONS if f"\n{name}:" in text]
    assert order == sorted(order)
    if rule.code != "C109":
        fixes = [finding.fix for finding in findings_of(body_of(parts.example)) if finding.code == rule.code]
        assert any(fixes) == bool(parts.fix)
        assert all(fix.safe == parts.fix.startswith("safe") for fix in fixes if fix)
        assert not parts.fix or parts.fix.startswith(("safe", "not safe"))


def test_codes_and_names_are_unique_and_in_order():
    assert [rule.code for rule in RULES] == sorted({rule.code for rule in RULES})
    assert len({rule.name for rule in RULES}) == len(RULES) >= 40


@pytest.mark.parametrize("name", STANDARD_EXAMPLES)
def test_examples_of_the_standards_have_no_findings(name):
    """All findings are information: a last group without rules, and an Allow that opens nothing."""
    found = comity.lint(STANDARD_EXAMPLES[name])
    known = {
        "rfc 9309, 5.1": "C203",
        "rfc 9309, 5.2": "C324",
        "google, groups": "C203",
        "google, precedence": "C226",
    }
    last = [known[name]] if name in known else []

    assert [finding.code for finding in found] == last


@pytest.mark.parametrize("name", ["1994, go away", "google, precedence", "google, all but ads"])
def test_closed_site_is_reported_with_url(name):
    """A local file has no finding, because it may be for a private server."""
    found = comity.lint(STANDARD_EXAMPLES[name], url="https://example.com/robots.txt")

    expected = {"1994, go away": ["C217"], "google, precedence": ["C226"]}.get(name, [])
    assert [finding.code for finding in found] == expected


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_has_no_other_findings(code):
    assert codes("User-agent: *\r\nDisalow: \u0a0d\r\n".encode(code)) == {"C102"}
