"""The linter: each rule on what it finds and what it must not, fixes, settings and comments."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import DIALECT_NAMES, line_lists

import comity
from comity.protocol.robotstxt.diagnostics.diagnostic import KINDS
from comity.protocol.robotstxt.grammar import FIELDS
from comity.site.formatting.layout import LIMIT
from comity.site.lint.explanation import SECTIONS
from comity.site.lint.finding import SEVERITIES, Edit, Fix
from comity.site.lint.fixing import applied, fixed
from comity.site.lint.linting import findings
from comity.site.lint.rules import RULES
from comity.site.lint.settings import Settings, settings_for, settings_in
from comity.site.lint.subject import Subject

ALL = Settings(select=("ALL",))
CORPUS = Path(os.environ.get("COMITY_CORPUS", "/nonexistent"))

_OCTETS = re.compile(rb"<((?:[0-9A-F]{2} ?)+)>")

rules = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def body_of(text):
    """Make the octets of an example, in which `<EF BB BF>` stands for what cannot be written."""
    return _OCTETS.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())


#: What the examples of rules cannot show: files that are found, and files that are not.
MORE = {
    "C101": ([b"\xef\xbb\xbf<meta name=x>", b"<a>"], [b"", b"# <html>", b"<!-- x -->\nUser-agent: *\nDisallow: /"]),
    "C103": ([], [b"# caf\xe9\nUser-agent: *\nDisallow:"]),
    "C104": ([b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /"], []),
    "C105": ([], [b"User-agent: *\nDisallow: /a # \xef\xbb\xbf"]),
    "C107": ([b"User-agent: *\nDisallow: /\n/private"], [b"// note", b"\n \n#"]),
    "C109": (
        [b"User-agent: *\nDisallow: /" + b"a" * 17_000],
        [b"User-agent: *\nDisallow: /a # " + b"a" * 17_000],
    ),
    "C110": ([b"User-agent: *\nDisallow: /a\n" + b"#\n" * 300_000], [b"User-agent: *\nDisallow: /a\n#\n"]),
    "C111": ([b"User-agent: *\rDisallow: /"], [b"User-agent: *\r\nDisallow: /\r\n"]),
    "C112": ([b"User-agent: *\nDisallow: /\xe2\x80\x8ba"], [b"User-agent: *\nDisallow: /a # \xc2\xa0"]),
    "C113": ([b"; note", b"<!-- a: b -->\nUser-agent: *\nDisallow: /"], [b"User-agent: *\nDisallow: //a"]),
    "C203": ([], [b"User-agent: a\nDisallow: /\nUser-agent: b\n", b"User-agent: *\n# all\n"]),
    "C204": (
        [
            b"User-agent: a\n\nUser-agent: b\nDisallow: /",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 2\n",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\nDisallow: /b",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\n",
        ],
        [
            b"User-agent: a\nUser-agent: b\nDisallow: /",
            b"User-agent: a\n\nUser-agent: b\n\nDisallow: /\n",
            b"User-agent: a\nCrawl-delay: 1\nUser-agent: a\nDisallow: /",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\n",
            b"User-agent: a\nContent-Usage: search=y\nUser-agent: b\nDisallow: /",
        ],
    ),
    "C206": (
        [b"User-agent: a/1\nDisallow: /\nUser-agent: A\nDisallow: /b"],
        [
            b"User-agent: a b 1\nDisallow: /\nUser-agent: a b 2\nDisallow: /b",
            b"User-agent: a\nDisallow: /\n\nUser-agent: A\nDisallow: /",
        ],
    ),
    "C208": ([b"User-agent: *\nUser-agent: *\nDisallow: /"], []),
    "C209": ([b"User-agent: ExampleBot (beta)\nDisallow: /"], [b"User-agent: a/1, b/2\nDisallow: /"]),
    "C210": (
        [b"User-agent: mozilla/5\nDisallow: /", b"User-agent: +http://example.com/bot\nDisallow: /"],
        [b"User-agent: ExampleBot/1.0 (+https://example.com/bot)\nDisallow: /", b"User-agent: Go!Bot (x)\nDisallow: /"],
    ),
    "C211": (
        [
            b"User-agent: Example Bot/1 libwww/2\nDisallow: /",
            b"User-agent: *: Disallow: /",
            b"User-agent: GPTBot Disallow: /",
            b"User-agent: GPTBot Disallow : /a/b",
            b"User-agent: Disallow: /",
        ],
        [b"User-agent: Kangaroo Bot\nDisallow: /"],
    ),
    "C212": (
        [b"User-agent: ExampleBot*\nDisallow: /"],
        [b"User-agent: Mediapartners-Google*\nDisallow: /", b"User-agent: *\nDisallow: /*"],
    ),
    "C215": (
        [
            b"User-agent: %s\nDisallow: /" % name
            for name in (
                b"acebookexternalhit",
                b"GooglebotImage",
                b"Googlebots",
                b"GoogleBott",
                b"Bingbots",
                b"Bingbt",
                b"GPTBots",
                b"GPT-Bot",
                b"GTPBot",
            )
        ],
        [
            b"User-agent: SemrushBot-SX\nDisallow: /",
            b"User-agent: Googlebotx\nDisallow: /",
            b"User-agent: GPTBo\nDisallow: /",
            b"User-agent: GPTBot\nDisallow: /",
            b"User-agent: Snapbot\nDisallow: /",
        ],
    ),
    "C213": ([b"User-agent: Example R&D, b\nDisallow: /", b"User-agent: FrontPage [NC,OR]\nDisallow: /"], []),
    "C216": ([], [b"User-agent: *\nAllow: /", b"User-agent: a\nAllow: /b\nUser-agent: a\nDisallow: /"]),
    "C302": ([b"User-agent: *\nAllow: Sitemap: https://example.com/s.xml"], [b"User-agent: *\nDisallow: /?u=http://a/"]),
    "C217": (
        [
            b"User-agent: *\nDisallow: /\nDisallow: /a",
            b"User-agent: *\nDisallow: /*\nCrawl-delay: 5",
            b"User-agent: a\nDisallow: /a\nDisallow: /\n\nUser-agent: *\nAllow: /robots.txt\nDisallow: /",
            b"User-agent: *\nDisallow: /\n\nUser-agent: Mediapartners-Google\nAllow: /\n\nSitemap: https://example.com/s",
            b"User-agent: Googlebot\nDisallow: /",
            b"User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /a\n\nUser-agent: BingBot\nDisallow: /",
        ],
        [
            b"User-agent: *\nDisallow: /",
            b"User-agent: *\nDisallow: /\nAllow: /$\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:\n\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /a\n\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: *\nAllow: /a\n\nSitemap: https://example.com/s",
            b"User-agent: Googlebot-Image\nDisallow: /\n\nUser-agent: Yandex\nDisallow: /",
            b"User-agent: Googlebot\nDisallow: /\nAllow: /a",
        ],
    ),
    "C301": ([b"User-agent: *\nDisallow: ?a"], [b"User-agent: *\nDisallow: *a", b"User-agent: *\nDisallow: '/a'"]),
    "C305": ([b"User-agent: *\nDisallow: /a b"], [b"User-agent: *\nDisallow: /a /b"]),
    "C306": ([b"User-agent: *\nDisallow: /a,\t/b"], [b"User-agent: *\nDisallow: /a //b", b"User-agent: *\nDisallow: /a b"]),
    "C307": ([b"User-agent: *\nDisallow: /a|b"], [b"User-agent: *\nDisallow: /a~b!$&'()+,;=:@[]"]),
    "C309": ([b"User-agent: *\nDisallow: /(.*)/x"], [b"User-agent: *\nDisallow: /*.html$", b"User-agent: *\nDisallow: /a[0]="]),
    "C310": (
        [b"Sitemap: https://example.com/a#b", b"User-agent: *\nDisallow: /search/#*"],
        [b"User-agent: *\nDisallow: /a # b", b"User-agent: *\nDisallow: /a# b", b"User-agent: *\nDisallow:#a"],
    ),
    "C311": ([b"User-agent: *\nDisallow: /a/./b"], [b"User-agent: *\nDisallow: /a?b=/../", b"User-agent: *\nDisallow: /..a"]),
    "C313": (
        [
            b"User-agent: *\nDisallow: %s" % value
            for value in (b"/***", b"/**$", b"/*$", b"**", b"*$", b"*\nAllow: /a", b"/a\nAllow: *", b"/a\nAllow: /**", b"*/")
        ],
        [
            b"User-agent: *\nDisallow: %s" % value
            for value in (b"/$", b"/*/", b"/**/*$", b"//", b"$", b"/$*", b"/*$*", b"/*a")
        ],
    ),
    "C314": ([], [b"User-agent: *\nDisallow: /a\nAllow: /a", b"User-agent: *\nDisallow:\nDisallow:"]),
    "C316": (
        [b"User-agent: *\nAllow: /a/b\nDisallow: */a/*b*", b"User-agent: a\nAllow: /x\nUser-agent: a\nDisallow: /x*"],
        [
            b"User-agent: *\nDisallow: /a\nDisallow: /a*",
            b"User-agent: *\nDisallow: /a\nAllow: /a/b",
            b"User-agent: a\nUser-agent: b\nAllow: /x\n\nUser-agent: a\nDisallow: /x*",  # it wins for b
        ],
    ),
    "C318": ([], [b"User-agent: *\nDisallow: /a\nDisallow:", b"User-agent: *\nDisallow:\nAllow: /a"]),
    "C320": ([], [b"User-agent: *\nAllow: /robots.txt", b"User-agent: *\nDisallow: /robots.txt.bak"]),
    "C323": (
        [
            b"User-agent: *\nDisallow: /~a\nDisallow: /%7Ea",
            b"User-agent: *\nAllow: /a/b\nAllow: /a*b*\nAllow: */a*b**",
            b"User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /***",
            b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /x*",
        ],
        [
            b"User-agent: *\nDisallow: /a\nDisallow: /a",
            b"User-agent: *\nDisallow: /a\nDisallow: /a/b",
            b"User-agent: *\nDisallow: /a\nAllow: /a*",
            "User-agent: *\nDisallow: /caf\xe9\nDisallow: /caf%C3%A9".encode(),
            b"User-agent: *\nDisallow: a",
            b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nDisallow: /x*",
        ],
    ),
    "C402": ([b"https://example.com/sitemap.xml"], [b"Revisit-after: 1 day", b"// a: b"]),
    "C405": (
        [
            b"User-agent: Googlebot\nUser-agent: Yandex\nCrawl-delay: 1\nDisallow:",
            b"User-agent: Googlebot\nContent-Usage: train-ai=n\nDisallow: /a",
            b"User-agent: Googlebot-Image\nDisallow: /a\nContent-Signal: ai-train=no",
            b"User-agent: Google-Extended\nDisallow: /a\nClean-param: ref /",
        ],
        [
            b"User-agent: *\nUser-agent: Googlebot\nCrawl-delay: 1\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 1\nDisallow:",
            b"User-agent: Googlebot\nDisallow: /a\n\nClean-param: ref /",
            b"User-agent: Yandex\nDisallow: /a\nClean-param: ref /",
            b"User-agent: Googlebot\nNoindex: /a\nHost: example.com\nDisallow: /a",  # others tell
            b"User-agent: Applebot-Extended\nContent-Usage: train-ai=n\nDisallow:",
        ],
    ),
    "C406": ([], [b"Sitemap: a", b"Host: a b"]),
    "C408": (
        [
            b"User-agent: *\nCrawl-delay: 1e9\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 45\nDisallow: /a",
            b"User-agent: Slurp\nUser-agent: MSNBot\nCrawl-delay: 31\nDisallow: /a",
        ],
        [
            b"User-agent: *\nCrawl-delay: 60\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 30\nDisallow: /a",
            b"User-agent: Slurp\nCrawl-delay: 45\nDisallow: /a",
        ],
    ),
    "C409": (
        [b"User-agent: *\nCrawl-delay: 1,5\nCrawl-delay: 5\nCrawl-delay: 6\nDisallow:"],
        [
            b"User-agent: *\nCrawl-delay: 5\nCrawl-delay: 5\nDisallow:",
            b"User-agent: *\nCrawl-delay: 5\nCrawl-delay: 5.0\nDisallow:",
            b"User-agent: *\nCrawl-delay: 1,5\nCrawl-delay: 5\nDisallow:",
        ],
    ),
    "C503": ([], [b"User-agent: *\nDisallow: /\nSitemap: https://example.com/s.xml"]),
    "C601": (
        [b"User-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /", b"User-agent: PerplexityBot\nDisallow: /\nUser-agent: GPTBot\nDisallow: /"]
        + [
            b"User-agent: GPTBot\nUser-agent: OAI-SearchBot\n" + rules
            for rules in (
                b"Disallow: /\nAllow: /robots.txt",
                b"Disallow: /\nAllow: /$",
                b"Disallow: /**\nAllow: /",
                b"Disallow: /\nAllow: /robots.txt\nAllow: /$\nAllow: /ads.txt",
                b"Disallow: /\n\nUser-agent: OAI-SearchBot\nAllow: /$",
            )
        ],
        [
            b"User-agent: OAI-SearchBot\nDisallow: /",
            b"User-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /a",
            b"User-agent: GPTBot\nDisallow: /\nUser-agent: PerplexityBot\nDisallow: /\nAllow: /a",
            b"User-agent: GPTBot\nUser-agent: PerplexityBot\nUser-agent: *\nDisallow: /",
        ],
    ),
    "C602": (
        [b"User-agent: GPTBot\nUser-agent: Applebot\nDisallow: /", b"User-agent: Googlebot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /"]
        + [
            b"User-agent: GPTBot\nUser-agent: bingbot\n" + rules
            for rules in (
                b"Disallow: /\nAllow: /robots.txt",
                b"Disallow: /\nAllow: /$",
                b"Disallow: /*\nAllow: /\nAllow: *",
                b"Disallow: /\nAllow: page",
            )
        ],
        [
            b"User-agent: GPTBot\nUser-agent: bingbot\nDisallow: /\nAllow: /*",
            b"User-agent: GPTBot\nUser-agent: bingbot\nDisallow: /\nAllow: /a$",
            b"User-agent: Googlebot\nDisallow: /",
            b"User-agent: GPTBot\nDisallow: /\nUser-agent: Googlebot\nDisallow: /a",
            # a long list of whoever is unwanted
            b"".join(b"User-agent: unwanted%d\n" % number for number in range(20))
            + b"User-agent: CCBot\nUser-agent: Applebot\nDisallow: /",
        ],
    ),
    "C603": ([], [b"User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /"]),
    "C701": (
        [b"User-agent: *\nDisallowed: /a", b"User-agent: Googlebot\nDisallow: /\nAllow: /index.html"],
        [b"User-agent: ExampleBot\nDisallow: /%7Ejoe", b"User-agent: *\nDisallow: /%2f"],
    ),
    "C801": (
        [
            b"User-agent: *\nDisallow: %s" % path
            for path in (
                *(b"/x?token=1f3a", b"/intern/passwords.txt", b"/private.zip$", b"/wp-config.php", b"/a/Backup.tar.gz"),
                *(b"/wp-config.php.bak", b"/dump.sql.zip", b"/keys.kdbx", b"/db.sqlite", b"/secrets.yml", b"/id_rsa"),
            )
        ],
        [
            b"User-agent: *\nDisallow: %s" % path
            for path in (
                *(b"/*?token=", b"/user/password/", b"/*.sql$", b"/*.zip$", b"/private/", b"/downloads/manual.zip"),
                *(b"/cache.old", b"/password.php", b"/private.html", b"/database/", b"/password-reset.txt", b"/old", b"/*.bak"),
            )
        ],
    ),
    "C901": (
        [b"# comity: ignore\n", b"User-agent: * # comity: ignore C999\nDisallow:", b"# comity: ignore C301"],
        [b"# comity: ignore C301\nDisallow: a\n", b"# comity:ignore C201\nDisallow: /a\n"],
    ),
    "C902": (
        [
            b"User-agent: *\n" + b"Disallow: /*\n" * 2_501,
            b"".join(b"User-agent: a%d\n" % n + b"Disallow: /%d\n" % n * 4_500 for n in range(5)),
        ],
        [b"User-agent: *\n" + b"Disallow: /*\n" * 2_500],
    ),
}  # fmt: skip


def codes(body, settings=ALL):
    return {finding.code for finding in comity.lint(body, settings=settings)}


@rules
def test_rule_finds_its_example_and_not_its_correction(rule):
    parts = rule.explanation
    found, quiet = MORE.get(rule.code, ([], []))
    if rule.code not in ("C109", "C110", "C902"):  # too large for a docstring
        found, quiet = [body_of(parts.example), *found], [body_of(parts.instead), *quiet]

    assert found
    assert quiet
    for body in found:
        assert rule.code in codes(body), body
    for body in quiet:
        assert rule.code not in codes(body), body


@rules
def test_findings_and_diagnostics_use_one_vocabulary(rule):
    """A finding that is also a diagnostic has its code, name, severity, position and message."""
    found, quiet = MORE.get(rule.code, ([], []))
    examples = [body_of(rule.explanation.example), body_of(rule.explanation.instead)]
    for body in (*examples, *found, *quiet):
        problems = comity.parse(body).diagnostics
        shared = {
            (it.code, it.name, it.severity, it.message, it.line, it.column, it.end_column) for it in problems
        }
        for it in comity.lint(body, settings=ALL):
            known_field = it.name == "obsolete-field" and it.message.split("`")[1].lower() in FIELDS
            if it.name in KINDS and not known_field:
                finding = (it.code, it.name, it.severity, it.message, it.line, it.column, it.end_column)
                assert finding in shared
    if rule.name in KINDS:
        assert (rule.code, rule.severity) == (KINDS[rule.name].code, KINDS[rule.name].severity)
        assert rule.explanation.summary == f"{KINDS[rule.name].about}."


def test_kinds_without_a_rule():
    without = set(KINDS) - {rule.name for rule in RULES}

    assert without == {"agent-cut", "agent-not-a-token", "group-allows-everything", "ignored-in-dialect"}
    assert not {KINDS[name].code for name in without} & {rule.code for rule in RULES}


@pytest.mark.parametrize(
    ("text", "code", "says"),
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
        ("Disallow: ?voted", "C301", "write `/*?voted`"),
        ("Disallow: nocache=", "C301", "write `/*nocache=`"),
        ("Disallow: .js", "C301", "write `/.js` or `/*.js`"),
        ("Disallow: community.example.com/t5", "C301", "its own host only"),
        ("Disallow: /#/admin/", "C310", "so `/` is read, which closes the whole site"),
        ("Disallow: /search/#*", "C310", "so `/search/` is read, which closes all paths that begin with it"),
        (
            "Disallow: /a\nSitemap: https://example.com/s#x",
            "C310",
            "so `https://example.com/s` is read",
        ),
        ("Disallow: /a\nCrawl-delay: 120", "C408", "at most 720 pages a day"),
        ("Disallow: /.git\n\nUser-agent: a\nDisallow: /.git", "C801", "here (in 2 lines)"),
    ],
)
def test_messages_say_what_to_do(text, code, says):
    (finding,) = comity.lint(f"User-agent: *\n{text}", settings=Settings(select=(code,)))

    assert says in finding.message
    assert finding.fix is None or says.startswith("write")


def test_url_of_the_same_site_is_fixed():
    body = "User-agent: *\nDisallow: https://example.com/a\nSitemap: https://example.com/s"
    (finding,) = comity.lint(body, settings=Settings(select=("C302",)))

    assert finding.fix == Fix((Edit(24, 45, b"/a"),), safe=False)


def test_agent_list_is_split_if_all_parts_are_names():
    def mended(value):
        only = Settings(select=("C213",))
        return fixed(f"User-agent: {value}\nDisallow: /".encode(), settings=only, unsafe=True).count(b"User")

    assert [
        mended(value) for value in ("a, b/2.1; Kangaroo Bot", "a, *", "BSearchR&amp;D", "FrontPage [NC,OR]")
    ] == [3, 2, 1, 1]


@rules
def test_correction_has_no_other_findings(rule):
    """What a rule says to write instead has nothing that any rule finds by default."""
    if rule.code == "C110":
        return
    others = codes(body_of(rule.explanation.instead), Settings())

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
        fixes = [
            finding.fix
            for finding in comity.lint(body_of(parts.example), settings=ALL)
            if finding.code == rule.code
        ]
        assert any(fixes) == bool(parts.fix)
        assert all(fix.safe == parts.fix.startswith("safe") for fix in fixes if fix)
        assert not parts.fix or parts.fix.startswith(("safe", "not safe"))


def test_codes_and_names_are_unique_and_in_order():
    assert [rule.code for rule in RULES] == sorted({rule.code for rule in RULES})
    assert len({rule.name for rule in RULES}) == len(RULES) >= 40
    files = {path.stem for path in (Path(comity.__file__).parent / "site/lint/rules").glob("*.py")} - {
        "__init__"
    }
    assert files == {rule.name.replace("-", "_") for rule in RULES}


#: The example files of the standards; those that show how groups merge or rules fail are left out.
EXAMPLES = {
    "rfc 9309, 5.1": """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
""",
    "rfc 9309, 5.2": """\
User-Agent: foobot
Allow: /example/page/
Disallow: /example/page/disallowed.gif
""",
    "rfc 9309, 2.2.4": """\
User-Agent: *
Disallow: /one/
Sitemap: https://example.com/sitemap.xml
""",
    "1994, cyberworld": """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space
Disallow: /tmp/ # these will soon disappear
Disallow: /foo.html
""",
    "1994, cybermapper": """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space

# Cybermapper knows where to go.
User-agent: cybermapper
Disallow:
""",
    "1994, go away": "# go away\nUser-agent: *\nDisallow: /\n",
    "1994, nothing": "",
    "1996, section 4": """\
# /robots.txt for http://www.fict.org/
# comments to webmaster@fict.org

User-agent: unhipbot
Disallow: /

User-agent: webcrawler
User-agent: excite
Disallow:

User-agent: *
Disallow: /org/plans.html
Allow: /org/
Allow: /serv
Allow: /~mak
Disallow: /
""",
    "google, create a file": """\
User-agent: Googlebot
Disallow: /nogooglebot/

User-agent: *
Allow: /

Sitemap: https://www.example.com/sitemap.xml
""",
    "google, groups": """\
user-agent: a
disallow: /c

user-agent: b
disallow: /d

user-agent: e
user-agent: f
disallow: /g

user-agent: h
""",
    "google, one image": "User-agent: Googlebot-Image\nDisallow: /images/dogs.jpg\n",
    "google, a kind of file": "User-agent: Googlebot\nDisallow: /*.xls$\n",
    "google, all but ads": "User-agent: *\nDisallow: /\n\nUser-agent: Mediapartners-Google\nAllow: /\n",
    "google, precedence": "user-agent: *\nallow: /$\ndisallow: /\n",
    "aipref, attach": """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
""",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_the_standards_have_no_findings(name):
    assert comity.lint(EXAMPLES[name]) == ()


@pytest.mark.parametrize("name", ["1994, go away", "google, precedence", "google, all but ads"])
def test_closed_site_is_reported_with_url(name):
    """The same file is no finding in a folder, where it may be for a server that nobody should find."""
    found = comity.lint(EXAMPLES[name], url="https://example.com/robots.txt")

    assert [finding.code for finding in found] == ["C217"] * (name == "1994, go away")


_LINES = st.sampled_from(
    [
        "User-agent: *", "User-agent: Googlebot/2.1", "User-agent: GPTBot, CCBot", "User-agent: Mozilla/5.0 (x; y/1)",
        "User-agent: ExampleBot", "User-agent: examplebot", "Disallow: /a", "Disallow: /a", "Disallow: /a # x", "Allow: /a",
        "Disallow: a", "Disallow: /a /b", "Disallow: /a#b", "Disallow: https://example.com/a", "// x", "; Disallow: /b",
        "Disalow: /b", "Disallow /c", "Disallow: /*", "Disallow: *", "Disallow: /x*", "Disallow:", "Allow:", "Noindex: /a",
        "Sitemap: https://example.com/a", "Sitemap: https://example.com/a", "Sitemap: http://example.com/a", "Sitemap: /b",
        "Crawl-delay: 900", "Crawl-delay: 5", "# comity: ignore C314", "# comity: ignore C301,C999", "# BEGIN x block",
        "# END x block", "Disallow: \"/q\"", "Disallow: /é{1}", "Disallow: /a?b&amp;c", "Content-Signal: ai-train=no", "\xa0",
        "User-agent:\u200b*", "\ufeffUser-agent: *", "Disallow: /%7Ea", "Allow: /b/index.html", "", "  ", "\tDisallow: /t",
        "https://example.com/s.xml", "Useragent: ExampleBot", "USER-AGENT: *", "User-agents: ExampleBot", "Dissallow: /a",
        "Disallowed: /a", "DISALLOW : /a", "Disallow /a", "Site-map: https://example.com/a", "Sitemaps: https://example.com/a",
        "Disallow: /a\0", "Disallow: /a\0b", "Disallow:" + " " * 17_000 + "/a", "Disallow: /?a" + "&amp;" * 12,
        "Disallow: /" + "\xa0" * 12, "\ufeff" * 12 + "Disallow: /a", "Content-Usage: train-ai=n", "acap-crawler: *", "\t",
    ]
)  # fmt: skip
_bodies = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(_LINES, _LINES, st.text(max_size=20)), max_size=16).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n", "\r", "\n\n"]).map(
            lambda end: end.join(lines).encode("utf-8", "surrogatepass")
        )
    ),
    st.lists(st.tuples(_LINES, st.sampled_from(["\n", "\r\n", "\r", "\r\r", "\r\r\n"])), max_size=16).map(
        lambda lines: "".join(line + end for line, end in lines).encode()
    ),
    st.lists(_LINES, max_size=9).map(lambda lines: "\n".join(lines).encode("utf-16")),
    line_lists.map(lambda lines: "\n".join(lines).encode()),
)


@given(_bodies)
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe")
@example(b"\xef\xbb\xbf\xef\xbb\xbfDisallow: /")
def test_content_never_raises_and_spans_are_inside(body):
    lines = body.splitlines(keepends=True)
    for finding in comity.lint(body, settings=ALL, url="https://example.com/robots.txt"):
        assert 0 <= finding.start <= finding.end <= len(body)
        assert 1 <= finding.line <= max(len(lines), 1)
        start = sum(map(len, lines[: finding.line - 1]))
        assert finding.start == start + finding.column - 1
        assert finding.end == start + finding.end_column - 1
        assert finding.message
        for edit in finding.fix.edits if finding.fix else ():
            assert 0 <= edit.start <= edit.end <= len(body)


@given(_bodies)
def test_fixes_converge(body):
    for unsafe in (False, True):
        once = fixed(body, settings=ALL, unsafe=unsafe)

        assert fixed(once, settings=ALL, unsafe=unsafe) == once
        assert len(once) <= 40 * len(body) + 1000
        left = findings(Subject(once), ALL.rules, limit=None)
        assert applied(once, left, unsafe=unsafe) == once


_PIECES = (
    "a",
    "b",
    "c",
    "/",
    "x",
    "q",
    "?",
    "a/b",
    ".html",
    "%7Ea",
    "~a",
    "t",
    "index.html",
    "*",
    "$",
    "é",
    "{1}",
    "",
)
URLS = [f"/{one}{two}{three}" for one in _PIECES for two in _PIECES for three in _PIECES[:4]][:1000]
AGENTS = ("ExampleBot", "Googlebot", "GPTBot", "mozilla", "SomeoneElse")


def answers(body):
    return [
        (dialect, agent, comity.parse(body, dialect=dialect).rules_for(agent).allowed_many(URLS))
        for dialect in DIALECT_NAMES
        for agent in AGENTS
    ]


@given(_bodies)
@settings(max_examples=200)
@example(b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /")
@example(b"\xef\xbb\xbf\xefUser-agent: *\nDisallow: /")
@example(b"User-agent: *\r\rDisallow: /a\r\r\nDisallow: /b\r")
@example(b"User-agent: *\n\nDisallow: /a\nDisallow: /a\n\nDisallow: /a")
@example(b"User-agent: *\n; x\nDisallow: /a")
def test_safe_fixes_change_no_answer(body):
    after = fixed(body, settings=ALL)

    assert len(set(URLS)) > 900
    assert after == body or answers(after) == answers(body)


#: Files that a fix taken for safe could spoil, the rule that would, and what it may leave.
SAFE = {
    "misspelt first": ("C314", b"User-agent: A\nDisalow: /x\nDisallow: /x\n", None),
    "colon missing first": ("C314", b"User-agent: A\nDisallow /x\nDisallow: /x\n", None),
    "both misspelt": ("C314", b"User-agent: A\nDisalow: /x\nDisalow: /x\n", b"User-agent: A\nDisalow: /x\n"),
    "misspelt second": ("C314", b"User-agent: A\nDisallow: /x\nDisalow: /x\n", b"User-agent: A\nDisallow: /x\n"),
    "too long for Google": ("C314", b"User-agent: A\nDisallow:" + b" " * 20_000 + b"/x\nDisallow: /x\n", None),
    "another group for Google": ("C314", b"User-agent: A\nDisallow: /x\nUser-agents: B\nDisallow: /x\n", None),
    "NUL": (
        "C314",
        b"User-agent: A\nDisallow: /x\0y\nDisallow: /x\nDisallow: /x\0y\n",
        b"User-agent: A\nDisallow: /x\0y\nDisallow: /x\n",
    ),
    "agent misspelt first": ("C208", b"Useragent: A\nUser-agent: A\nDisallow: /x\n", None),
    "agent after a blank line": ("C208", b"User-agent: A\n\nUser-agent: A\nDisallow: /x\n", None),
    "agent with a field": ("C208", b"User-agent: A\nUser-agent: B\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 2\n", None),
    "agent": ("C208", b"User-agent: A\nUser-agent: a\nDisallow: /x\n", b"User-agent: A\nDisallow: /x\n"),
    "sitemap misspelt first": ("C502", b"Site-map: https://a.example/s\nSitemap: https://a.example/s\n", None),
    "CR before, LF behind": (
        "C314",
        b"User-agent: *\nDisallow: /a\rDisallow: /a\r\n\nDisallow: /b\n",
        b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n",
    ),
    "CR before, several, LF behind": (
        "C314",
        b"User-agent: *\nDisallow: /a\rDisallow: /a\r\nDisallow: /a\n\nDisallow: /b\n",
        b"User-agent: *\nDisallow: /a\r\n\nDisallow: /b\n",
    ),
    "CR that may stay before": (
        "C111",
        b"User-agent: * # comity: ignore C111\r\rDisallow: /a\n",
        b"User-agent: * # comity: ignore C111\r\n\nDisallow: /a\n",
    ),
    "UTF-16": ("C111", "User-agent: *\r\nDisallow: /\r\n".encode("utf-16"), None),
    "UTF-16 without a mark": ("C111", "User-agent: *\r\nDisallow: /\r\n".encode("utf-16-le"), None),
    "too large": ("C314", b"User-agent: *\n" + b"Disallow: /a\n" * 2 + b"#" * LIMIT, None),
    "too large then": ("C113", b"User-agent: *\n// a\n" + b"#" * (LIMIT - 20) + b"\n", None),
    "one fits": ("C113", b"// a\n// b\n" + b"#" * (LIMIT - 12), b"# // a\n// b\n" + b"#" * (LIMIT - 12)),
}  # fmt: skip


@pytest.mark.parametrize("name", SAFE)
def test_safe_fixes_are_verified(name):
    code, body, expected = SAFE[name]
    after = fixed(body, settings=Settings(select=(code,)))

    assert after == (body if expected is None else expected)
    assert len(body) > LIMIT or answers(after) == answers(body)
    assert fixed(body, settings=ALL) == fixed(fixed(body, settings=ALL), settings=ALL)


def test_wrong_safe_fixes_are_dropped():
    """Whatever is proposed as safe: what is not is dropped, and the rest applied."""
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d\nDisallow: /a\n" % at for at in range(5))
    (found, *_) = comity.lint(body + b"Disallow: /0\n", settings=Settings(select=("C314",)))
    proposed = [
        found.replace(start=at, fix=Fix((Edit(at, body.index(b"\n", at) + 1, b""),), safe=True))
        for at in (match.start() for match in re.finditer(b"Disallow", body))
    ]
    after = applied(body, proposed, unsafe=False)

    # Of each path one line stays, whichever was proposed.
    assert sorted(after.splitlines()) == sorted(set(body.splitlines()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"User-agent: *\n" + b"Disallow: /a\n" * 3000, b"User-agent: *\nDisallow: /a\n"),
        (b"User-agent: *\n" * 3000 + b"Disallow: /a", b"User-agent: *\nDisallow: /a"),
        (b"Sitemap: https://a.example/\r" * 3000, b"Sitemap: https://a.example/\n"),
        (b"User-agent: *\nDisallow: /?a" + b"&amp;" * 3000, b"User-agent: *\nDisallow: /?a" + b"&" * 3000),
        (b"User-agent: *\nDisallow: /&" + b"amp;" * 3000 + b"lt;", b"User-agent: *\nDisallow: /%3C"),
        (b"User-agent: *\nDisallow:" + b"\xc2\xa0" * 3000 + b"/a", b"User-agent: *\nDisallow:" + b" " * 3000 + b"/a"),
        (b"User-agent: *\nDisallow:" + b"\xe2\x80\x8b" * 3000 + b"/a", b"User-agent: *\nDisallow:/a"),
        (b"\xef\xbb\xbf" * 3000 + b"User-agent: *\nDisallow: /a", b"User-agent: *\nDisallow: /a"),
        (b"User-agent: *\nDisallow: " + b"\"'" * 3000 + b"/a", b"User-agent: *\nDisallow: /a"),
    ],
)  # fmt: skip
def test_many_problems_are_all_fixed(body, expected):
    assert fixed(body, unsafe=True) == expected


@given(st.lists(_LINES, max_size=9), st.integers(-40, 20), st.booleans())
@settings(max_examples=15)
def test_fixes_respect_the_size_limit(lines, over, unsafe):
    body = "".join(line + "\n" for line in lines).encode()
    body += b"#" * (LIMIT - len(body) + over)
    after = fixed(body, settings=ALL, unsafe=unsafe)

    assert after == body if over > 0 else len(after) <= LIMIT
    assert fixed(after, settings=ALL, unsafe=unsafe) == after


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_has_no_other_findings(code):
    assert codes("User-agent: *\r\nDisalow: \u0a0d\r\n".encode(code)) == {"C102"}


@rules
def test_safe_fix_of_rule_changes_no_answer(rule):
    for body in [body_of(rule.explanation.example), *MORE.get(rule.code, ([], []))[0]]:
        only = Settings(select=(rule.code,))
        after = fixed(body, settings=only)
        assert after == body or answers(after) == answers(body)
        mended = fixed(body, settings=only, unsafe=True)
        comity.parse(mended)
        fixes = [finding.fix for finding in comity.lint(body, settings=only) if finding.fix]
        assert bool(fixes) == (mended != body)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="COMITY_CORPUS names no folder of robots.txt files")
def test_real_files():
    for path in sorted(CORPUS.iterdir()):
        body = path.read_bytes()
        comity.lint(body, settings=ALL)
        after = fixed(body)
        assert fixed(after) == after, path.name
        assert after == body or answers(after) == answers(body), path.name


def test_findings_are_in_order_and_limited():
    body = "User-agent: *\n" + "Disallow: a\n" * 250
    found = comity.lint(body, settings=Settings(select=("C301",)))

    assert [finding.line for finding in found] == list(range(2, 102))
    assert [finding.more for finding in found] == [0] * 99 + [150]


def test_a_finding_is_a_value():
    (finding,) = comity.lint(b"User-agent: *\nDisallow: private")

    assert finding == comity.lint("User-agent: *\nDisallow: private")[0]
    assert (finding.start, finding.end) == (24, 31)
    assert isinstance(finding, comity.Finding)
    assert applied(b"User-agent: *\nDisallow: private", [finding], unsafe=False).endswith(b" private")


def test_url_identifies_the_site():
    body = "User-agent: *\nDisallow: /s\nSitemap: https://other.example/s.xml"
    select = Settings(select=("C503",))

    assert comity.lint(body, settings=select)
    assert not comity.lint(body, settings=select, url="https://example.com/robots.txt")
    body = "User-agent: *\nDisallow: https://example.com/a"
    assert fixed(body.encode(), unsafe=True) == body.encode()
    mended = fixed(body.encode(), unsafe=True, url="https://www.example.com/robots.txt")
    assert mended == b"User-agent: *\nDisallow: /a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Disallow: a # comity: ignore C201, C301", []),
        ("Disallow: a # COMITY: IGNORE c201 c301", []),
        ("# comity: ignore C201 C301\nDisallow: a", []),
        ("# comity: ignore C201\n# comity: ignore C301\nDisallow: a", []),
        ("# comity: ignore C201 # as agreed\nDisallow: a", [(2, "C301")]),
        ("Disallow: a # comity: ignore C301", [(1, "C201")]),
        ("# comity: ignore C301, C201\n\nDisallow: a", [(1, "C901"), (1, "C901"), (3, "C201"), (3, "C301")]),
        ("Disallow: a # comity: ignore", [(1, "C201"), (1, "C301"), (1, "C901")]),
        ("# comity: ignore C319\nDisallow: a", [(2, "C201"), (2, "C301")]),  # C319 is not asked
        ("Disallow: a # comity: ignore C2, path-without-slash", []),
        ("Disallow: a # comity: ignore all", []),
        ("# comity: ignore C2 C3\n# as agreed\n  # with all\nDisallow: a", []),
        ("# comity: ignore-file c2 C301\n\nUser-agent: *\nDisallow: /\nDisallow: a", []),
        ("Disallow: a\nDisallow: b # comity: ignore-file rule-outside-group, C301", []),
        ("# comity: ignore-file C3\nDisallow: a # comity: ignore C301, C201", []),
        ("# comity: ignore-file C4\nDisallow: a # comity: ignore C2, C3", [(1, "C901")]),
        ("# comity: ignore-file", [(1, "C901")]),
        ("# comity: ignore path-with-slash\nDisallow: a", [(1, "C901"), (2, "C201"), (2, "C301")]),
        ("# comity:ignore C301, C201\nDisallow: a", []),
        ("Disallow: a # see comity: none, comity:  IGNORE C2 C3", []),
        ("Disallow: a # comity: ignore C201 C301: known", []),
        ("Disallow: a # comity: ignore C2, path-without-slash - as agreed, C4", []),
        ("Disallow: a # comity:ignore C2 C3 -- known", []),
        ("Disallow: a # comity: ignore C2, C3 \u2014 known", []),
        ("# comity:ignore-file C2, C3\u2013 known\nDisallow: a", []),
        ("Disallow: a # comity:ignore: C2", [(1, "C201"), (1, "C301"), (1, "C901")]),
        ("# comity: ignored by C301\nDisallow: a # comity: ignore C2", [(2, "C301")]),
    ],
)
def test_ignore_comments(text, expected):
    assert [(finding.line, finding.code) for finding in comity.lint(text)] == expected


def test_settings_select_rules_and_severities():
    body = "User-agent: *\nDisallow: a\nDisallow: /x*\nDisallow: /y y"

    assert codes(body, Settings()) == {"C301", "C305"}
    assert codes(body, Settings(select=("c31",))) == {"C319"}
    assert codes(body, Settings(select=("DEFAULT", "C319"), ignore=("C30",))) == {"C319"}
    assert codes(body, Settings(select=("path-without-slash", "Trailing-Star"), ignore=("C301",))) == {"C319"}
    said = {"path-without-slash": "warning", "C3": "off", "C30": "information", "ALL": "error"}
    found = comity.lint(body + "\nDisallow: /x*\nDisalow: /", settings=Settings(("C3", "C401"), (), said))
    assert {(finding.code, finding.severity) for finding in found} == {
        ("C301", "warning"),
        ("C305", "information"),
        ("C401", "error"),
    }
    (finding,) = comity.lint(body, settings=Settings(("C301",), (), {"C301": "information"}))
    assert finding.severity == "information"
    assert Settings(("C301",), (), {"C301": "warning"}) == Settings(("c301",), (), (("C301", "warning"),))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[lint]\nselect = ['C3']", None),
        ("[lint]\nselct = []", "unknown setting 'selct'; use select, ignore, severity"),
        ("[lint]\nselect = ['C999']", "no rule has the code 'C999'"),
        ("[lint]\nselect = ['']", "no rule has the code ''"),
        ("[lint]\nselect = 'C301'", "select must be a list of codes"),
        (
            "[lint]\nseverity = { C301 = 'fatal' }",
            "C301 must be error, warning, information or off, not 'fatal'",
        ),
        ("[lint]\nseverity = { C99 = 'error' }", "no rule has the code 'C99'"),
        ("select = ['C301']", "select is outside the table; move it to [lint]"),
        ("severity.C301 = 'error'", "severity is outside the table; move it to [lint]"),
        ("[tool.comity.lint]\nselect = ['C301']", "the table must be [lint], not [tool.comity.lint]"),
        ("[lint]\nseverity = { C301 = 3 }", "severity must be a table"),
        ("lint = 3", "expected a table of settings"),
        ("[lint", "not valid TOML"),
    ],
)
def test_settings_file(tmp_path, text, says):
    path = tmp_path / "comity.toml"
    path.write_text(text)
    if says is None:
        assert settings_for(tmp_path).select == ("C3",)
        assert settings_in(path) == settings_for(tmp_path)
        return

    with pytest.raises(comity.InvalidArgument, match=re.escape(says)) as raised:
        settings_for(tmp_path)
    assert str(path) in str(raised.value)


def test_nearest_settings_file_is_used(tmp_path):
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.comity.lint]\nignore = ['C1']")
    assert settings_for(inner).ignore == ("C1",)
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'")
    assert settings_for(inner).ignore == ("C1",)
    (tmp_path / "a/comity.toml").write_text("[lint]\nignore = ['C2']")
    assert settings_for(inner).ignore == ("C2",)
    (tmp_path / "a/pyproject.toml").write_text("[tool.comity]\nselect = ['C1']")
    (tmp_path / "a/comity.toml").unlink()
    with pytest.raises(comity.InvalidArgument, match=r"move it to \[tool.comity.lint\]"):
        settings_for(inner)
    with pytest.raises(comity.InvalidArgument, match="there is no table"):
        settings_in(inner / "pyproject.toml")
    (inner / "comity.toml").write_bytes(b"\xff")
    with pytest.raises(comity.InvalidArgument, match="not valid TOML"):
        settings_for(inner)


#: What a site could write to keep the linter busy: as large as robots read, and answered in seconds.
HOSTILE = {
    "many rules": b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(30_000)),
    "many stars": b"User-agent: *\n" + b"".join(b"Allow: /*%s\n" % (b"a*" * (n % 90)) for n in range(2_500)),
    "one line": b"User-agent: *\nDisallow: /" + b" a" * 200_000,
    "many groups": b"".join(b"User-agent: b%d\nDisallow: /\n" % n for n in range(15_000)),
    "one long group": b"User-agent: x\nCrawl-delay: 1\n" * 15_000,
    "blank lines": b"User-agent: x\n\n" * 30_000,
    "many comments": b"a # comity: ignore " + b",".join(b"D%d" % n for n in range(60_000)),
    "many comments for all": b"# comity: ignore-file C4 C301 C2\na: b\n" * 10_000,
    "marks": b"#" + b"comity: " * 60_000,
    "colons": b"User-agent: a\nDisallow: a" + b":" * 400_000,
    "allows": b"User-agent: *\nAllow: /a\n" * 18_000,
    "names": b"User-agent: " + b"a," * 200_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    """There is no limit of time here: a rule whose time grows with the square would never end."""
    found = comity.lint(HOSTILE[name], settings=ALL)

    assert len(found) <= 100 * len(RULES)
