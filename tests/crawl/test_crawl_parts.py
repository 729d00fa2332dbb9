"""URLs, scope, file names, worker folders and the job file, without Scrapy."""

import sqlite3
from functools import partial
from hashlib import sha256

import forked_python
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.crawl import contact
from comity.crawl.engine import recover
from comity.crawl.job.entry import LinkRequest, Result
from comity.crawl.job.interface import JobUnavailable
from comity.crawl.job.sqlite import SQLiteJob
from comity.crawl.job.worker import Worker
from comity.crawl.output.mirror import Mirror, name_of
from comity.crawl.scope import Scope, is_private
from comity.crawl.urls import host_of, normalized
from comity.politeness.pace import required_delay

SITE = "http://example.com"
DELAY = required_delay(None, now=0.0)


@pytest.mark.parametrize(
    ("url", "stored_url"),
    [
        ("http://example.com", "http://example.com/"),
        ("http://EXAMPLE.com:80/a#b", "http://example.com/a"),
        ("http://u:p@example.com/a?b#c?d", "http://example.com/a?b"),
        ("http://example.com/a/../../b/./c/..", "http://example.com/b/"),
        ("http://example.com/%2e%2E/a", "http://example.com/a"),
        ("http://example.com?a=/../b", "http://example.com/?a=/../b"),
        ("http://example.com//a", "http://example.com//a"),
        ("https://example.com:8080/", "https://example.com:8080/"),
    ],
)
def test_normalized_urls(url, stored_url):
    assert normalized(url)[1] == stored_url
    assert normalized(stored_url) == normalized(url)


HOSTILE = [
    f"{SITE}/../../etc/passwd",
    f"{SITE}/a/..%2f..%2fetc/passwd",
    f"{SITE}/.git/config",
    f"{SITE}/a/CON",
    f"{SITE}/nul.txt",
    f"{SITE}/a\\..\\b",
    f"{SITE}/{'a' * 5000}",
    f"{SITE}/{'a/' * 3000}b",
    f"{SITE}/a?{'../' * 900}",
    f"{SITE}/a:b",
    f"{SITE}/a.",
    f"{SITE}/\x00\x1b[31m",
    f"{SITE}//",
    f"{SITE}/%part",
]


def is_safe(name):
    parts = name.split("/")
    return (
        len(name) <= 250
        and len(parts) >= 2
        and all(part and part not in (".", "..") and not part.startswith(".") for part in parts)
        and not any(letter in name for letter in '\\:*?"<>|')
        and name.isascii()
        and name.isprintable()
    )


@pytest.mark.parametrize("url", HOSTILE)
def test_names_of_hostile_urls_are_safe(url):
    assert is_safe(name_of(url))


@given(st.text(max_size=300))
def test_every_name_is_safe(path):
    assert is_safe(name_of(f"{SITE}/{path}"))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("/", "example.com/index.html"),
        ("/tea", "example.com/tea"),
        ("/tea/", "example.com/tea/index.html"),
        ("/tea?a=1&b=2", "example.com/tea@a=1&b=2"),
        ("/caf%C3%A9", "example.com/caf%C3%A9"),
    ],
)
def test_names_of_ordinary_urls(url, name):
    assert name_of(SITE + url) == name


def stored(job, entry, mirror, body):
    name = mirror.write(entry.url, body, partial(job.reserve, entry))
    job.finish(entry, Result.of("stored", status=200, size=len(body), file=name))
    mirror.publish(name)
    return name


def test_names_of_pages_differ(tmp_path):
    """Names that differ only in case, in the scheme, or that need a file and a folder of one name."""
    urls = [
        f"{SITE}{path}" for path in ("/a", "/A", "/a/b", "/c/d", "/c", "/x/", "/x/index.html", "/e?f", "/e@f")
    ] + ["https://example.com/a"]
    mirror = Mirror(tmp_path / "mirror")
    with SQLiteJob(tmp_path / "job") as job:
        job.add([LinkRequest(url, normalized(url)[0], 0, "page", True, 0) for url in urls])
        names = {}
        while (origin := job.due()[0]) is not None:
            entry = job.begin(origin, DELAY, None)
            names[entry.url] = stored(job, entry, mirror, entry.url.encode())

    assert len({name.lower() for name in names.values()}) == len(urls)
    assert {(tmp_path / "mirror" / name).read_text() for name in names.values()} == set(urls)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "a/.x", "x", "a//b", "/a/b", "a/b\\c", "a/%part/.."])
def test_publish_rejects_names_outside_the_folder(tmp_path, name):
    mirror = Mirror(tmp_path / "mirror")
    mirror.write(f"{SITE}/a", b"x", lambda _: True)
    with pytest.raises(JobUnavailable, match="not a valid name of a page"):
        mirror.publish(name)


def test_folder_of_a_killed_worker_is_recovered(tmp_path):
    with Worker.lock(tmp_path) as gone:
        gone.assign("the job")
        mirror = Mirror(gone.folder / "mirror")
        name = mirror.write(f"{SITE}/a", b"known", lambda _: True)
        (gone.folder / "crawl.warc.gz").write_bytes(b"known, unknown")
    with Worker.lock(tmp_path / "other") as busy:
        assert [each.folder.name for each in Worker.others(tmp_path / "other")] == []
        assert busy.folder.name == "worker-1"
    [other] = [each for each in Worker.others(tmp_path) if each.belongs_to("the job")]
    recover(other.folder, {"file": name, "sha256": sha256(b"known").hexdigest(), "warc": 5})
    assert (other.folder / "mirror" / name).read_bytes() == b"known"
    assert (other.folder / "crawl.warc.gz").read_bytes() == b"known"


def test_recover_publishes_only_the_recorded_page(tmp_path):
    """A recorded page is renamed; any other temporary file is deleted."""
    mirror = Mirror(tmp_path)
    mirror.recover(None, None)
    name = mirror.write(f"{SITE}/a", b"known", lambda _: True)
    mirror.recover(name, sha256(b"known").hexdigest())
    assert (tmp_path / name).read_bytes() == b"known"
    mirror.write(f"{SITE}/b", b"unknown", lambda _: True)
    mirror.recover(name, sha256(b"known").hexdigest())
    assert (tmp_path / name).read_bytes() == b"known"
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from comity.crawl.engine import recover
from comity.crawl.job.entry import Result, LinkRequest
from comity.crawl.job.sqlite import SQLiteJob
from comity.politeness.pace import required_delay
with SQLiteJob(Path(sys.argv[1])) as job:
    job.add([LinkRequest("http://example.com/", "http://example.com", 0, "page", True, 0)])
    entry = job.begin("http://example.com", required_delay(None, now=0.0), None)
    def links():
        yield LinkRequest("http://example.com/a", "http://example.com", 1, "page", False, 0)
        os.kill(os.getpid(), signal.SIGKILL)
    job.finish(entry, Result.of("stored"), requests=links())
"""


def test_finish_is_atomic(tmp_path):
    run = forked_python.run(["-c", KILLED, str(tmp_path / "job")])
    assert run.returncode < 0
    with SQLiteJob(tmp_path / "job") as job:
        assert job.outcomes() == {"queued": 1}
        assert job.begin(SITE, DELAY, None).url == f"{SITE}/"


def test_job_file_is_locked(tmp_path):
    with SQLiteJob(tmp_path / "job"), pytest.raises(JobUnavailable, match="locked by another crawl"):
        SQLiteJob(tmp_path / "job")


def test_other_files_are_rejected(tmp_path):
    (tmp_path / "text").write_text("not a database, and longer than the header of one" * 30)
    with pytest.raises(JobUnavailable):
        SQLiteJob(tmp_path / "text")
    file = sqlite3.connect(tmp_path / "other")
    file.execute("CREATE TABLE t (x)")
    file.close()
    with pytest.raises(JobUnavailable, match="not a job"):
        SQLiteJob(tmp_path / "other")
    with pytest.raises(JobUnavailable):
        SQLiteJob(tmp_path / "missing" / "job")


@pytest.mark.parametrize("pattern", ["shop", "", "/a b", "/a#b", "/a\nDisallow: /", "/\x1b"])
def test_invalid_patterns(pattern):
    with pytest.raises(ValueError, match="invalid pattern"):
        Scope(depth=1, span_hosts=False, include=(pattern,), exclude=())


def test_skip_reasons():
    scope = Scope(depth=1, span_hosts=True, include=(), exclude=("/no$",))
    assert scope.skip_reason("http://other.example", "http://other.example/", 1) is None
    assert scope.skip_reason(SITE, f"{SITE}/no", 1) == "excluded"
    assert scope.skip_reason(SITE, f"{SITE}/no/more", 1) is None
    assert scope.skip_reason(SITE, f"{SITE}/{'a' * 9000}", 0) == "too-long"
    assert host_of("http://example.com") == host_of("https://example.com")


PRIVATE = [
    "127.0.0.1", "127.0.0.1:8080", "10.1.2.3", "169.254.169.254", "192.168.0.1", "100.64.0.1", "0.0.0.0", "127.1",
    "2130706433", "0x7f000001", "017700000001", "[::1]", "[::ffff:127.0.0.1]:80", "[fe80::1]", "[fd00::1]",
    "localhost", "localhost:80", "a.localhost", "printer.local", "db.internal", "wiki", "LOCALHOST.",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
def test_links_from_public_to_private_hosts_are_skipped(host):
    scope = Scope(depth=1, span_hosts=True, include=(), exclude=())
    scope.hosts.add("example.com")
    assert scope.skip_reason(f"http://{host}", f"http://{host}/", 1) == "private-host"
    assert scope.skip_reason("http://example.net", "http://example.net/", 1) is None
    scope.hosts.add("127.0.0.1:8000")  # a private start host
    assert scope.skip_reason(f"http://{host}", f"http://{host}/", 1) is None


@pytest.mark.parametrize(
    "host", ["example.com", "8.8.8.8", "[2606:4700::1111]", "local.example", "1e100.net"]
)
def test_public_hosts(host):
    assert not is_private(f"https://{host}:8443")


def test_contact_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(contact, "default_path", lambda: tmp_path / "comity" / "crawl.toml")
    assert contact.load() is None
    contact.store('https://example.com/"bot"\\')
    assert contact.load() == 'https://example.com/"bot"\\'
    (tmp_path / "comity" / "crawl.toml").write_text("contact = 1")
    with pytest.raises(ValueError, match="not a string"):
        contact.load()
