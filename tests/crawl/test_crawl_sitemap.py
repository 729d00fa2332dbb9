"""What sitemaps list, whatever they are: by the protocol, its feeds and text files, hostile and broken ones."""

import gzip

import pytest

from comity.crawl.sitemap import addresses

A, B = "http://example.com/a", "http://example.com/b"
ONE = f"<urlset><url><loc>{A}</loc></url></urlset>".encode()
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def entities(depth):
    declared = "".join(f'<!ENTITY e{each} "{f"&e{each - 1};" * 10}">' for each in range(1, depth))
    return f'<!DOCTYPE urlset [<!ENTITY e0 "ha">{declared}]><urlset><url><loc>{A}&e{depth - 1};</loc></url></urlset>'


@pytest.mark.parametrize(
    ("authority", "body", "pages"),
    [
        ("sitemaps.org", f'<?xml version="1.0"?><urlset {NAMESPACE}><url><loc>\n{A}\n</loc></url></urlset>', [A]),
        ("sitemaps.org", f"<urlset><url><loc>{A}?b&amp;c</loc></url></urlset>", [f"{A}?b&c"]),
        ("sitemaps.org", f"{A}\r\n{B}\n", [A, B]),
        ("sitemaps.org", f"\ufeffHTTP://example.com/a\nno address\n {B}", ["HTTP://example.com/a"]),
        ("sitemaps.org", f"<rss><channel><link>{B}</link><item><link>{A}</link></item></channel></rss>", [A]),
        ("sitemaps.org", f"<feed><link href='{B}'/><entry><link href='{A}'/></entry></feed>", [A]),
        ("sitemaps.org", f"<feed><entry><link rel='edit' href='{B}'/></entry></feed>", []),
        ("sitemaps.org", gzip.compress(ONE, mtime=0), [A]),
        ("comity", f"<rdf:RDF xmlns:rdf='r'><item><link>{A}</link></item></rdf:RDF>", [A]),
        ("comity", f"<s:urlset xmlns:s='s'><s:url><s:loc>{A}</s:loc></s:url></s:urlset>", [A]),
        ("comity", f"<urlset><url><i:image xmlns:i='i'><i:loc>{B}</i:loc></i:image><loc>{A}</loc></url></urlset>", [A]),
        ("comity", f"<urlset><url><loc><![CDATA[{A}?b&c]]></loc></url></urlset>", [f"{A}?b&c"]),
        ("comity", f"<urlset><url><loc>{A}?b&c</loc></url><url><loc>{B}</loc></url></urlset>", [f"{A}?b&c", B]),
        ("comity", f"<urlset><url><loc>{A}</loc></url><url><loc>{B}", [A]),
        ("comity", f"\n <!-- none --><urlset><url><loc>{A}</loc></url></urlset>", [A]),
        ("comity", ONE.decode().encode("utf-16"), [A]),
        ("comity", gzip.compress(ONE, mtime=0)[:-4], [A]),
        ("comity", gzip.compress(b"\0" * 60_000_000, mtime=0), []),
        ("comity", b"\x1f\x8bno", []),
        ("comity", entities(12), []),
        ("comity", f'<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/passwd">]>{ONE.decode()}', []),
        ("comity", "<urlset>" + "<a>" * 100_000, []),
        ("comity", f"<html><loc>{A}</loc></html>", []),
        ("comity", f"<?xml version='1.0' encoding='x-none'?>{ONE.decode()}", []),
        ("comity", "", []),
        ("comity", b"\xff\xfe\x00", []),
    ],
)  # fmt: skip
def test_what_is_listed(authority, body, pages):
    octets = body if isinstance(body, bytes) else body.encode()
    assert list(addresses(octets)) == [("page", page) for page in pages]


def test_an_index_lists_sitemaps():
    index = b"<sitemapindex><sitemap><loc>http://example.com/a</loc></sitemap></sitemapindex>"
    assert list(addresses(index)) == [("sitemap", A)]


def test_many():
    body = b"".join(b"<url><loc>http://example.com/%d</loc></url>" % each for each in range(50_000))
    assert len(list(addresses(b"<urlset>" + body + b"</urlset>"))) == 50_000
