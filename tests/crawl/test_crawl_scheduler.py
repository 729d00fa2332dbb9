"""The scheduler of a crawl, by a clock that goes on when it is told to: who is asked when, and who is left."""

import time
from types import SimpleNamespace

import pytest
from http_server import unused_port
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy_harness import Clock, Crawler

from comity.crawl import frontier as module
from comity.crawl.frontier import DuplicateFilter, Scheduler, entry_of
from comity.crawl.job.entry import Entry, LinkRequest, Result, SkippedLink
from comity.crawl.job.interface import INTERRUPTED, LEASE, JobUnavailable
from comity.crawl.job.redis import RedisJob
from comity.crawl.job.sqlite import SQLiteJob
from comity.crawl.spider import CrawlSpider
from comity.errors import MustWait
from comity.integrations.scrapy.pacing import Pacer
from comity.integrations.scrapy.sites import Sites
from comity.politeness.pace import Delay, Lease, Wait, WaitReason

TEA, OTHER = "http://tea.example", "http://other.example"
DEMAND = Delay(gap=0.0, why=WaitReason.GAP, visit_wait=0.0, notes=())
STORED = Result.of("stored", status=200, size=1)


def want(origin, path, depth=0, kind="page"):
    return LinkRequest(f"{origin}{path}", origin, depth, kind, not depth, 0)


def clock_of(job):
    return job._clock if isinstance(job, SQLiteJob) else job._client.clock


def crawl(job, limit=None):
    """Give a scheduler over a job, the clock that it goes by, and what is known of its sites."""
    crawler = Crawler(COMITY_DELAY=1.0)
    crawler._slot = None
    crawler.spider.job, crawler.spider.limit = job, limit
    sites = Sites.of(crawler)
    clock = sites.monotonic = clock_of(job)
    Pacer(crawler, sites)
    scheduler = Scheduler.from_crawler(crawler)
    scheduler.open(crawler.spider)
    return scheduler, clock, sites


@pytest.fixture
def shared(redis_url):
    """Give what opens a job on a server, the same each time, as a worker of a name."""
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()

    return lambda worker="one", clock=None: RedisJob(redis_url, "tea", worker, clock or Clock(1000.0))


@pytest.fixture(params=["sqlite", "redis"])
def home(request, tmp_path):
    """Give what opens a job of either home, the same each time."""
    if request.param == "redis":
        return request.getfixturevalue("shared")
    return lambda clock=None: SQLiteJob(tmp_path / "job", clock or Clock(1000.0))


@pytest.fixture
def job(home):
    with home() as job:
        yield job


def urls(scheduler):
    """Give what is handed out now."""
    given = []
    while (request := scheduler.next_request()) is not None:
        given.append(request.url)
    return given


def test_one_at_a_time_to_an_origin_breadth_first(job):
    job.add([want(TEA, "/deep", 2), want(TEA, "/a"), want(TEA, "/b"), want(OTHER, "/")])
    scheduler, clock, sites = crawl(job)

    assert sorted(urls(scheduler)) == [f"{OTHER}/", f"{TEA}/a"]
    scheduler.finish(scheduler.in_progress[OTHER], STORED)
    scheduler.finish(scheduler.in_progress[TEA], STORED, requests=[want(TEA, "/c", 1), want(TEA, "/deep", 1)])
    sites.site(TEA).ended = clock()
    assert urls(scheduler) == []
    assert scheduler.waits[TEA][0] == pytest.approx(time.time() + 1.0, abs=0.5)
    for path in ("/b", "/deep", "/c"):
        clock.now += 1.0
        assert urls(scheduler) == [f"{TEA}{path}"]
        scheduler.finish(scheduler.in_progress[TEA], STORED)
        sites.site(TEA).ended = clock()
    assert urls(scheduler) == []
    assert not scheduler.has_pending_requests()
    assert job.outcomes() == {"stored": 5}
    assert job.stored_bytes() == 5


def test_back_off_doubles_and_ends_with_an_answer(job):
    job.add([want(TEA, "/a"), want(TEA, "/b")])
    scheduler, clock, _ = crawl(job)
    for seconds in (30.0, 60.0):
        assert urls(scheduler) == [f"{TEA}/a"]
        scheduler.back_off(scheduler.in_progress[TEA], "it answers 503")
        clock.now += seconds - 0.1
        assert urls(scheduler) == []
        clock.now += 0.2
    assert entry_of(scheduler.next_request()).tries == 2
    scheduler.finish(scheduler.in_progress[TEA], STORED)
    clock.now += 2.0
    assert urls(scheduler) == [f"{TEA}/b"]
    scheduler.back_off(scheduler.in_progress[TEA], "it answers 503")
    clock.now += 30.1
    assert urls(scheduler) == [f"{TEA}/b"]


def test_what_must_wait_for_too_long_is_left(job):
    job.add([want(TEA, "/a"), want(OTHER, "/")])
    scheduler, _, _ = crawl(job)
    assert len(urls(scheduler)) == 2
    scheduler.defer(scheduler.in_progress[TEA], seconds=module.MAX_WAIT + 1, why="visits are not welcome")
    scheduler.finish(scheduler.in_progress[OTHER], STORED)

    assert urls(scheduler) == []
    assert job.postponed()[TEA][1] == "visits are not welcome"
    assert not scheduler.has_pending_requests()


@pytest.mark.parametrize(("hopeless", "times"), [(True, 1), (False, 3)])
def test_a_robots_txt_that_cannot_be_had(job, hopeless, times):
    job.add([want(TEA, "/a")])
    scheduler, clock, _ = crawl(job)
    for _ in range(times):
        assert urls(scheduler) == [f"{TEA}/a"]
        scheduler.unreachable(scheduler.in_progress[TEA], time.time() + 60, "no answer", hopeless=hopeless)
        clock.now += 61
    assert urls(scheduler) == []
    assert list(job.postponed()) == [TEA]


def test_distances_are_kept_from_one_run_to_the_next(home):
    clock = Clock(1000.0)
    with home(clock=clock) as job:
        job.add([want(TEA, "/a"), want(TEA, "/b"), want(OTHER, "/")])
        scheduler, _, sites = crawl(job)
        assert len(urls(scheduler)) == 2
        sites.site(TEA).ended = clock()
        scheduler.finish(scheduler.in_progress[TEA], STORED)
        scheduler.defer(scheduler.in_progress[OTHER], seconds=100.0)
        scheduler.close("killed")
    with home(clock=clock) as job:
        scheduler, _, _ = crawl(job)
        assert urls(scheduler) == []  # both were asked a moment ago
        clock.now += 1.1
        assert urls(scheduler) == [f"{TEA}/b"]
        scheduler.finish(scheduler.in_progress[TEA], STORED)
        clock.now += 100
        assert urls(scheduler) == [f"{OTHER}/"]


def test_limit(job):
    """What is under way may be stored, so it counts."""
    job.add([want(TEA, "/a"), want(OTHER, "/"), want(OTHER, "/b")])
    scheduler, clock, _ = crawl(job, limit=2)
    assert len(urls(scheduler)) == 2
    scheduler.finish(scheduler.in_progress[TEA], STORED)
    assert urls(scheduler) == []
    scheduler.finish(scheduler.in_progress[OTHER], Result.of("http-error", status=404))
    clock.now += 5
    assert urls(scheduler) == [f"{OTHER}/b"]
    scheduler.finish(scheduler.in_progress[OTHER], STORED)
    assert not scheduler.has_pending_requests()


def test_as_scrapy_uses_it(job):
    """Requests of others are kept, once; what no job can keep is said."""
    scheduler, _, _ = crawl(job)
    assert scheduler.enqueue_request(Request(f"{TEA}/a#b", meta={"depth": 3}))
    assert not scheduler.enqueue_request(Request(f"{TEA}/a"))
    assert DuplicateFilter(job).request_seen(Request(f"{TEA}/a"))
    with pytest.raises(ValueError, match="only GET requests"):
        scheduler.enqueue_request(Request(f"{TEA}/b", method="POST", body=b"x"))
    request = scheduler.next_request()
    assert (request.url, entry_of(request).depth) == (f"{TEA}/a", 3)


def begun(job, origin=TEA):
    """Begin the next page of an origin."""
    entry = job.begin(origin, DEMAND, None)
    assert isinstance(entry, Entry), entry
    return entry


def test_a_page_that_is_linked_is_one_though_it_is_embedded_too(job):
    job.add([want(TEA, "/a", 3, "resource"), want(TEA, "/b", 3, "resource"), want(TEA, "/c", 2)])
    job.add([want(TEA, "/a", 2), want(TEA, "/b", 1, "resource")])
    job.add([want(TEA, "/a", 1, "resource")])
    seen = []
    for _ in range(3):
        entry = begun(job)
        seen.append((entry.url.removeprefix(TEA), entry.kind, entry.depth))
        job.finish(entry, STORED)
    assert seen == [("/a", "page", 1), ("/b", "resource", 1), ("/c", "page", 2)]


def test_a_job_goes_on_where_it_was(home):
    with home() as job:
        assert job.create([want(TEA, "/"), want(TEA, "/a")], ["tea.example"], options={"depth": 1})
        assert not job.create([want(TEA, "/x")], [], options={"depth": 2})
        first = begun(job)
        assert (first.url, first.start, first.tries) == (f"{TEA}/", True, 0)
        assert job.reserve(first, "tea.example/index.html")
        assert job.finish(
            first,
            Result.of("stored", status=200, size=3, file="tea.example/index.html"),
            requests=[want(TEA, "/a", 1), want(TEA, "/b", 1)],
            skipped=[SkippedLink(f"{TEA}/c\udcff", "nofollow", TEA, 1)] * 2,
            hosts=["other.example"],
            worker_metadata={"warc": 7},
        )
        second = begun(job)
        assert second.url == f"{TEA}/a"
        assert job.due()[0] is None
    with home(clock=Clock(1000.0 + INTERRUPTED)) as job:  # the second was under way
        again = begun(job)
        assert again.replace(tries=0) == second
        assert again.tries == 1
        assert job.metadata() == {"options": {"depth": 1}}
        assert job.start_hosts() == {"tea.example", "other.example"}
        assert job.worker_metadata() == {"warc": 7}
        assert job.outcomes() == {"stored": 1, "queued": 2}
        assert (job.stored_bytes(), job.skipped_counts()) == (3, {"nofollow": 1})
        assert [one.url for one in job.skipped_links(9)] == [f"{TEA}/c\\udcff"]
        for name in ("TEA.example/index.html", "tea.example/index.html/x", "tea.example"):
            assert not job.reserve(again, name)
        assert job.reserve(again, "tea.example/a")
        [(url, depth, start, _, result)] = job.results()
        assert (url, depth, start, result.size) == (f"{TEA}/", 0, True, 3)


def test_a_page_that_is_forced_is_so_in_the_next_run_too(home):
    with home() as job:
        job.add([want(TEA, "/")])
        job.defer(begun(job), count=False, force=True)
    with home() as job:
        entry = begun(job)
        assert (bool(entry.forced), entry.tries) == (True, 0)


def test_one_worker_at_a_time_has_an_origin(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a"), want(TEA, "/b"), want(OTHER, "/")])
        first = begun(one)
        assert two.due() == (OTHER, 0.0)
        assert two.begin(TEA, DEMAND.replace(gap=5.0), None) == Wait(5.0, WaitReason.BUSY)
        one.finish(first, STORED)
        assert two.begin(TEA, DEMAND.replace(gap=5.0), None) == Wait(5.0, WaitReason.GAP)
        clock.now += 5
        assert begun(two).url == f"{TEA}/b"
        assert one.outcomes() == two.outcomes() == {"stored": 1, "queued": 2}


def test_an_answer_that_was_lost(shared):
    """The client asks once more, of a server that has done it by then."""
    with shared("one") as one:
        one.add([want(TEA, "/a"), want(TEA, "/b")])
        entry = begun(one)
        number, holder = one._leases[TEA]
        again = one._client.run("begin", one._store.pace_key(TEA), origin=TEA, holder=holder)
        assert (int(again[0]), again[2]) == (number, 0)
        assert one.finish(entry, STORED, requests=[want(TEA, "/c")])
        one._leases[TEA] = number, holder
        assert one.finish(entry, STORED, requests=[want(TEA, "/c")])
        assert one.outcomes() == {"stored": 1, "queued": 2}


def test_what_a_worker_that_is_gone_had_counts_for_no_limit(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a")])
        begun(one)
        assert two.is_full(1)
        clock.now += LEASE + 1
        assert not two.is_full(1)
        assert isinstance(two.begin(TEA, DEMAND, 1), Entry)


def test_a_worker_that_is_late_changes_nothing(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a"), want(TEA, "/b")])
        late = begun(one)
        clock.now += LEASE + 1
        assert one.renew() == {TEA}  # nobody has it
        clock.now += LEASE + 1
        entry = begun(two)
        assert one.renew() == set()
        assert two.renew() == {TEA}
        one.defer(late, count=False, postpone=(2000.0, "late"))
        one.postpone(TEA, 2000.0, "late")
        assert two.postponed() == {}
        assert two.finish(entry, STORED)
        assert two.due() == (TEA, 0.0)


def test_a_turn_that_somebody_else_has_is_not_held(shared):
    """He may be of another job, or a robot."""
    clock = Clock(1000.0)
    with shared("one", clock) as one:
        one.add([want(TEA, "/a")])
        begun(one)
        clock.now += LEASE + 1
        assert isinstance(one._store.acquire(TEA, DEMAND, "robot", clock(), LEASE), Lease)
        assert one.renew() == set()


def test_who_looks_too_late_at_what_is_under_way_changes_nothing(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a"), want(OTHER, "/a")])
        begun(one)
        two.reschedule(TEA, 1.0)
        clock.now += 2
        assert two.is_full(1)


def test_a_pause_that_was_met_on_a_visit_is_for_all(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        two.add([want(TEA, "/a")])
        holder = one.acquire(TEA, DEMAND)
        assert isinstance(two.begin(TEA, DEMAND, None), Wait)
        one.release(TEA, holder, 60.0)
        assert two.begin(TEA, DEMAND, None) == Wait(60.0, WaitReason.RETRY_AFTER)


def test_who_had_no_turn_by_then_takes_no_page(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a")])
        one._store.acquire(TEA, DEMAND, "slow", clock(), LEASE)
        clock.now += LEASE + 1
        entry = begun(two)
        assert one._client.run("begin", one._store.pace_key(TEA), origin=TEA, holder="slow") == []
        assert two.finish(entry, STORED)


def test_a_turn_in_which_nothing_was_sent_has_no_gap(home):
    with home() as job:
        job.add([want(TEA, "/a"), want(TEA, "/b")])
        job.finish(begun(job), Result.of("disallowed"), sent=False)
        assert isinstance(job.begin(TEA, DEMAND.replace(gap=9.0), None), Entry)


def test_a_request_that_comes_after_its_turn_is_not_sent(job):
    job.add([want(TEA, "/a")])
    scheduler, clock, sites = crawl(job)
    request = scheduler.next_request()
    assert sites.pacer.refusal(request) is None
    clock.now += LEASE + 1
    refusal = sites.pacer.refusal(request)
    if isinstance(job, SQLiteJob):  # nobody else could have taken it
        assert refusal is None
    else:
        assert refusal.reason == WaitReason.BUSY.value


def test_what_somebody_else_has_by_now_keeps_nobody_waiting():
    """Nor is its site left alone for ever, by this worker or by all."""
    told = []
    scheduler, spider = object.__new__(Scheduler), object.__new__(CrawlSpider)
    scheduler.defer = lambda entry, **named: told.append(named["seconds"])
    spider.crawler = SimpleNamespace(engine=SimpleNamespace(scheduler=scheduler))
    for seconds in (float("inf"), 7.0):
        spider._process_error(None, MustWait(f"{TEA}/a", seconds, WaitReason.BUSY.value))
    assert told == [0.0, 7.0]


def test_a_server_that_lost_the_job_is_told_from_one_that_has_it(shared, redis_url):
    redis = pytest.importorskip("redis")
    with shared("one") as one:
        one.create([want(TEA, "/a")], [], id="first")
        with redis.Redis.from_url(redis_url) as client:
            client.flushdb()
        with pytest.raises(JobUnavailable, match="it has lost the job"):
            one.due()
        one._client.id = None


def test_a_server_that_forgets_is_refused(shared, redis_url):
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(redis_url) as client:
        try:
            client.config_set("maxmemory", "100mb")
            client.config_set("maxmemory-policy", "allkeys-lru")
            with pytest.raises(JobUnavailable, match="set it to noeviction"):
                shared("one")
        finally:
            client.config_set("maxmemory", "0")
            client.config_set("maxmemory-policy", "noeviction")


def test_what_a_server_says_is_no_page_of_ours(shared, redis_url):
    """Whoever can write there has nothing read from this machine, and nothing written elsewhere."""
    redis = pytest.importorskip("redis")
    with shared("one") as one, redis.Redis.from_url(redis_url) as client:
        one.add([want(TEA, "/a")])
        client.hset(
            "comity:job:tea:page", 1, '["file:///etc/passwd", "http://tea.example", 0, "page", true, 0]'
        )
        with pytest.raises(JobUnavailable, match="is not a page"):
            one.begin(TEA, DEMAND, None)


def test_what_a_worker_that_is_gone_had_is_done_by_another_and_once(shared):
    """It may only have been slow, and come back: what it has then is taken from nobody."""
    clock = Clock(1000.0)
    with shared("one", clock) as one, shared("two", clock) as two:
        one.add([want(TEA, "/a")])
        late = begun(one)
        clock.now += LEASE - 1
        one.renew()
        clock.now += LEASE - 1
        assert two.due()[0] is None
        assert isinstance(two.begin(TEA, DEMAND, None), Wait)
        clock.now += 2
        assert two.due() == (TEA, 0.0)
        taken = begun(two)
        assert (taken.url, taken.tries) == (late.url, 1)
        assert not one.finish(late, STORED, requests=[want(TEA, "/b")], worker_metadata={"warc": 1})
        one.defer(late, count=True)
        assert one.worker_metadata() == {}
        assert two.finish(taken, STORED)
        assert two.outcomes() == {"stored": 1}
        assert not two.pending(None)


def test_a_worker_that_comes_back_has_what_it_had(shared):
    clock = Clock(1000.0)
    with shared("one", clock) as killed, shared("two", clock) as two:
        killed.add([want(TEA, "/a")])
        begun(killed)
        assert two.pending(None)
        with shared("one", clock) as one:
            assert one.due() == (TEA, 0.0)
            assert one.begin(TEA, DEMAND.replace(gap=2.0), None) == Wait(2.0 + INTERRUPTED, WaitReason.GAP)
            clock.now += 2 + INTERRUPTED
            assert begun(one).tries == 1


def test_what_is_left_is_so_for_all_until_the_next_run(shared):
    with shared("one") as one:
        with shared("two") as two:
            two.add([want(TEA, "/a")])
            two.defer(begun(two), count=False)
            assert (one.count_failure(TEA), two.count_failure(TEA)) == (1, 2)
            two.postpone(TEA, 5000.0, "no answer")
        one.add([want(TEA, "/b")])
        with shared("three") as three:
            assert three.postponed() == {TEA: (5000.0, "no answer")}
            assert not three.pending(None)
    with shared("two") as two:
        assert two.postponed() == {}
        assert two.due() == (TEA, 0.0)


def test_the_limit_is_that_of_all(shared):
    with shared("one") as one, shared("two") as two:
        one.add([want(TEA, "/a"), want(OTHER, "/a")])
        entry = begun(one)
        assert two.is_full(1)
        assert two.begin(OTHER, DEMAND, 1) is None
        one.finish(entry, Result.of("http-error", status=404))
        assert isinstance(two.begin(OTHER, DEMAND, 1), Entry)


def test_names_are_one_workers_alone(shared):
    with shared("one") as one, shared("two") as two:
        one.add([want(TEA, "/a"), want(OTHER, "/a")])
        first, second = begun(one), begun(two, OTHER)
        assert one.reserve(first, "a/B")
        assert one.reserve(first, "a/b")  # it is its own
        for name in ("a/b", "A", "a/b/c"):
            assert not two.reserve(second, name)


def test_a_server_that_is_gone():
    with pytest.raises(JobUnavailable, match="the Redis server of the job"):
        RedisJob(f"redis://127.0.0.1:{unused_port()}", "tea", "one")


PATHS = st.tuples(
    st.sampled_from([TEA, OTHER]),
    st.sampled_from(["/a", "/b", "/c", "/d"]),
    st.integers(0, 3),
    st.sampled_from(["page", "resource", "sitemap"]),
)
ORIGINS = st.sampled_from([TEA, OTHER])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), ORIGINS, st.sampled_from(["stored", "failed", "defer", "count", "force"]),
                  st.lists(PATHS, max_size=2)),
        st.tuples(st.just("add"), st.lists(PATHS, max_size=3)),
        st.tuples(st.sampled_from(["leave", "open"]), ORIGINS),
    ),
    min_size=12,
    max_size=30,
)  # fmt: skip


def play(opened, steps):
    """Do the steps with a job, and give all that it says."""
    said, held = [], {}
    job = opened()
    job.add([want(origin, path, 2) for origin in (TEA, OTHER) for path in ("/a", "/b", "/c")])
    for step, *words in steps:
        if step == "add":
            job.add([want(*path) for path in words[0]])
        elif step == "turn" and words[0] not in held:
            entry = job.begin(words[0], DEMAND, 3)
            if entry is not None:
                held[words[0]] = entry
                entry = entry.replace(start=bool(entry.start), forced=bool(entry.forced))
            said.append(entry)
        elif step == "turn" and words[1] in ("stored", "failed"):
            result = Result.of(words[1], size=len(said), reason="\udc80")
            omissions = [SkippedLink(f"{TEA}/x", reason, TEA, None) for reason in ("nofollow", "too-deep")]
            wants = [want(*path) for path in words[2]]
            said.append(job.finish(held.pop(words[0]), result, requests=wants, skipped=omissions))
        elif step == "turn":
            job.defer(held.pop(words[0]), count=words[1] == "count", force=words[1] == "force")
        elif step == "leave" and words[0] not in held:
            job.postpone(words[0], 1.0, "why")
        elif step == "open":
            job.close()
            job, held = opened(), {}
            clock_of(job).now += INTERRUPTED
        results = [(url, depth, start, result) for url, depth, start, _, result in job.results()]
        said.append(
            (
                job.outcomes(),
                job.stored_bytes(),
                job.skipped_counts(),
                job.postponed(),
                job.queued(),
                results,
                job.is_full(3),
            )
        )
        said.append([job.knows(f"{TEA}{path}") for path in ("/a", "/b")])
    said.append(sorted(one.url for one in job.skipped_links(9)))
    job.close()
    return said


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_both_homes_say_the_same(redis_url, tmp_path_factory, steps):
    redis = pytest.importorskip("redis")
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    file = tmp_path_factory.mktemp("job") / "job"
    clock = Clock(1000.0)
    assert play(lambda: SQLiteJob(file, clock), steps) == play(
        lambda: RedisJob(redis_url, "tea", "one", clock), steps
    )
