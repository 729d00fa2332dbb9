"""Many claims, as of a log: their form, their answers, and the problems that are reported."""

import pytest

from comity import agents
from comity.agents import Claim, Feed, FeedCopy, claim, claims, verify_claims
from comity.errors import InvalidArgument, InvalidClaim

GPTBOT = "https://openai.com/gptbot.json"
FEEDS = {GPTBOT: FeedCopy(GPTBOT, Feed(["192.0.2.0/24"]), 0.0, 0.0)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("192.0.2.7 GPTBot", Claim("192.0.2.7", "GPTBot")),
        ("192.0.2.7\tMozilla/5.0 (compatible; GPTBot/1.2)\n", Claim("192.0.2.7", "Mozilla/5.0 (compatible; GPTBot/1.2)")),
        ("192.0.2.7\tGPTBot\t1970-01-02", Claim("192.0.2.7", "GPTBot", 86_400.0)),
        ("192.0.2.7\tGPTBot\t1970-01-01T01:00:00+01:00", Claim("192.0.2.7", "GPTBot", 0.0)),
        ("192.0.2.7\tGPTBot\t", Claim("192.0.2.7", "GPTBot")),
        ("- GPTBot", Claim("-", "GPTBot")),
        ("unix: GPTBot", Claim("unix:", "GPTBot")),
        ("fe80::1%eth0 GPTBot", Claim("fe80::1%eth0", "GPTBot")),
        ("", None),
        ("  \n", None),
        ("# requests", None),
    ],
)  # fmt: skip
def test_line_is_read(line, expected):
    assert claim(line) == expected


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("192.0.2.7", "columns"),
        ("192.0.2.7\t \t", "columns"),
        ("a\tb\tc\td", "columns"),
        ("example.com GPTBot", "address"),
        ("192.0.2.7, 10.0.0.1\tGPTBot", "address"),
        ('192.0.2.7 - - [22/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1.2"', "log"),
        ("192.0.2.7\tGPTBot\tsoon", "time"),
        ("192.0.2.7\tGPTBot\t2026-11-22T10:00:00", "time"),
    ],
)
def test_line_of_another_form_is_an_error(line, kind):
    with pytest.raises(InvalidClaim) as caught:
        claim(line)

    assert caught.value.kind == kind
    assert str(caught.value) == caught.value.problem


def verified(lines, **options):
    report = verify_claims(map(claim, lines), feeds=FEEDS, now=0.0, **options)
    return report, {answer.code: count for answer, count in report.totals.items() if count}


def test_requests_are_counted_by_pair_and_answer():
    lines = [
        *("# requests", "192.0.2.7 GPTBot", "192.0.2.7\tMozilla/5.0 (compatible; GPTBot/1.2)"),
        *("198.51.100.7 GPTBot", "10.0.0.1 GPTBot", "192.0.2.7 Firefox/150.0"),
    ]
    report, totals = verified(lines)

    assert totals == {"verified": 2, "impostor": 1, "unverifiable": 1, "unknown": 1}
    assert [(found.address, found.answer.code, count) for found, count in report.pairs] == [
        ("192.0.2.7", "verified", 2),
        ("198.51.100.7", "impostor", 1),
        ("10.0.0.1", "unverifiable", 1),
    ]
    assert report.problems == ()


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        (["10.0.0.1 GPTBot"], {}, "proxy-address"),
        (["192.0.2.7 GPTBot"], {"proxies": "192.0.2.0/24"}, "proxy-address"),
        (["192.0.2.7 Googlebot"], {}, "feed-error"),
    ],
)
def test_problems_are_reported(lines, options, code):
    assert verified(lines, **options)[0].problems[0].code == code


def test_stale_list_is_a_problem():
    moment = 8 * 86_400.0
    found = agents.verify("192.0.2.7", "GPTBot", feeds=FEEDS, now=moment)

    assert [one.code for one in agents.verification_problems([found], now=moment)] == ["feed-stale"]
    assert agents.verification_problems([found], now=0.0) == ()


@pytest.mark.parametrize("moment", [None, 0.0])
def test_time_of_a_claim_decides(moment):
    """A request long before the list was fetched does not accuse."""
    claims = [Claim("198.51.100.7", "GPTBot", moment), Claim("198.51.100.7", "GPTBot", None)]
    copy = FeedCopy(GPTBOT, Feed(["192.0.2.0/24"]), 1e9, 1e9)
    report = verify_claims(claims, feeds={GPTBOT: copy}, now=1e9)

    assert [found.answer.code for found, _ in report.pairs] == (
        ["impostor"] if moment is None else ["unverifiable", "impostor"]
    )


@pytest.mark.parametrize("wrong", [{"proxies": "x"}, {"seen": float("nan")}, {"now": "today"}])
def test_wrong_argument_is_an_error_before_a_claim_is_read(wrong):
    def unread():
        raise AssertionError("it was read")
        yield

    with pytest.raises(InvalidArgument):
        verify_claims(unread(), **wrong)


class Zone:
    """A resolver that confirms every address as one of YandexBot, and takes 50 seconds of a clock."""

    def __init__(self):
        self.now = 0.0
        self.asked = []

    def host_names(self, address, *, seconds):
        self.now += 50
        self.asked.append(str(address))
        return (f"{address}.yandex.ru".replace(":", "-"),)

    def addresses(self, name, version, *, seconds):
        return (name.removesuffix(".yandex.ru"),)


def test_dns_is_asked_about_the_most_frequent_addresses_first(monkeypatch):
    monkeypatch.setattr(claims, "_AT_ONCE", 1)
    zone, counter = Zone(), claims.ClaimCounter({}, now=0.0)
    for number in (1, 2, 2, 3, 3, 3, 4, 4, 4, 4):
        counter.add(Claim(f"192.0.2.{number}", "YandexBot"))
    counter.ask_dns(zone, clock=lambda: zone.now)
    report = counter.report()
    answers = {found.address: (found.answer.code, found.reason.code) for found, _ in report.pairs}

    assert zone.asked == ["192.0.2.4", "192.0.2.3", "192.0.2.2"]
    assert answers["192.0.2.4"] == ("verified", "confirmed")
    assert answers["192.0.2.1"] == ("unverifiable", "dns-budget")
    assert {answer.code: count for answer, count in report.totals.items()} == {
        "verified": 9,
        "impostor": 0,
        "unverifiable": 1,
        "unknown": 0,
    }
    assert [problem.code for problem in report.problems] == ["dns-budget"]


def test_context_is_entered_while_dns_is_asked():
    events = []

    class Progress:
        def __enter__(self):
            events.append("start")

        def __exit__(self, *_):
            events.append("end")

    class Names(Zone):
        def host_names(self, address, *, seconds):
            events.append("dns")
            return super().host_names(address, seconds=seconds)

    claimed = [Claim("192.0.2.1", "YandexBot")]
    report = verify_claims(claimed, resolver=Names(), now=0.0, asking_dns=Progress())
    verify_claims(claimed, now=0.0, asking_dns=Progress())

    assert report.totals[agents.Answer.VERIFIED] == 1
    assert events == ["start", "dns", "end"]


def test_pairs_are_limited(monkeypatch):
    monkeypatch.setattr(claims, "MAX_PAIRS", 2)
    addresses = [f"192.0.2.{number}" for number in (1, 2, 3, 3, 1)]
    report = verify_claims([Claim(address, "YandexBot") for address in addresses], now=0.0)

    assert [(found.address, count) for found, count in report.pairs] == [("192.0.2.1", 2), ("192.0.2.2", 1)]
    assert (report.unlisted, sum(report.totals.values())) == (2, 5)
    assert report.problems[0].message == "2 requests are only counted: more than 2 pairs"
