"""`comity.tidy`: the canonical layout, and that it keeps the meaning in every dialect."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import DIALECT_NAMES, agents, bodies, dialects, line_lists, urls

import comity
from comity.site.compare.equivalence import meaning, same_meaning
from comity.site.formatting.layout import LIMIT, format_or_reason

CORPUS = os.environ.get("COMITY_CORPUS")
FILES = sorted(Path(CORPUS).iterdir()) if CORPUS and Path(CORPUS).is_dir() else []

#: (source, case, before, after; None if unchanged)
TABLE = [
    ("comity", "an empty file", b"", b""),
    ("rfc 2.2", "names of fields", b"USER-AGENT: *\ndisallow: /x\n", b"User-agent: *\nDisallow: /x\n"),
    ("comity", "the space after the colon", b"Disallow :/x\nAllow:\t /y\n", b"Disallow: /x\nAllow: /y\n"),
    ("comity", "no space after a colon that ends the line", b"Disallow: \n", b"Disallow:\n"),
    ("rfc 2.2", "CR and CRLF", b"Allow: /a\rAllow: /b\r\nAllow: /c", b"Allow: /a\nAllow: /b\nAllow: /c\n"),
    ("comity", "form feeds around a value", b"\x0cAllow: /a\x0b\n\x0c# b\n", b"Allow: /a\n# b\n"),
    ("comity", "form feeds inside a value", b"Allow: /a\x0cb\n", b"Allow: /a\x0cb\n"),
    ("comity", "the byte order mark", b"\xef\xbb\xbf# a\n", b"# a\n"),
    ("google", "two byte order marks, the second is text", b"\xef\xbb\xbf\xef\xbb\xbfAllow: /\n", None),
    ("google", "a truncated byte order mark", b"\xefAllow: /\n", None),
    (
        "google",
        "a late byte order mark stays off the first line",
        b"\n\n\xef\xbb\xbfAllow:/\n",
        b"\n\xef\xbb\xbfAllow:/\n",
    ),
    ("comity", "comments", b"  #a  b \t\n# c\n#\n", b"#a  b\n# c\n#\n"),
    (
        "comity",
        "comments after a value",
        b"Allow: /a#b\nAllow: /c \t # d #e\n",
        b"Allow: /a #b\nAllow: /c # d #e\n",
    ),
    ("comity", "a comment without a value", b"Disallow:# all\n", b"Disallow: # all\n"),
    ("vendor ACAP", "a marker in a comment", b"##ACAP version=1.1 \n", b"##ACAP version=1.1\n"),
    ("vendor ACAP", "not a marker because of its indentation", b" ##ACAP version=1.1\n", None),
    ("vendor ACAP", "names in fields", b"ACAP-allow-(Local) :/x\n", b"ACAP-allow-(Local): /x\n"),
    ("google", "a misspelt field", b"Disalow:/x \n", b"Disalow:/x\n"),
    ("google", "a missing colon", b"Disallow /x\n", None),
    ("google", "a field that begins with a name", b"disallowed:/x\n", None),
    ("comity", "an unknown line", b"  =p=:: hello\x85 \n", b"  =p=:: hello\x85\n"),
    ("google", "a NUL ends the value for Google", b"disallow: /a\0 # b \n", b"Disallow: /a\0 # b\n"),
    ("google", "a NUL before the colon", b"disallow\0:/a\n", None),
    (
        "google",
        "Google would read more of a long line",
        b"Disallow:  /" + b"a" * 16_660 + b"\n",
        None,
    ),
    ("comity", "patterns as they are written", b"Allow: /%7ejoe/%c3%a9*$\n", None),
    ("comity", "UTF-16", "Allow:/\r\n\r\n".encode("utf-16"), None),
    ("comity", "UTF-16 without its mark", "Disallow:/a\r\n\r\n".encode("utf-16-be"), None),
    ("comity", "bytes that are not UTF-8", b"Allow: /\xe9\n", None),
    ("comity", "blank lines at both ends", b"\n \nAllow: /\n\n\t\n", b"Allow: /\n"),
    ("comity", "several blank lines", b"# a\n\n \n\x0c\n# b\n", b"# a\n\n# b\n"),
    (
        "rfc 2.2.1",
        "a blank line between groups",
        b"User-agent: a\nDisallow: /\nUser-agent: b\nAllow: /\n",
        b"User-agent: a\nDisallow: /\n\nUser-agent: b\nAllow: /\n",
    ),
    (
        "comity",
        "comments belong to the group below",
        b"User-agent: a\nDisallow: /\n# b\n#\nUser-agent: b\nAllow: /\n",
        b"User-agent: a\nDisallow: /\n\n# b\n#\nUser-agent: b\nAllow: /\n",
    ),
    ("1994", "a blank line ends a record", b"User-agent: a\n\nDisallow: /\n\nDisallow: /b\n", None),
    (
        "1994",
        "no blank line where Allow is not a rule",
        b"User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /\n",
        None,
    ),
    (
        "google",
        "no blank line where Content-Usage is not a rule",
        b"User-agent: a\nContent-Usage: search=y\nUser-agent: b\nDisallow: /\n",
        None,
    ),
    ("rfc 2.2.1", "one run of names", b"User-agent: a\nCrawl-delay: 3\nUser-agent: b\nDisallow: /\n", None),
    (
        "vendor",
        "other fields",
        b"CRAWL-DELAY:1\ncontent-usage:x=y\ncontent-signal:a=no\nsitemap:/s\nhost:a.b\nclean-param:a\nrequest-rate:1/1\n",
        b"Crawl-delay: 1\nContent-Usage: x=y\nContent-Signal: a=no\nSitemap: /s\nHost: a.b\nClean-param: a\nRequest-rate: 1/1\n",
    ),
]


@pytest.mark.parametrize(
    ("before", "after"), [row[2:] for row in TABLE], ids=[f"{row[0]}: {row[1]}" for row in TABLE]
)
def test_layout(before, after):
    assert comity.tidy(before) == (before if after is None else after)


def test_str_is_encoded_as_utf_8():
    assert comity.tidy("Disallow:/caf\u00e9\udce9") == b"Disallow: /caf\xc3\xa9\xe9\n"


def test_other_types_raise():
    with pytest.raises(TypeError, match="expected bytes or str, got list"):
        comity.tidy(["User-agent: *"])


def test_large_file_is_unchanged(monkeypatch):
    limit = LIMIT // 20
    monkeypatch.setattr(sys.modules["comity.site.formatting.layout"], "LIMIT", limit)
    line = b"disallow:/x\n"
    fits = line * (limit // (len(line) + 1))
    grows = line * (limit // len(line))

    assert comity.tidy(fits) == b"Disallow: /x\n" * (limit // (len(line) + 1))
    assert comity.tidy(grows) == grows
    assert comity.tidy(grows + line) == grows + line


def test_body_is_unchanged_if_the_meaning_differs(monkeypatch):
    """The final comparison is independent of the other checks."""
    module = sys.modules["comity.site.formatting.layout"]
    monkeypatch.setattr(module, "_spaced", lambda source, written: [b"User-agent: *"])

    assert comity.tidy(b"user-agent:a\n") == b"user-agent:a\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"User-agent: a\nDisallow: /", b"User-agent: a\n\nDisallow: /"),
        (b"User-agent: a\nDisallow: /", b"User-agent: a\nDisallow: /%2F"),
        (b"User-agent: a\nDisalow: /", b"User-agent: a\nDisallow: /"),
        (b"User-agent: a\nDisallow: /\nAllow: /b", b"User-agent: a\nAllow: /b\nDisallow: /"),
        (b"User-agent: a\nAllow: /\nUser-agent: b", b"User-agent: a\nAllow: /\n\nUser-agent: b\n"),
        (
            b"User-agent: a\nUser-agent: b\nCrawl-delay: 3",
            b"User-agent: a\nCrawl-delay: 3\nUser-agent: b",
        ),
        (b"Sitemap: a", b"Sitemap: b"),
        (b"Disallow: /", b""),
        (b"##ACAP version=1", b"# ACAP version=1"),
        (b"Disallow: /x\0y\nUser-agent: a\nDisallow: /\0y", b"Disallow: /x\0y\nUser-agent: a\nDisallow: /"),
    ],
)
def test_same_meaning_is_false(one, other):
    # The cases without a User-agent line show that rules outside of groups are compared.
    assert same_meaning(one, one)
    assert same_meaning(one, other) is False


@given(bodies | st.binary().map(lambda body: body.replace(b"\x01", b"User-agent:").replace(b"\x02", b"\n")))
def test_meaning_is_kept_and_layout_is_stable(body):
    after = comity.tidy(body)

    for name in DIALECT_NAMES:
        dialect = comity.parse(b"", dialect=name).dialect
        assert meaning(after, dialect) == meaning(body, dialect)
    assert comity.tidy(after) == after


@given(st.data())
def test_mutated_files(data):
    """Inserted bytes that some parser treats specially: marks, NULs, line ends, colons."""
    body = bytearray("\n".join(data.draw(line_lists)).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(body)))
        odd = [
            b"\xef\xbb\xbf",
            b"\xef",
            b"\0",
            b"\r",
            b"\n\n",
            b":",
            b"#",
            b" ",
            b"\x0c",
            b"##ACAP version=1",
        ]
        body[at:at] = data.draw(st.sampled_from(odd))
    after = comity.tidy(bytes(body))

    assert same_meaning(bytes(body), after)
    assert comity.tidy(after) == after


@given(bodies)
@example(b"<")
def test_white_space_and_content(body):
    after, reason = format_or_reason(body)
    if reason.startswith(("UTF-16", "a web page", "not text")):
        assert after == body
        return

    assert after == b"" or after.endswith(b"\n")
    assert b"\r" not in after
    assert b"\n\n\n" not in after
    assert not after.endswith(b"\n\n")

    def content(text):
        return b"".join(text.removeprefix(b"\xef\xbb\xbf").split()).lower()

    assert content(after) == content(body)


@given(bodies, dialects, agents, urls)
def test_answers_are_unchanged(body, dialect, agent, url):
    before, after = (comity.parse(text, dialect=dialect) for text in (body, comity.tidy(body)))
    old, new = before.check(url, agent=agent), after.check(url, agent=agent)

    assert new.allowed is old.allowed
    assert new.reason is old.reason
    assert before.rules_for(agent).crawl_delay == after.rules_for(agent).crawl_delay


@given(bodies, dialects)
def test_automata_find_no_difference(body, dialect):
    """Compares the allowed paths of each robot, not the parsed groups."""
    assert comity.site.equivalent(body, comity.tidy(body), dialect=dialect) is not False


@pytest.mark.skipif(not FILES, reason="needs COMITY_CORPUS, a folder of robots.txt files")
def test_real_files():
    for path in FILES:
        body = path.read_bytes()
        after, reason = format_or_reason(body)
        if after != body:
            found = [comity.site.equivalent(body, after, dialect=dialect) for dialect in DIALECT_NAMES]
            assert False not in found, path  # None if there are too many robots to compare
        assert comity.tidy(after) == after, path
        assert same_meaning(body, after), path
        if len(body) <= LIMIT and not reason.startswith("a web page"):
            assert b"\r" not in after, path
            assert not after.startswith(b"\xef\xbb\xbf"), path


@pytest.mark.parametrize("page", [b"<!DOCTYPE html>\n<p>user-agent:*", b"<html>\n\n\n<p>", b'{"a":1}\r\n'])
def test_web_page_is_not_formatted(page):
    assert format_or_reason(page) == (page, "a web page or JSON, not a robots.txt")
    assert format_or_reason(b"{}\nuser-agent:*\nallow:/")[1] == ""
