"""The start URLs of a crawl, from the command line and from lists."""

import io

import click
import pytest

from comity.cli.crawling import start_urls as module
from comity.cli.crawling.start_urls import start_urls
from comity.errors import UnusableInput

#: The bytes of a list, and its URLs as a job stores them.
LISTS = [
    (b"http://a.example/b\n", ["http://a.example/b"]),
    (b"\xef\xbb\xbf# seeds\n\n  http://A.example/b c#d \r\nhttps://b.example", ["http://a.example/b%20c", "https://b.example/"]),
    (b"<urlset><url><loc>http://a.example/s</loc></url></urlset>", ["http://a.example/s"]),
    (b"http://a.example/a # old\nhttp://a.example/b\t \t#\nhttp://a.example/c# d\n \t# http://a.example/e\n",
     ["http://a.example/a", "http://a.example/b", "http://a.example/c"]),
    (b"http://a.example/a \t\r\nhttp://a.example/b\xc2\xa0\n", ["http://a.example/a", "http://a.example/b"]),
    ("http://a.example/é".encode(), ["http://a.example/%C3%A9"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "urls"), LISTS)
def test_urls_of_a_list(tmp_path, content, urls):
    file = tmp_path / "seeds"
    file.write_bytes(content)
    found = start_urls(["http://c.example/"], [str(file)])
    assert [one.url for one in found.requests] == ["http://c.example/", *urls]
    assert all(one.start for one in found.requests)
    assert found.urls == ["http://c.example/"]
    assert found.listed != start_urls(["http://c.example/"], [str(file), str(file)]).listed
    assert start_urls(["http://c.example/"], []).listed is None


#: The bytes of a list, and the beginning of the error.
INVALID = [
    (b"http://a.example/\n\n b.example\n", "{}:3:2: "),
    (
        b"http://a.example/\nhttp://u:secret@b.example/",
        "{}:2:1: the URL has a user name or password; leave them out, and add an entry to ~/.netrc",
    ),
    (b"User-agent: *\nDisallow: /a\n", "{}:1:1: User-agent: *: not an http or https URL"),
    (b"mailto:a@b.example\n", "{}:1:1: mailto:a@b.example: not an http or https URL"),
    (b"ftp://a.example/", "{}:1:1: ftp://a.example/: not an http or https URL"),
    (b"http://a.example/" + b"a" * 9000, "{}:1:1: the URL is longer than 8,000 characters: "),
    (b"http://a.example/\n" + b"a" * 70_000, "{}: cannot be read: a line is longer"),
    (b"\xff\xfea\x00", "{}: a text in UTF-16"),
    (b"http://[::1\n", "{}:1:1: "),
    (b"\x00\x1b[31m\n", "{}:1:1: not a URL: NUL byte at character 1; "),
    (b"http://a.example/\nhttp://a.example/\x00b", "{}:2:1: not a URL: NUL byte at character 18; "),
    (b"http://a.example/\thttp://b.example/", "{}:1:1: not a URL: control character '\\t' at character 18; "),
    (
        b"http://a.example/b http://b.example/",
        "{}:1:1: two URLs: another begins after the space at character 19; ",
    ),
    (b"\x89PNG\r\n", "{}:1:1: not UTF-8: byte 0x89 at character 1; save the list as UTF-8"),
    (b"# nothing\n", "--urls: no URL in {}"),
]


@pytest.mark.parametrize(("content", "error"), INVALID)
def test_errors_have_the_line(tmp_path, content, error):
    file = tmp_path / "seeds"
    file.write_bytes(content)
    with pytest.raises((click.UsageError, UnusableInput)) as raised:
        start_urls([], [str(file)])
    assert str(raised.value).startswith(error.format(file))
    assert "secret" not in str(raised.value)
    assert str(raised.value).isprintable()


def test_white_space_around_an_argument_is_dropped():
    (found,) = start_urls([" http://a.example/b\n"], []).requests
    assert found.url == "http://a.example/b"


def test_number_of_start_urls_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_START_URLS", 3)
    file = tmp_path / "seeds"
    file.write_text("http://a.example/\n" * 3, encoding="utf-8")
    assert len(start_urls([], [str(file)]).requests) == 3
    with pytest.raises(click.UsageError, match=r":3:1: more than 3 start URLs"):
        start_urls(["http://b.example/"], [str(file)])


def test_standard_input(monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"http://a.example/1\nx\n"), encoding="utf-8")
    )
    with pytest.raises(click.UsageError, match=r"^standard input:2:1: "):
        start_urls([], ["-"])


def test_standard_input_as_an_argument(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"http://a.example/1\n"), encoding="utf-8"))
    found = start_urls(["-", "http://b.example/"], [])
    assert [one.url for one in found.requests] == ["http://b.example/", "http://a.example/1"]
    assert found.urls == ["http://b.example/"]


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
    with pytest.raises(click.UsageError, match=r"^--urls: no URL in standard input$"):
        start_urls([], ["-"])
