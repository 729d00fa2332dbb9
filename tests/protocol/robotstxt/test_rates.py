"""Crawl-delay, Request-rate and Visit-time: values, windows, and how long to wait."""

from datetime import UTC, datetime, time, timedelta, timezone

import pytest

import comity


def at(hhmm, second=0):
    return datetime(2026, 3, 1, int(hhmm[:2]), int(hhmm[3:]), second, tzinfo=UTC)


def rules(*lines, agent="ExampleBot"):
    return comity.parse("\n".join(["User-agent: *", "Disallow: /x", *lines])).rules_for(agent)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("5", 5.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("0", 0.0),
        ("1e3", 1000.0),
        ("-1", None),
        ("nan", None),
        ("inf", None),
    ]
    + [
        ("1e999", None),
        ("5s", None),
        ("1,5", None),
        ("٣", None),
        ("1_0", None),
        ("", None),
        ("9" * 5000, None),
    ],
)
def test_crawl_delay(value, expected):
    assert rules(f"Crawl-delay: {value}").crawl_delay == expected


def test_larger_crawl_delay_applies():
    assert rules("Crawl-delay: 5", "Crawl-delay: 2").crawl_delay == 5.0
    assert (
        comity.parse("User-agent: a\nCrawl-delay: 1\n\nUser-agent: a\nCrawl-delay: 9")
        .rules_for("a")
        .crawl_delay
        == 9
    )


@pytest.mark.parametrize(
    ("value", "interval"),
    [("1/5", 5.0), ("10/60", 6.0), ("10/10m", 60.0), ("20/1h", 180.0), ("1/1d", 86400.0), ("1/10S", 10.0)]
    + [
        ("0/5", None),
        ("1/0", None),
        ("5", None),
        ("1/2x", None),
        ("", None),
        ("/", None),
        ("1/", None),
        ("-1/5", None),
    ]
    + [("1/5 9-17", None), ("1/5 2500-2600", None), ("1" * 5000 + "/1", None), ("1/٣", None)],
)
def test_request_rate_interval(value, interval):
    found = rules(f"Request-rate: {value}").request_rates

    assert [rate.interval for rate in found] == ([] if interval is None else [interval])


def test_request_rate_fields():
    (rate,) = rules("Request-rate: 1/20m 1700-0459").request_rates

    assert rate == comity.protocol.robotstxt.RequestRate(
        requests=1, seconds=1200, start=time(17, 0), end=time(4, 59)
    )


@pytest.mark.parametrize(
    ("now", "expected"), [("02:00", 1200.0), ("12:00", None), ("17:00", 1200.0), ("04:59", 1200.0)]
)
def test_request_rate_windows(now, expected):
    assert rules("Request-rate: 1/20m 1700-0459").request_interval(at(now)) == expected


def test_slowest_applicable_rate_applies():
    found = rules("Request-rate: 1/5", "Request-rate: 1/10m 1300-1659", "Request-rate: 1/1m 0000-2359")

    assert found.request_interval(at("14:00")) == 600.0
    assert found.request_interval(at("09:00")) == 60.0


@pytest.mark.parametrize(
    ("value", "now", "wait"),
    [
        ("0600-0845", "05:59", 60),
        ("0600-0845", "06:00", 0),
        ("0600-0845", "08:45", 0),
        ("0600-0845", "08:46", 21 * 3600 + 14 * 60),
        ("0600-0845", "09:00", 21 * 3600),
        ("2200-0600", "23:30", 0),
        ("2200-0600", "05:00", 0),
        ("2200-0600", "12:00", 10 * 3600),
        ("0600 0845", "05:00", 3600),
        ("0600 - 0845", "05:00", 3600),
        ("1200-1200", "12:00", 0),
        ("1200-1200", "12:01", 86_340),
        ("2542-3199", "12:00", 0),
        ("0400-0845-1000", "12:00", 0),
        ("", "12:00", 0),
        ("-0600 0845", "12:00", 0),
    ],
)
def test_visit_time(value, now, wait):
    assert rules(f"Visit-time: {value}").visit_wait(at(now)) == wait


def test_any_window_allows_visit():
    found = rules("Visit-time: 0600-0700", "Visit-time: 2200-2300")

    assert found.visit_wait(at("06:30")) == 0
    assert found.visit_wait(at("21:00")) == 3600
    assert found.visit_wait(at("23:01")) == (6 * 60 + 59) * 60


def test_last_minute_of_window_is_included():
    found = rules("Visit-time: 0600-0845")

    assert found.visit_wait(at("08:45", 59)) == 0
    assert found.visit_wait(at("05:59", 30)) == 30


def test_time_zones_are_converted_and_naive_time_raises():
    found = rules("Visit-time: 0600-0845")
    tokyo = timezone(timedelta(hours=9))

    assert found.visit_wait(datetime(2026, 3, 1, 15, 0, tzinfo=tokyo)) == 0
    with pytest.raises(ValueError, match="time zone"):
        found.visit_wait(datetime(2026, 3, 1, 15, 0))


def test_rates_never_change_a_verdict():
    with_rates = rules("Crawl-delay: 9999", "Visit-time: 0000-0001", "Request-rate: 1/9999d")

    assert with_rates.allowed("/y")
    assert not with_rates.allowed("/x")


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_every_dialect_reads_rates(dialect):
    text = "User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/5\nVisit-time: 0600-0845\nDisallow: /x"
    found = comity.parse(text, dialect=dialect).rules_for("ExampleBot")

    assert (found.crawl_delay, len(found.request_rates), len(found.visit_times)) == (2.0, 1, 1)


def test_field_applies_to_robots_named_before_it():
    """Two groups that a rule fuses keep the delays that were written for each."""
    robots = comity.parse(
        "User-agent: a\nCrawl-delay: 10\n\nUser-agent: b\nCrawl-delay: 20\n\nUser-agent: *\nDisallow: /x"
    )

    assert [robots.rules_for(name).crawl_delay for name in ("a", "b", "c")] == [10.0, 20.0, None]
    assert [robots.allowed("/x", agent=name) for name in ("a", "b", "c")] == [False, False, False]


def test_field_after_rules_applies_to_whole_group():
    robots = comity.parse("User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 3")

    assert [robots.rules_for(name).crawl_delay for name in ("a", "b", "c")] == [3.0, 3.0, None]


def test_default_delay_does_not_apply_to_named_robot():
    robots = comity.parse("User-agent: *\nCrawl-delay: 3\nDisallow:\n\nUser-agent: a\nDisallow: /x")

    assert robots.rules_for("a").crawl_delay is None


def test_moment_that_is_not_a_datetime_raises():
    found = rules("Request-rate: 1/5", "Visit-time: 0600-0845")
    for function in (found.request_interval, found.visit_wait):
        with pytest.raises(TypeError, match=r"^invalid moment 5\.0: expected a datetime"):
            function(5.0)


def test_naive_time_raises_without_rates():
    for ask in (rules().visit_wait, rules().request_interval, rules("Request-rate: 1/5").request_interval):
        with pytest.raises(ValueError, match="time zone"):
            ask(datetime(2026, 3, 1, 15, 0))
