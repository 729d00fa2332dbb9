"""Lists of URLs: text, CSV, sitemaps and indexes, packed or not, of files and of sites."""

import gzip

import pytest

from comity.cli.exit_status import ProblemLog
from comity.desk import read_urls
from comity.errors import UnusableInput

SITEMAP = (
    b"<urlset><url><loc> https://example.com/a </loc></url><url><loc>/b?x=1&amp;y=2</loc></url></urlset>"
)
INDEX = b"<sitemapindex><sitemap><loc>%s</loc></sitemap></sitemapindex>"

#: (name of the case, name of the file, content, column, the URLs with their places)
LISTS = [
    ("text", "u.txt", b"\xef\xbb\xbf/a\r\n\n# no\n  /b\n", None, [("/a", "u.txt:1:4: "), ("/b", "u.txt:4:3: ")]),
    ("no end", "u.txt", b"/a", None, [("/a", "u.txt:1:1: ")]),
    ("packed text", "u.gz", gzip.compress(b"/a\n", mtime=0), None, [("/a", "u.gz:1:1: ")]),
    ("sitemap", "s", SITEMAP, None, [("https://example.com/a", "s: "), ("/b?x=1&y=2", "s: ")]),
    ("packed sitemap", "s", gzip.compress(SITEMAP, mtime=0), None, [("https://example.com/a", "s: "), ("/b?x=1&y=2", "s: ")]),
    ("UTF-16", "s", SITEMAP.decode().encode("utf-16"), None, [("https://example.com/a", "s: "), ("/b?x=1&y=2", "s: ")]),
    ("by name", "u.csv", b"id,URL\n1,/a\n\n2,\"/b,c\"\n", "url", [("/a", "u.csv:2: "), ("/b,c", "u.csv:4: ")]),
    ("by number", "u.csv", b"id,URL\n1,/a\n", "2", [("/a", "u.csv:2: ")]),
    ("no names", "u.csv", b"/a,200\n/b,404\n", "1", [("/a", "u.csv:1: "), ("/b", "u.csv:2: ")]),
    ("semicolons", "u.csv", b"\xef\xbb\xbf\"url\";\"a,b,c\"\r\n/a;1\r\n", "url", [("/a", "u.csv:2: ")]),
    ("tabs", "u.tsv", b"url\tn\n/a,b\t1\n", "url", [("/a,b", "u.tsv:2: ")]),
    ("packed CSV", "u.gz", gzip.compress(b"n,url\n1,/a\n", mtime=0), "url", [("/a", "u.gz:2: ")]),
    ("a line in a cell", "u.csv", b'n,url\n"1\n2",/a\n', "url", [("/a", "u.csv:3: ")]),
    ("no cell", "u.csv", b"n,url\n1\n", "url", [("", "u.csv:2: ")]),
    ("a name of digits", "u.csv", b"1,2\n/x,/a\n", "2", [("/a", "u.csv:2: ")]),
    ("one column", "u.csv", b"url\n/a\n", None, [("/a", "u.csv:2: ")]),
    ("XML with a column", "s", SITEMAP, "url", [("https://example.com/a", "s: "), ("/b?x=1&y=2", "s: ")]),
    ("empty", "u.txt", b"", None, []),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("case", "name", "content", "column", "expected"), LISTS, ids=lambda one: str(one)[:20]
)
def test_formats(folder, case, name, content, column, expected):
    (folder / name).write_bytes(content)

    assert list(read_urls([name], column=column)) == expected


@pytest.mark.parametrize(("name", "content", "column", "message"), [
    ("u.csv", b"id,url\n", "address", "no column 'address'; it has: id, url"),
    ("u.csv", b"url,url\n", "url", "two columns are called 'url'"),
    ("u.csv", b"id,url\n", "3", "no column 3; it has 2"),
    ("u.csv", b"id,url\n", "0", "no column 0"),
    ("u.csv", b"id,url\n1,/a\n", None, "name the column with the URLs, such as --column url; it has: id, url"),
    ("u.csv", b"id,page\n1,/a\n", None, "name the column with the URLs, such as --column NAME; it has: id, page"),
    ("u.csv", b"7,https://a.example/\n", None, "such as --column 2; it has: 7, https://a.example/"),
    ("u.html", b"<!DOCTYPE html>\n<a href='/a'>a</a>", None, "a web page, not a list of URLs"),
    ("u.csv", b'n,url\n"' + b"x\n" * 100_000, "url", "not valid CSV"),
    ("u.txt", "/a\n/b\n".encode("utf-16"), None, "a text in UTF-16; save it as UTF-8"),
    ("u.txt", b"/" + b"a" * 70_000, None, "a line is longer than 64 KiB"),
    ("u.gz", gzip.compress(b"/a\n" * 100, mtime=0)[:-9], None, "the gzip data is incomplete"),
    ("s.xml", b"<urlset><url>", None, "not well-formed XML"),
    ("missing", None, None, "missing: cannot be read"),
    ("https://example.com/s.xml", None, None, "a URL, where only a file can be read"),
])  # fmt: skip
def test_unusable_lists(folder, name, content, column, message):
    if content is not None:
        (folder / name).write_bytes(content)

    with pytest.raises(UnusableInput) as error:
        list(read_urls([name], column=column))

    assert message in str(error.value)


def test_index_of_a_site_lists_sitemaps_of_the_site():
    bodies = {
        "https://example.com/i.xml": INDEX % b"https://example.com/s.xml.gz",
        "https://example.com/s.xml.gz": gzip.compress(SITEMAP, mtime=0),
    }
    found = read_urls(["https://example.com/i.xml"], download=lambda url: [bodies[url]])

    assert [each.url for each in found] == ["https://example.com/a", "/b?x=1&y=2"]


def test_list_is_read_as_it_is_needed():
    """A list without end, as of a pipe, yields its first URLs at once."""

    def endless():
        while True:
            yield b"/a\n"

    found = read_urls(["https://example.com/"], download=lambda _: endless())

    assert next(found).url == "/a"
    assert [next(found).url for _ in range(100_000)][-1] == "/a"


def test_log_prints_twenty_of_a_kind(capsys):
    log = ProblemLog("Error")
    for number in range(30):
        log.add(f"u.txt:{number}:1: 'x{number}': not a URL")
        log.add(f"u.txt:{number}:1: something {number}", "kind")
    log.close()
    lines = capsys.readouterr().err.splitlines()

    assert len(lines) == 42
    assert lines[-2:] == ["Error: 10 more like the one at u.txt:0:1"] * 2


def test_log_is_bounded(capsys):
    log = ProblemLog("")
    printed = [log.add(f"{number}", f"kind {number}") for number in range(1000)]
    log.close()

    assert printed.count(True) == 200
    assert capsys.readouterr().err.splitlines()[-1] == "800 more of other kinds"
