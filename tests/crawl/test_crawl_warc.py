"""WARC files of a crawl: records, revisits, rotation, the index, and recovery after a kill."""

import gzip
import json
import os
from collections import Counter
from itertools import count

import pytest
from warc_exchanges import SITE, exchange
from warcio.archiveiterator import ArchiveIterator

from comity.crawl.output.warc import Position, Warc, recover
from comity.crawl.output.warc_index import WarcIndex, sort_key


@pytest.fixture
def warc(tmp_path):
    opened = Warc(tmp_path, None, [("robots", "obey")])
    yield opened
    opened.close()


def records(folder, *kinds):
    """Return the header, the HTTP header and the body of each record of some kinds, with checked digests."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            for one in ArchiveIterator(file, check_digests="raise"):
                content = one.raw_stream.read()
                if not kinds or one.rec_type in kinds:
                    found.append((one.rec_headers.get_header, one.http_headers, content))
    return found


def listed(path):
    """Return the lines of a CDXJ file as key, timestamp and JSON."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines)
    return [(*line.split(" ", 2)[:2], json.loads(line.split(" ", 2)[2])) for line in lines]


def test_each_record_names_the_first_record_of_its_file(tmp_path, warc):
    warc.write(exchange(), [("verdict", "allowed\r\nby nobody")])
    (info, _, about), *others = records(tmp_path)
    assert b"robots: obey\r\n" in about
    assert [get("WARC-Type") for get, _, _ in others] == ["response", "request", "metadata"]
    assert {get("WARC-Warcinfo-ID") for get, _, _ in others} == {info("WARC-Record-ID")}
    assert others[2][2] == b"verdict: allowed by nobody\r\n"


def test_header_has_the_bytes_that_were_received(tmp_path, warc):
    fields = ("x-odd: 1", "X-Fold: a", "  b", "X-ODD: \xe9\x00\xff", "transfer-encoding: chunked", "no colon")
    sent = exchange(fields=fields)
    warc.write(sent)
    data = gzip.decompress((tmp_path / "crawl.warc.gz").read_bytes())
    kept = sent.head.replace(b"transfer-encoding", b"X-Orig-transfer-encoding")
    assert kept + b"<p>tea\r\n\r\n" in data
    assert b"secret" not in data


def test_header_that_readers_refuse_is_cut(tmp_path, warc):
    warc.write(exchange(fields=[f"x-{number}: {'y' * 90}" for number in range(900)]))
    [(_, head, body)] = records(tmp_path, "response")
    assert body == b"<p>tea"
    assert len(head.headers) < 900
    assert head.headers[-1] == (f"x-{len(head.headers) - 2}", "y" * 90)


@pytest.mark.parametrize("truncated", ["length", "time", "disconnect"])
def test_truncated_body_is_kept_and_never_referred_to(tmp_path, warc, truncated):
    warc.write(exchange("/a", truncated=truncated))
    warc.write(exchange("/b"))
    found = records(tmp_path, "response", "revisit")
    assert [(get("WARC-Type"), get("WARC-Truncated"), body) for get, _, body in found] == [
        ("response", truncated, b"<p>tea"),
        ("response", None, b"<p>tea"),
    ]


def test_same_body_becomes_a_revisit(tmp_path, warc):
    for path in ("/a", "/b", "/a"):
        warc.write(exchange(path))
    (original, _, _), (other, head, body), (again, _, _) = records(tmp_path, "response", "revisit")
    assert other("WARC-Profile").endswith("/revisit/identical-payload-digest")
    for get in (other, again):
        assert get("WARC-Type") == "revisit"
        assert get("WARC-Truncated") == "length"
        assert get("WARC-Refers-To-Target-URI") == f"{SITE}/a"
        assert get("WARC-Refers-To-Date") == original("WARC-Date")
        assert get("WARC-Payload-Digest") == original("WARC-Payload-Digest")
    assert (head.get_statuscode(), body) == ("200", b"")


def test_empty_bodies_are_no_revisits(tmp_path, warc):
    for path in ("/a", "/b"):
        warc.write(exchange(path, b""))
    assert len(records(tmp_path, "response")) == 2


def test_answer_304_refers_to_the_last_body_of_the_url(tmp_path, warc):
    warc.write(exchange("/same", b"<p>old"))
    warc.write(exchange("/", b"<p>older"))
    warc.write(exchange("/", b"<p>old"))  # a revisit; the next one refers to its original
    warc.write(exchange("/", b"", status=304, known='"a"', fields=['ETag: "a"']), [("depth", "1")])
    warc.write(exchange("/unknown", b"", status=304, known='"a"'))
    metadata, _ = (content for _, _, content in records(tmp_path, "metadata"))
    assert metadata.startswith(b"depth: 1\r\nreceived: HTTP/1.1 304 Fine\r\nreceived: content-TYPE: ")
    assert metadata.endswith(b'received: ETag: "a"\r\n')
    originals = records(tmp_path, "response")
    _, (known, _, block), (unknown, _, _) = records(tmp_path, "revisit")
    assert (known("Content-Length"), block) == ("0", b"")
    assert known("WARC-Profile").endswith("/revisit/server-not-modified")
    assert known("WARC-Refers-To-Target-URI") == f"{SITE}/same"
    assert known("WARC-Refers-To-Date") == originals[0][0]("WARC-Date")
    assert unknown("WARC-Refers-To-Target-URI") == f"{SITE}/unknown"
    assert unknown("WARC-Refers-To-Date") is None


def test_answer_304_without_a_condition_is_a_response(tmp_path, warc):
    """It refers to no stored body."""
    warc.write(exchange("/", b"<p>tea"))
    warc.write(exchange("/", b"", status=304))
    assert not records(tmp_path, "revisit")
    _, (_, head, body) = records(tmp_path, "response")
    assert (head.get_statuscode(), body) == ("304", b"")


def test_cdxj_lists_the_responses(tmp_path, warc):
    for path in ("/b?y=2&x=1", "/A/", "/b"):
        warc.write(exchange(path))
    warc.write(exchange("/gone", b"no", status=404))
    warc.write(exchange("/b", b"", status=304, known='"a"'))
    warc.write(exchange("/elsewhere", b"", status=304, known='"a"'))  # cannot be replayed, so it has no line
    warc.close()
    lines = listed(tmp_path / "crawl.cdxj")
    assert [key for key, _, _ in lines] == [
        "example,tea)/a",
        "example,tea)/b",
        "example,tea)/b",
        "example,tea)/b?x=1&y=2",
        "example,tea)/gone",
    ]
    assert Counter((each["mime"], each.get("status")) for _, _, each in lines) == {
        ("warc/revisit", "200"): 2,
        ("warc/revisit", None): 1,
        ("text/html", "200"): 1,
        ("text/html", "404"): 1,
    }
    data = (tmp_path / "crawl.warc.gz").read_bytes()
    for _, timestamp, each in lines:
        start = int(each["offset"])
        record = gzip.decompress(data[start : start + int(each["length"])]).decode("latin-1")
        assert f"WARC-Target-URI: {each['url']}\r\n" in record
        assert f"WARC-Payload-Digest: {each['digest']}\r\n" in record
        assert f"WARC-Date: {timestamp[:4]}-" in record
        assert each["filename"] == "crawl.warc.gz"

    (tmp_path / "warc.sqlite3").unlink()
    (tmp_path / "crawl.cdxj").unlink()
    recover(tmp_path, warc.position)
    assert listed(tmp_path / "crawl.cdxj") == lines


def series(folder, max_size, bodies):
    """Write bodies to a series of files; return the last position."""
    warc = Warc(folder, None, [], max_size)
    position = None
    for number, body in enumerate(bodies):
        position = warc.write(exchange(f"/{number}", body))
    warc.close()
    return position


def test_files_stay_below_their_size(tmp_path):
    bodies = [bytes([number]) * 10 for number in range(12)]
    series(tmp_path, 4000, bodies)
    files = sorted(tmp_path.glob("crawl-*.warc.gz"))
    assert len(files) > 2
    assert max(file.stat().st_size for file in files) <= 4000
    assert [name.name.split("-")[2] for name in files] == [f"{number:05}" for number in range(len(files))]
    assert len({name.name.split("-")[3] for name in files}) == 1
    assert len(records(tmp_path, "warcinfo")) == len(files)
    assert [body for _, _, body in records(tmp_path, "response")] == bodies
    names = [each["filename"] for path in sorted(tmp_path.glob("*.cdxj")) for _, _, each in listed(path)]
    assert names == sorted(names)
    assert set(names) == {file.name for file in files}


def test_large_exchange_has_a_file_of_its_own(tmp_path):
    series(tmp_path, 1000, [b"a", b"".join(number.to_bytes(2) for number in range(4000)), b"c"])
    assert len(records(tmp_path, "response")) == len(list(tmp_path.glob("*.cdxj"))) == 3


@pytest.mark.parametrize("lost", ["nothing", "index", "rows", "cdxj"])
@pytest.mark.parametrize("extra", [0, 1, 2, 5])
def test_recovery_restores_the_recorded_position(tmp_path, lost, extra):
    """Exchanges after the position, also in later files, are removed, and the CDXJ is written again."""
    warc = Warc(tmp_path, None, [], 3000)
    position = None
    for number in range(6):
        position = warc.write(exchange(f"/{number}", bytes([number // 2]) * 9))
    for number in range(extra):
        warc.write(exchange(f"/extra{number}", bytes([99 + number]) * 9))
    warc.close()
    if lost == "index":
        (tmp_path / "warc.sqlite3").write_bytes(b"not a database")
    elif lost == "rows":
        warc._index.__init__(tmp_path)
        warc._index.cut(position.file, 0)
        warc._index.close()
    elif lost == "cdxj":
        for path in tmp_path.glob("*.cdxj"):
            path.unlink()
            warc._index.__init__(tmp_path)
            warc._index._connection.execute("UPDATE file SET listed = 0")
            warc._index.close()

    recover(tmp_path, position)
    assert (tmp_path / position.file).stat().st_size == position.size
    found = records(tmp_path, "response", "revisit")
    assert [get("WARC-Target-URI") for get, _, _ in found] == [f"{SITE}/{number}" for number in range(6)]
    lines = [line for path in sorted(tmp_path.glob("*.cdxj")) for line in listed(path)]
    assert sorted(key for key, _, _ in lines) == [sort_key(f"{SITE}/{number}") for number in range(6)]

    again = Warc(tmp_path, position, [], 3000)
    again.write(exchange("/again", bytes([2]) * 9))
    again.close()
    assert records(tmp_path, "revisit")[-1][0]("WARC-Target-URI") == f"{SITE}/again"


def test_undo_removes_an_exchange_and_its_original(tmp_path, warc):
    before = warc.position
    warc.write(exchange("/a"))
    warc.undo(before)
    warc.write(exchange("/b"))
    [(get, _, _)] = records(tmp_path, "response")
    assert get("WARC-Target-URI") == f"{SITE}/b"


def test_undo_of_the_first_exchange_of_a_file(tmp_path):
    warc = Warc(tmp_path, None, [], 1000)
    positions = [warc.write(exchange("/a", b"a"))]
    for number in count():
        positions.append(warc.write(exchange(f"/{number}", bytes([number]))))
        if positions[-1].file != positions[0].file:
            break
    warc.undo(positions[-2])
    last = warc.write(exchange("/last", b"last"))
    warc.close()
    assert last.file == positions[-1].file
    assert records(tmp_path, "response")[-1][0]("WARC-Target-URI") == f"{SITE}/last"
    recover(tmp_path, positions[-2])  # as if the last exchange was not recorded
    assert not (tmp_path / last.file).exists()


@pytest.mark.parametrize("size", [10, 10_000])
def test_missing_and_short_files_are_errors(tmp_path, size):
    position = series(tmp_path, None, [b"a"])
    if size < position.size:
        (tmp_path / position.file).unlink()
    with pytest.raises(OSError, match="missing|shorter"):
        recover(tmp_path, position._replace(size=size))


@pytest.mark.parametrize("name", ["../crawl.warc.gz", "/etc/passwd", "crawl-1.warc.gz", "job.sqlite3", 7])
def test_position_has_only_names_of_warc_files(name):
    assert Position.of({"warc": 7, "warc_file": name}) is None


#: URLs and their keys, as `surt` 0.3.1 and so pywb and cdxj-indexer make them.
KEYS = [
    ("http://www.example.com/", "com,example)/"),
    ("https://www2.example.com:8443/A/B/", "com,example:8443)/a/b"),
    ("http://example.com/a//b/%2e%2E/./c?", "com,example)/a/c"),
    ("http://example.com/?b=1&a=2&a&a=", "com,example)/?a&a=&a=2&b=1"),
    ("http://example.com/%C3%A9?q=%C3%A9", "com,example)/%c3%a9?q=%c3%a9"),
    ("http://example.com/%2525%32%33", "com,example)/%23"),
    ("http://example.com/a?x=1&PHPSESSID=" + "0" * 32, "com,example)/a?&x=1"),
    ("http://example.com/a?jsessionid=" + "F" * 32 + "&x=1", "com,example)/a?x=1"),
    ("http://example.com/a/(S(" + "a" * 24 + "))/b.aspx", "com,example)/a/b.aspx"),
    ("http://[::1]:8080/a", "::1:8080)/a"),
    ("http://192.0.2.7/a", "7,2,0,192)/a"),
    ("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"),
]


@pytest.mark.parametrize(("url", "key"), KEYS, ids=map(str, range(len(KEYS))))
def test_sort_keys_are_those_of_pywb(url, key):
    assert sort_key(url) == key


class Killed(BaseException):
    """Stands for SIGKILL: no handler of the program runs after it."""


def killed_at(monkeypatch, step):
    """End the program at a step: before or after a change of a file, or in the middle of a write."""
    steps = iter(range(step + 1))

    def step_over():
        if next(steps, None) == step:
            monkeypatch.undo()
            raise Killed

    def change(real):
        def changed(*arguments):
            step_over()
            done = real(*arguments)
            step_over()
            return done

        return changed

    def write(file, data, real=os.write):
        step_over()
        real(file, data[: len(data) // 2])
        step_over()
        return real(file, data[len(data) // 2 :]) + len(data) // 2

    for name in ("ftruncate", "replace", "fsync", "truncate"):
        monkeypatch.setattr(os, name, change(getattr(os, name)))
    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(WarcIndex, "add", change(WarcIndex.add))
    monkeypatch.setattr(WarcIndex, "set_listed", change(WarcIndex.set_listed))


def test_kill_at_any_step_loses_and_repeats_nothing(tmp_path, monkeypatch):
    """Each run ends one step later than the run before it, and the next run continues."""
    recorded, written, steps = None, 0, 0
    opened = []

    def opening(self, real=WarcIndex._open):
        opened.append(self)
        real(self)

    while written < 12:
        killed_at(monkeypatch, steps % 17 + 3)
        monkeypatch.setattr(WarcIndex, "_open", opening)
        steps += 1
        try:
            warc = Warc(tmp_path, recorded, [], 2500)
            while written < 12:
                recorded = warc.write(exchange(f"/{written}", bytes([written // 2]) * 99))
                written += 1
            warc.close()
        except Killed:
            while opened:
                opened.pop().close()  # as the end of the process would
    monkeypatch.undo()
    Warc(tmp_path, recorded, [], 2500).close()

    found = records(tmp_path, "response", "revisit")
    assert [get("WARC-Target-URI") for get, _, _ in found] == [f"{SITE}/{number}" for number in range(12)]
    originals = {(get("WARC-Target-URI"), get("WARC-Date")) for get, _, _ in found}
    assert originals >= {
        (get("WARC-Refers-To-Target-URI"), get("WARC-Refers-To-Date"))
        for get, _, _ in found
        if get("WARC-Type") == "revisit"
    }
    assert [get("WARC-Type") for get, _, _ in found] == ["response", "revisit"] * 6
    keys = [key for path in sorted(tmp_path.glob("*.cdxj")) for key, _, _ in listed(path)]
    assert sorted(keys) == sorted(sort_key(f"{SITE}/{number}") for number in range(12))
    assert steps > 17


def test_index_that_cannot_be_opened_is_an_error(tmp_path):
    (tmp_path / "warc.sqlite3").mkdir()
    with pytest.raises(OSError, match="warc.sqlite3"):
        Warc(tmp_path, None, [])
