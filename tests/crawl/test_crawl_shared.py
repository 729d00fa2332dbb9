"""`comity crawl` by many workers over one Redis server, and over the demonstration's sites, whose logs are the judge."""

import json
import random
import signal
from collections import Counter
from contextlib import contextmanager
from itertools import pairwise

import forked_python
import pytest
from http_server import Server, unused_port
from scrapy_harness import gaps
from store_backends import redis_server
from test_crawl import FETCHED, SITE, STORED, command, environment, page, redirect, robots, run
from warcio.archiveiterator import ArchiveIterator

from comity.cli.demo.crawl import FORBIDDEN, GAP, PAGES, demo_market

OUTCOMES = {"stored": 12, "redirect": 4, "http-error": 1, "disallowed": 3}

OF_THE_MARKET = {"stored": 14, "redirect": 4, "disallowed": 6, "usage-disallowed": 2}

redis = pytest.importorskip("redis")


@pytest.fixture
def server(redis_url):
    """Give the URL of a Redis server that knows nothing yet."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    return redis_url


class Workers:
    """Processes that run the same command in the same folder; each that is killed is started again."""

    def __init__(self, folder, number, *words):
        self._folder = folder
        self._words = command(*words, "--contact", "bot@example.com", "--json")
        self._workers = [self._start() for _ in range(number)]
        self.kills = 0

    def _start(self):
        return forked_python.Popen(
            self._words, cwd=self._folder, env=environment(self._folder),
            stdout=forked_python.PIPE, stderr=forked_python.PIPE, text=True,
        )  # fmt: skip

    def kill(self, dice, times, seconds):
        """Kill one at random after some seconds, so many times, and start it again."""
        for _ in range(times):
            number = dice.randrange(len(self._workers))
            try:
                self._workers[number].wait(dice.uniform(*seconds))
                self._workers[number].communicate()
                return
            except forked_python.TimeoutExpired:
                self._workers[number].kill()
                self._workers[number].communicate()
                self._workers[number] = self._start()
                self.kills += 1

    def end(self):
        """Wait for all, and give what the first tells."""
        told = []
        for worker in self._workers:
            out, err = worker.communicate(timeout=120)
            assert (worker.returncode, err) == (0, "")
            told.append(json.loads(out))
        assert all(one["finished"] for one in told)
        return told[0]


def stored(folder):
    """Give how many times each page is in the mirrors of all workers, by its path without the host."""
    files = [path for path in folder.glob("tea/*/mirror/*/**/*") if path.is_file()]
    return Counter(str(path).partition("/mirror/")[2].partition("/")[2] for path in files)


def recorded(folder, origin):
    """Give how many times each page is in the WARCs of all workers."""
    uris = []
    for path in folder.glob("tea/*/crawl.warc.gz"):
        with path.open("rb") as file:
            for one in ArchiveIterator(file, check_digests="raise"):
                if one.rec_type == "response":
                    uris.append(one.rec_headers.get_header("WARC-Target-URI").removeprefix(origin))
    return Counter(uris)


@pytest.mark.parametrize("output", [(), ("--warc",)])
@pytest.mark.parametrize("kills", [0, 20])
def test_many_workers_have_one_pace_and_lose_nothing(tmp_path, server, output, kills):
    """What is under way at a kill may be asked for again; nothing else is, and nothing is stored twice."""
    with Server(SITE) as site:
        words = (site.origin, "--depth", "3", "--delay", "0.2", "--job", "tea", "--redis", server, *output)
        workers = Workers(tmp_path, 4, *words)
        workers.kill(random.Random(kills), kills, (0.1, 0.5))
        told = workers.end()

        count = Counter(site.paths())
        assert set(count) == FETCHED
        assert sum(count.values()) <= len(FETCHED) + workers.kills
        assert min(gaps(site.visits)) >= 0.2
    assert told["outcomes"] == OUTCOMES
    if output:
        assert recorded(tmp_path, site.origin) | {"/robots.txt": 1} == dict.fromkeys(FETCHED, 1)
    else:
        assert stored(tmp_path) == dict.fromkeys(STORED, 1)


#: The command, which kills itself before or after so many steps on the Redis server, or at so many of its files.
KILLED = """
import os, signal, sys
from pathlib import Path
import redis
from comity.cli import main

where, times = sys.argv.pop(1), int(sys.argv.pop(1))

def count(here):
    global times
    times -= here == where
    if here == where and times == 0:
        os.kill(os.getpid(), signal.SIGKILL)

class Script(redis.commands.core.Script):
    def __call__(self, *arguments, **named):
        count("before")
        done = super().__call__(*arguments, **named)
        count("after")
        return done

def fsync(file, real=os.fsync):
    real(file)
    count("stored")

redis.commands.core.Script = Script
redis.Redis.register_script = lambda self, script: Script(self, script)
os.fsync = fsync
main(["crawl", *sys.argv[1:]])
"""


@pytest.mark.parametrize("output", [(), ("--warc",)])
@pytest.mark.parametrize("where", ["before", "after", "stored"])
def test_a_kill_at_each_step(tmp_path, server, where, output):
    """Whatever is done and not yet known, or known and not yet done, comes to the same in the end."""
    words = ["--depth", "3", "--job", "tea", "--redis", server, *output]
    with Server(SITE) as site:
        kills = 0
        for times in (1, 3, 9) if where == "stored" else (3, 11, 30, 43):
            crawl = forked_python.run(
                ["-c", KILLED, where, str(times), site.origin, "--delay", "0", *words,
                 "--contact", "bot@example.com"],
                cwd=tmp_path, env=environment(tmp_path), stdout=forked_python.DEVNULL,
            )  # fmt: skip
            kills += crawl.returncode == -signal.SIGKILL
            with redis.Redis.from_url(
                server
            ) as client:  # who was killed with a turn in hand has it for half a minute
                client.delete(f"comity:pace:{site.origin}")
        told = run(tmp_path, site.origin, *words, delay=0)

        count = Counter(site.paths())
        assert set(count) == FETCHED
        assert sum(count.values()) <= len(FETCHED) + kills
    assert kills > 2
    assert told.outcomes == OUTCOMES
    if output:
        assert recorded(tmp_path, site.origin) | {"/robots.txt": 1} == dict.fromkeys(FETCHED, 1)
    else:
        assert stored(tmp_path) == dict.fromkeys(STORED, 1)


@contextmanager
def judged(again=0):
    """Give the words that crawl the demonstration's market, and judge what its log and that of the press say."""
    with demo_market() as (market, _, visits, others):
        yield [
            market,
            "--span-hosts",
            "--depth",
            "3",
            "--delay",
            "0.1",
            "--respect",
            "train-ai",
            "--job",
            "tea",
        ]
        count = Counter(visit.path for visit in visits)
        files = {"/robots.txt", "/ai.txt", "/.well-known/tdmrep.json"}
        assert set(count) - files == PAGES
        assert sum(count[path] - 1 for path in PAGES) <= again
        assert {visit.path for visit in others} - files == {"/", "/news"}
        assert not [one.path for one in (*visits, *others) if one.path.startswith(FORBIDDEN)]
        for log, least in ((visits, GAP), (others, GAP)):
            assert min(after.time - before.ended for before, after in pairwise(log)) >= least


def test_the_demonstration_by_one(tmp_path):
    with judged() as words:
        told = run(tmp_path, *words, delay=None)
        assert told.outcomes == OF_THE_MARKET


@pytest.mark.parametrize("kills", [0, 20])
def test_the_demonstration_by_four(tmp_path, server, kills):
    with judged(again=kills) as words:
        workers = Workers(tmp_path, 4, *words, "--redis", server)
        workers.kill(random.Random(11), kills, (0.2, 0.8))
        told = workers.end()
        assert told["outcomes"] == OF_THE_MARKET
        assert kills == 0 or workers.kills >= 5


def test_what_is_redirected_elsewhere_waits_for_its_turn_there(tmp_path, server):
    """One worker is at the second site, the other asks it for the robots.txt of the first."""
    pages = {f"/{number}": page(f"/{number + 1}") for number in range(6)}
    rules = robots("Crawl-delay: 0.4")
    with Server({"/robots.txt": rules, "/rules.txt": rules, **pages}) as there:
        with Server({"/robots.txt": redirect(f"{there.origin}/rules.txt"), "/": page()}) as here:
            words = (
                f"{there.origin}/0",
                f"{here.origin}/",
                "--delay",
                "0.1",
                "--job",
                "tea",
                "--redis",
                server,
            )
            told = Workers(tmp_path, 2, *words).end()

        assert told["outcomes"]["stored"] == 7
        assert "/rules.txt" in there.paths()
        assert min(gaps(there.visits)) >= 0.4


def test_the_report_of_all(tmp_path, server):
    """Any worker can write it, also when all is done."""
    with Server(SITE) as site:
        run(tmp_path, site.origin, "--depth", "1", "--job", "tea", "--redis", server)
        run(tmp_path, "--resume", "--job", "tea", "--redis", server, "--report", "crawl.html")
    text = (tmp_path / "crawl.html").read_text()
    assert "<b>2 disallowed</b>Disallow: /no" in text
    assert f"{site.origin}/b/" in text


def test_a_server_that_lost_the_job(tmp_path, server):
    """What is in the folder is not written over."""
    with Server(SITE) as site:
        words = (site.origin, "--depth", "1", "--job", "tea", "--redis", server, "--warc")
        run(tmp_path, *words)
        before = (tmp_path / "tea" / "worker-1" / "crawl.warc.gz").read_bytes()
        with redis.Redis.from_url(server) as client:
            client.flushdb()
        told = run(tmp_path, *words)

    assert told.status == 3
    assert "it has pages of another job" in told.err
    assert (tmp_path / "tea" / "worker-1" / "crawl.warc.gz").read_bytes() == before


def test_a_server_that_goes_away(tmp_path):
    """The crawl stops and says so."""
    with Server(SITE) as site:
        with redis_server(tmp_path) as url:
            words = command(site.origin, "--delay", "0.2", "--contact", "bot@example.com", "--redis", url)
            crawl = forked_python.Popen(
                words, cwd=tmp_path, env=environment(tmp_path), stderr=forked_python.PIPE, text=True
            )
            while len(site.visits) < 3:
                assert crawl.poll() is None
                site.wait(0.02)
        _, err = crawl.communicate(timeout=60)
        assert crawl.returncode == 3
        assert "the Redis server of the job" in err
        assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["http://shop.example/", "--redis", "localhost"], "invalid --redis URL"),
        (
            ["http://shop.example/", "--redis", f"redis://127.0.0.1:{unused_port()}"],
            "the Redis server of the job",
        ),
        (["--resume", "--redis", "redis://127.0.0.1:1"], "needs the name of the job"),
    ],
)
def test_wrong_usage(tmp_path, words, complaint):
    told = run(tmp_path, *words)

    assert told.status in (2, 3)
    assert complaint in told.err


def test_another_command_for_the_same_job(tmp_path, server):
    with Server(SITE) as site:
        run(tmp_path, f"{site.origin}/b/c", "--job", "tea", "--redis", server)
        told = run(tmp_path, f"{site.origin}/b/c", "--job", "tea", "--redis", server, "--depth", "9")
        assert (told.status, "started with other options (depth: 5)" in told.err) == (2, True)
        run(tmp_path, f"{site.origin}/b/c", "--job", "alone")
        told = run(tmp_path, f"{site.origin}/b/c", "--job", "alone", "--redis", server)
        assert (told.status, "this job is not shared" in told.err) == (2, True)
        told = run(tmp_path, "--resume", "--job", "nobody", "--redis", server)
        assert (told.status, "this job was never started" in told.err) == (2, True)
