"""`comity usage`: licence documents (RSL) of a page on a loopback server, and of files."""

import inspect
import json

import httpcore2
import pytest
import trustme
from certificates import server_context
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer, redirect

from comity.cli import main
from comity.desk import license_documents as reading
from comity.desk.license_documents import is_private

RSL = {"content-type": "application/rsl+xml"}


def document(inner):
    return f'<rsl xmlns="https://rslstandard.org/rsl">{inner}</rsl>'.encode()


def terms(inner, url="/"):
    return document(f'<content url="{url}"><license>{inner}</license></content>')


NO_TRAINING = terms('<prohibits type="usage">ai-train</prohibits>')


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def publisher(authority, monkeypatch, tmp_path):
    """A server with TLS that has the licence documents."""
    trusted = tmp_path / "ca.pem"
    trusted.write_bytes(authority.cert_pem.bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setattr(httpcore2, "default_ssl_context", inspect.unwrap(httpcore2.default_ssl_context))
    context = server_context(authority, "localhost")
    with Server({"/robots.txt": answer(404)}, tls=context, host="localhost") as server:
        yield server


def usage(*arguments, **options):
    return CliRunner().invoke(main, ["usage", *arguments], **options)


def visit(robots, page=b"<p>Tea.", headers=(), options=()):
    """Run the command for a page of a site with this robots.txt."""
    routes = {
        "/robots.txt": answer(200, robots.encode()),
        "/tea": answer(200, page, {"content-type": "text/html", **dict(headers)}),
    }
    with Server(routes) as site:
        result = usage(f"{site.origin}/tea", "--contact", "bot@example.com", "--json", *options)
    found = json.loads(result.stdout)
    [*codes] = [one["code"] for each in found["licenses"] for one in each["findings"]]
    return result.exit_code, found, codes


def test_documents_of_robots_txt_header_and_page_are_fetched_and_shown(publisher):
    url = publisher.origin
    publisher.routes |= {"/a.xml": answer(200, NO_TRAINING, RSL), "/b.xml": answer(200, NO_TRAINING, RSL)}
    link = f'<{url}/a.xml>; rel="license"; type="application/rsl+xml"'
    page = f'<link rel="license" type="application/rsl+xml" href="{url}/b.xml"><p>Tea.'
    status, found, _ = visit(f"License: {url}/a.xml\n", page.encode(), {"link": link})
    assert [(one["url"], one["source"]) for one in found["licenses"]] == [
        (f"{url}/a.xml", "robots.txt"),
        (f"{url}/a.xml", "header"),
        (f"{url}/b.xml", "html"),
    ]
    assert publisher.asked == ["GET /robots.txt", "GET /a.xml", "GET /b.xml"]
    assert found["answers"]["train-ai"]["answer"] == "disallowed"
    assert found["answers"]["search"]["answer"] == "unknown"  # terms are never an allow
    assert status == 0
    assert not {"cookie", "authorization"} & {name for head in publisher.heads for name in head}


@pytest.mark.parametrize(
    ("routes", "codes", "status"),
    [
        ({}, ["rsl-unavailable"], 1),
        ({"/l.xml": answer(500)}, ["rsl-unavailable"], 1),
        ({"/l.xml": redirect("http://localhost/l.xml")}, ["rsl-unavailable"], 1),
        ({"/l.xml": redirect("/l.xml")}, ["rsl-unavailable"], 1),
        ({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /l")}, ["rsl-unavailable"], 1),
        ({"/robots.txt": answer(503)}, ["rsl-unavailable"], 1),
        ({"/l.xml": answer(200, b"x" * (1 << 20) + b"xx")}, ["rsl-too-large"], 1),
        ({"/l.xml": answer(200, b"<!DOCTYPE rsl><rsl/>")}, ["rsl-doctype"], 1),
        ({"/l.xml": answer(200, terms("", "https://other.example/"))}, ["rsl-foreign-url"], 1),
        ({"/l.xml": answer(200, terms("", "/drafts/"))}, ["rsl-unreachable"], 0),
        ({"/l.xml": answer(200, terms('<payment type="crawl"/>'))}, ["rsl-needs-token"], 0),
        ({"/l.xml": redirect("/m.xml"), "/m.xml": answer(200, NO_TRAINING)}, [], 0),
    ],
)
def test_mistakes_of_documents_are_findings(publisher, routes, codes, status):
    publisher.routes |= routes
    robots = f"License: {publisher.origin}/l.xml\nUser-agent: *\nDisallow: /drafts\n"
    assert visit(robots)[::2] == (status, codes)


def test_opposite_statement_is_a_contradiction(publisher):
    publisher.routes["/l.xml"] = answer(200, NO_TRAINING)
    robots = f"License: {publisher.origin}/l.xml\nUser-agent: *\nContent-Signal: ai-train=yes, search=yes\n"
    status, found, _ = visit(robots)
    assert (status, [line.partition(":")[0] for line in found["contradictions"]]) == (1, ["train-ai"])
    assert found["answers"]["search"]["answer"] == "allowed"


@pytest.mark.parametrize(
    ("body", "use", "status"),
    [
        (answer(404), "search", 1),  # not licensed
        (answer(200, NO_TRAINING), "search", 0),
        (answer(200, NO_TRAINING), "train-ai", 1),
        (answer(200, terms('<payment type="crawl"/>')), "search", 1),  # a token is needed first
    ],
)
def test_respected_licences_decide_the_status(publisher, body, use, status):
    publisher.routes["/l.xml"] = body
    assert visit(f"License: {publisher.origin}/l.xml\n", options=["--respect", use])[0] == status


def test_document_on_a_private_address_is_refused_with_public_only(publisher):
    routes = {"/robots.txt": answer(200, f"License: {publisher.origin}/l.xml\n".encode())}
    with Server(routes) as site:
        result = usage(f"{site.origin}/", "--contact", "a@example.com", "--public-only")
    assert (result.exit_code, publisher.asked) == (2, [])


def test_licences_of_a_part_of_the_page_are_not_fetched(publisher):
    link = f'<link rel="license" type="application/rsl+xml" href="{publisher.origin}/l.xml">'
    status, found, codes = visit("", f"<head></head><body><p>Tea.{link}".encode())
    assert (status, codes, publisher.asked) == (0, [], [])
    assert [(one["whole_page"], one["document"]) for one in found["licenses"]] == [(False, None)]


def test_number_of_documents_is_bounded(publisher):
    robots = "".join(f"License: {publisher.origin}/{number}.xml\n" for number in range(12))
    _, found, _ = visit(robots)
    assert (len(found["licenses"]), publisher.asked.count("GET /8.xml")) == (9, 0)
    assert found["licenses"][8]["findings"][0]["message"] == "only the first 8 licences are read"


def test_public_site_may_not_name_a_private_document(publisher, monkeypatch):
    monkeypatch.setattr(reading, "is_private", lambda url: False)
    status, found, codes = visit(f"License: {publisher.origin}/l.xml\n")
    assert (status, codes, publisher.asked) == (1, ["rsl-unavailable"], [])
    assert "the host localhost is not public" in found["licenses"][0]["findings"][0]["message"]


@pytest.mark.parametrize(
    ("url", "private"),
    [("https://[::1]/", True), ("https://a.localhost/", True), ("https://10.0.0.1/", True),
     ("https://example.com/", False), ("https://8.8.8.8/", False)],
)  # fmt: skip
def test_only_private_sites_may_name_private_documents(url, private):
    assert is_private(url) is private


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tea.xml"], "tea.xml: cannot be read: No such file"),
        ([""], ": cannot be read: No such file"),
        (["-", "--respect", "search"], "--respect is for the page of a URL"),
        (["https://example.com/", "--respect", "tea"], "--respect: unknown use 'tea'"),
    ],
)
def test_wrong_usage_is_explained(arguments, message):
    result = usage(*arguments)
    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("body", "output", "status"),
    [
        (NO_TRAINING, "prohibits usage ai-train; no payment", 0),
        (document(""), "-:1: error rsl-content: it has no content".replace("-:", "standard input:"), 1),
        (terms('<permits type="usage">ai-dream</permits>'), "warning rsl-token: unknown usage ai-dream", 1),
        (b"User-agent: *", "error rsl-xml", 1),
        (
            b'<rss xmlns:rsl="https://rslstandard.org/rsl"><channel><item><rsl:content url="/1"><rsl:license>'
            b'<rsl:prohibits type="usage">all</rsl:prohibits></rsl:license></rsl:content></item></channel></rss>',
            "RSS feed",
            0,
        ),
    ],
)
def test_file_is_shown_without_a_request(body, output, status):
    result = usage("-", input=body)
    assert output in result.stdout
    assert result.exit_code == status
