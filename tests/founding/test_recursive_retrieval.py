"""The harm of robots to sites, and how `comity crawl` avoids it."""

from itertools import pairwise

from http_server import Server, answer

TYPE = {"content-type": "text/html"}


def page(*links):
    return answer(200, "".join(f'<a href="{link}">x</a>' for link in links).encode(), TYPE)


ROBOTS = b"""\
User-agent: *
Disallow: /tmp/
Disallow: /vote
Crawl-delay: 0.1
Clean-param: session

User-agent: cybermapper
Disallow: /vote
Crawl-delay: 0.1
"""

SITE = {
    "/robots.txt": answer(200, ROBOTS),
    "/": answer(
        200,
        b'<a href="/a">a</a> <a href="/a#part">b</a> <a href="/a?session=1">b</a> <a href="/tmp/x">c</a> <a href="/vote?y=1">d</a>'
        b'<form action="/order" method="post"><input type="submit"></form> <a href="/tree/1">e</a>',
        TYPE,
    ),
    "/a": page("/"),
    **{f"/tree/{depth}": page(f"/tree/{depth + 1}") for depth in range(1, 9)},
}


def test_crawl_is_polite_to_a_site(crawl):
    """Links are followed, each URL once, at the pace that the site asks for, and no tree without end."""
    with Server(SITE) as site:
        status, report = crawl(f"{site.origin}/", "--depth", "3")

        assert site.paths() == ["/robots.txt", "/", "/a", "/tree/1", "/tree/2", "/tree/3"]
        assert min(later.began - earlier.ended for earlier, later in pairwise(site.visits)) >= 0.1
        assert {line.split()[0] for line in site.asked} == {"GET"}  # no vote and no order
    assert status == 0
    assert report["outcomes"] == {"stored": 5, "disallowed": 2}
    assert report["skipped_links"] == {"too-deep": 1}
    assert {(one["first"].removeprefix(site.origin), one["reason"][:6]) for one in report["refusals"]} == {
        ("/tmp/x", "line 2"),
        ("/vote?y=1", "line 3"),
    }


def test_crawl_as_the_robot_that_has_a_record(crawl):
    with Server(SITE) as site:
        crawl(f"{site.origin}/tmp/x", "--user-agent", "CyberMapper/2.0", "--depth", "0")
        crawl(f"{site.origin}/tmp/x", "--user-agent", "OtherBot/2.0", "--depth", "0", "--job", "other")

        assert site.paths() == ["/robots.txt", "/tmp/x", "/robots.txt"]


def test_crawl_of_a_closed_site_asks_for_robots_txt_only(crawl):
    with Server({"/robots.txt": answer(200, b"# go away\nUser-agent: *\nDisallow: /\n")}) as site:
        status, _ = crawl(f"{site.origin}/")

        assert (status, site.paths()) == (1, ["/robots.txt"])
