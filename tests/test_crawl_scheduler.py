"""The scheduler of a crawl, by a clock that goes on when it is told to: who is asked when, and who is left."""

import time

import pytest
from scrapy import Request

from comity.crawl import scheduler as module
from comity.crawl.entry import Result, Want
from comity.crawl.job import Job
from comity.crawl.scheduler import DuplicateFilter, Scheduler, entry_of
from comity.integrations.scrapy.pacing import Pacer
from comity.integrations.scrapy.sites import Sites
from crawling import Clock, Crawler

TEA, OTHER = "http://tea.example", "http://other.example"
STORED = Result.of("stored", status=200, octets=1)


def want(origin, path, depth=0, kind="page"):
    return Want(f"{origin}{path}", origin, depth, kind, not depth, 0)


def crawl(job, limit=None):
    """Give a scheduler over a job, the clock that it goes by, and what is known of its sites."""
    crawler = Crawler(COMITY_DELAY=1.0)
    crawler._slot = None
    crawler.spider.job, crawler.spider.limit = job, limit
    sites = Sites.of(crawler)
    clock = sites.monotonic = Clock(1000.0)
    Pacer(crawler, sites)
    scheduler = Scheduler.from_crawler(crawler)
    scheduler.open(crawler.spider)
    return scheduler, clock, sites


@pytest.fixture
def job(tmp_path):
    with Job(tmp_path / "job") as job:
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

    assert urls(scheduler) == [f"{TEA}/a", f"{OTHER}/"]
    scheduler.finish(scheduler.under_way[TEA], STORED, wants=[want(TEA, "/c", 1), want(TEA, "/deep", 1)])
    sites.site(TEA).ended = clock()
    assert urls(scheduler) == []
    assert scheduler.waits[TEA][0] == pytest.approx(time.time() + 1.0, abs=0.5)
    for path in ("/b", "/deep", "/c"):
        clock.now += 1.0
        assert urls(scheduler) == [f"{TEA}{path}"]
        scheduler.finish(scheduler.under_way[TEA], STORED)
        sites.site(TEA).ended = clock()
    assert urls(scheduler) == []
    assert not scheduler.has_pending_requests()
    assert scheduler.outcomes["stored"] == 4
    assert scheduler.octets == 4


def test_back_off_doubles_and_ends_with_an_answer(job):
    job.add([want(TEA, "/a"), want(TEA, "/b")])
    scheduler, clock, _ = crawl(job)
    for seconds in (30.0, 60.0):
        assert urls(scheduler) == [f"{TEA}/a"]
        scheduler.back_off(scheduler.under_way[TEA], "it answers 503")
        clock.now += seconds - 0.1
        assert urls(scheduler) == []
        clock.now += 0.2
    assert entry_of(scheduler.next_request()).tries == 2
    scheduler.finish(scheduler.under_way[TEA], STORED)
    clock.now += 2.0
    assert urls(scheduler) == [f"{TEA}/b"]
    scheduler.back_off(scheduler.under_way[TEA], "it answers 503")
    clock.now += 30.1
    assert urls(scheduler) == [f"{TEA}/b"]


def test_what_must_wait_for_too_long_is_left(job):
    job.add([want(TEA, "/a"), want(OTHER, "/")])
    scheduler, _, _ = crawl(job)
    scheduler.next_request()
    scheduler.defer(scheduler.under_way[TEA], seconds=module.PATIENCE + 1, why="visits are not welcome")
    assert urls(scheduler) == [f"{OTHER}/"]
    scheduler.finish(scheduler.under_way[OTHER], STORED)

    assert scheduler.left[TEA][1] == "visits are not welcome"
    assert urls(scheduler) == []
    assert not scheduler.has_pending_requests()
    assert job.peek(TEA).tries == 0


@pytest.mark.parametrize(("hopeless", "times"), [(True, 1), (False, 3)])
def test_a_robots_txt_that_cannot_be_had(job, hopeless, times):
    job.add([want(TEA, "/a")])
    scheduler, clock, _ = crawl(job)
    for _ in range(times):
        assert urls(scheduler) == [f"{TEA}/a"]
        scheduler.unreachable(scheduler.under_way[TEA], time.time() + 60, "no answer", hopeless=hopeless)
        clock.now += 61
    assert urls(scheduler) == []
    assert list(scheduler.left) == [TEA]


def test_distances_are_kept_from_one_run_to_the_next(tmp_path):
    with Job(tmp_path / "job") as job:
        job.add([want(TEA, "/a"), want(TEA, "/b"), want(OTHER, "/")])
        scheduler, clock, _ = crawl(job)
        scheduler.next_request()
        scheduler.finish(scheduler.under_way[TEA], STORED)
        scheduler.next_request()
        scheduler.defer(scheduler.under_way[OTHER], seconds=100.0)
        scheduler.close("killed")
    with Job(tmp_path / "job") as job:
        scheduler, clock, _ = crawl(job)
        assert urls(scheduler) == []  # both were asked a moment ago
        clock.now += 1.1
        assert urls(scheduler) == [f"{TEA}/b"]
        clock.now += 100
        assert urls(scheduler) == [f"{OTHER}/"]


def test_limit(job):
    """What is under way may be stored, so it counts."""
    job.add([want(TEA, "/a"), want(OTHER, "/"), want(OTHER, "/b")])
    scheduler, clock, _ = crawl(job, limit=2)
    assert len(urls(scheduler)) == 2
    scheduler.finish(scheduler.under_way[TEA], STORED)
    assert urls(scheduler) == []
    scheduler.finish(scheduler.under_way[OTHER], Result.of("no-page", status=404))
    clock.now += 5
    assert urls(scheduler) == [f"{OTHER}/b"]
    scheduler.finish(scheduler.under_way[OTHER], STORED)
    assert not scheduler.has_pending_requests()


def test_as_scrapy_uses_it(job):
    """Requests of others are kept, once; what no job can keep is said."""
    scheduler, _, _ = crawl(job)
    assert scheduler.enqueue_request(Request(f"{TEA}/a#b", meta={"depth": 3}))
    assert not scheduler.enqueue_request(Request(f"{TEA}/a"))
    assert DuplicateFilter(job).request_seen(Request(f"{TEA}/a"))
    with pytest.raises(ValueError, match="GET requests alone"):
        scheduler.enqueue_request(Request(f"{TEA}/b", method="POST", body=b"x"))
    request = scheduler.next_request()
    assert (request.url, entry_of(request).depth) == (f"{TEA}/a", 3)


def test_a_page_that_is_linked_is_one_though_it_is_embedded_too(job):
    job.add([want(TEA, "/a", 3, "part")])
    job.add([want(TEA, "/a", 2)])
    assert (job.peek(TEA).kind, job.peek(TEA).depth) == ("page", 2)
    job.add([want(TEA, "/a", 1, "part")])
    assert (job.peek(TEA).kind, job.peek(TEA).depth) == ("page", 1)
