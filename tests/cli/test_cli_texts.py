"""The texts of results: `str` is what the commands print, and notebooks get escaped HTML."""

import copy
import pickle
import re

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

import comity
from comity.cli import main
from comity.site import Findings, baseline_of

BODY = """\
User-agent: ExampleBot
Disallow: /a
Allow: /a/b
Disallow: private

User-agent: *
Disallow: /
"""
HOSTILE = "<script>\x1b[31m\u202e&"
BAD = f"User-agent: {HOSTILE}\nDisallow: /{HOSTILE}\nDisallow: {HOSTILE}\n\nUser-agent: *\nDisallow:"


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "robots.txt").write_text(BODY, encoding="utf-8")
    return tmp_path / "robots.txt"


@pytest.mark.parametrize("agent", ["ExampleBot", "OtherBot", "*"])
@pytest.mark.parametrize("path", ["/a", "/a/b", "/", "/robots.txt", "/%E4%BD%A0?q=%3Cb%3E", "/" + "a" * 500])
@pytest.mark.parametrize("body", [BODY, "", BAD, "User-agent: ExampleBot\nDisallow:"])
def test_a_verdict_is_the_text_of_check(file, body, path, agent):
    file.write_bytes(body.encode())
    result = run("check", "--robots", str(file), path, "--agent", agent, "--explain")
    verdict = comity.parse(body).check(path, agent=agent)

    assert result.stdout.startswith(f"{verdict}\n")


BODIES = [BODY, "User-agent: *\nDisallow:\nCrawl-delay: 2\nSitemap: https://example.com/s.xml\n", "", BAD]


@pytest.mark.parametrize("new", BODIES)
@pytest.mark.parametrize("old", BODIES)
def test_a_diff_is_the_text_of_diff(file, old, new):
    file.write_bytes(old.encode())
    (file.parent / "new.txt").write_bytes(new.encode())

    printed = run("diff", "robots.txt", "new.txt").stdout.partition("Assumed about")[0]
    assert printed.rstrip("\n") == str(comity.diff(old, new))


@pytest.mark.parametrize("body", BODIES)
def test_a_matrix_is_the_text_of_matrix(file, body):
    file.write_bytes(body.encode())
    table = comity.matrix(body, agents=["ExampleBot", "OtherBot"])
    words = ("--agent", "ExampleBot", "--agent", "OtherBot")

    assert run("matrix", "robots.txt", *words).stdout == f"{table}\n"


@pytest.mark.parametrize(
    "body",
    [
        BODY,
        "",
        "User-agent: *\nDisallow: /a/\n",
        "\ufeffUser-agent: *\nDisallow: /é\tx # hé\nDisallow: /a\nDisallow: /a\n",
        "User-agent: *\nDisallow: /\u4f60 x\nDisallow: /e\u0301 x\n",
        "User-agent: *\n" + "Disallow: a\n" * 150,
        f"User-agent: *\nDisallow: /{'a' * 300} b{'c' * 300}\n",
        "User-agent: *\rDisallow: /x\r",
        b"User-agent: *\nDisallow: /\xe9 x\n",
        BAD,
    ],
)
def test_findings_are_the_text_of_lint(file, body):
    body = body if isinstance(body, bytes) else body.encode()
    file.write_bytes(body)
    found = comity.lint(body)
    printed = run("lint", "robots.txt").stdout

    assert re.sub("(?m)^robots.txt:(?: (?=and ))?", "", printed) == f"{found}\n"
    assert all(f"robots.txt:{finding}" in printed.splitlines() for finding in found)


def test_findings_after_a_baseline_are_the_text_of_lint(file):
    run("lint", "robots.txt", "--baseline", "known.json", "--write-baseline")
    found = comity.lint(BODY, baseline=baseline_of(BODY))

    assert run("lint", "robots.txt", "--baseline", "known.json").stdout == f"{found}\n" == "no new findings\n"


def test_findings_are_a_tuple():
    found = comity.lint(BODY)

    for copied in (found, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied == tuple(found)
        assert hash(copied) == hash(tuple(found))
        assert str(copied) == str(found)
    assert comity.lint("") == ()


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("", "<Findings: no findings>"),
        ("User-agent: *\nDisallow: a", "<Findings: 1 error>"),
        ("User-agent: *\nDisallow: /a b\nDisallow: /a c", "<Findings: 2 warnings>"),
    ],
)
def test_repr_of_findings_counts_them(body, shown):
    assert repr(comity.lint(body)) == shown


@pytest.mark.parametrize("agent", ["ExampleBot", "OtherBot"])
@pytest.mark.parametrize(
    ("robots", "html", "headers"),
    [
        ("", "", {}),
        ("User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: search=yes", "<p>Tea", {}),
        ("", "<meta name=robots content='noarchive, max-snippet:5'>", {"x-robots-tag": "otherbot: noindex"}),
        ("", "<meta name=robots content='noai, nopagereadaloud'>", {"tdm-reservation": "1"}),
        ("User-agent: *\nContent-Usage: /a train-ai=y", "", {"content-usage": "search=n, train-ai=n"}),
        ("", f"<meta name=robots content='{HOSTILE}, noindex'>", {"x-robots-tag": "none" + ", x" * 20}),
    ],
)
def test_directives_and_usage_are_the_text_of_check_page_and_usage(
    tmp_path, monkeypatch, robots, html, headers, agent
):
    own_home(tmp_path, monkeypatch)
    body, fields = html.encode(), {"content-type": "text/html; charset=utf-8", **headers}
    routes = {"/robots.txt": answer(200, robots.encode()), "/a": answer(200, body, fields)}
    with Server(routes) as site:
        url = f"{site.origin}/a"
        checked = run("check", "--page", url, "--agent", agent, "--explain").stdout
        used = run("usage", url, "--agent", agent, "--explain").stdout
    page = comity.page_directives(html=body, headers=fields, agent=agent, url=url)
    usage = comity.usage(url, agent=agent, robots=robots, headers=fields, html=body)

    for printed in (checked, used):
        assert f"\n{page}\n{usage}\n" in printed


def test_a_known_robot_has_its_assumptions_below_its_usage(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    robots = "User-agent: Googlebot\nContent-Usage: train-ai=n"
    with Server({"/robots.txt": answer(200, robots.encode()), "/a": answer(200)}) as site:
        printed = run("usage", f"{site.origin}/a", "--agent", "Googlebot-Image", "--explain").stdout
        usage = comity.usage(f"{site.origin}/a", agent="Googlebot-Image", robots=robots)

    assert len(usage.assumptions) == 2
    assert set(str(usage).splitlines()) <= set(map(str.strip, printed.splitlines()))


def shown():
    """Return results whose contents are hostile."""
    return [
        *(comity.matrix(BAD), comity.diff(BAD, ""), comity.diff("", BAD)),
        *(comity.parse(BAD).check(f"/{HOSTILE}", agent=HOSTILE), comity.lint(BAD), *comity.lint(BAD)),
    ]


@pytest.mark.parametrize("result", shown(), ids=lambda result: type(result).__name__)
def test_hostile_contents_are_escaped(result):
    html = result._repr_html_()

    assert not re.search("[\x1b\u202e]", str(result) + html)
    assert "<script" not in html
    assert html.startswith("<div class=comity><style>.comity.comity.comity {")
    assert html.count("<style>") == 1
    assert not re.search(r":root|(?<!\w)body \{", html)


def test_long_names_are_cut():
    name, path = "B" * 1_000_000, "/" + "p" * 1_000_000
    body = f"User-agent: {name}\nDisallow: {path}\nDisallow: {path[1:]}\n"
    closed = f"User-agent: {name}\nDisallow: /\nAllow: {path}"
    results = [
        *(comity.lint(body), comity.parse(body).check(path, agent=name), comity.matrix(body)),
        *(
            comity.diff(body, ""),
            comity.diff("", closed),
            comity.diff("", closed, urls=["/", path, f"/x{path}"]),
        ),
    ]

    for result in results:
        assert max(map(len, str(result).splitlines())) < 3000
        assert len(result._repr_html_()) < 200_000
        assert len(repr(result)) <= 200


def test_html_of_lines_keeps_their_indents():
    html = comity.diff("", "User-agent: *\nDisallow: /a")._repr_html_()

    assert '<span class=line style="--wrap:2ch">all robots\n</span>' in html
    assert '<span class=line style="--wrap:4ch">  <strong class=no>closes</strong> /a\n</span>' in html


def test_html_of_findings_marks_the_spans():
    html = comity.lint("User-agent: *\nDisallow: /a <b>")._repr_html_()

    assert "<strong class=warning>warning</strong> C305 space-in-path" in html
    assert "  2 | Disallow: /a<mark> </mark>&lt;b&gt;\n</span>" in html


def test_html_of_many_findings_is_bounded():
    found = comity.lint("User-agent: *\nDisallow: a\n")
    html = Findings(found * 1000, found.body)._repr_html_()

    assert html.count("<mark>") == 500
    assert "and 500 more findings" in html


def test_html_of_a_matrix_has_the_table_of_the_page(file):
    html = comity.matrix(BODY)._repr_html_()

    assert "<caption>Which robots may fetch which paths, by purpose</caption>" in html
    assert "<td class=no" in html
