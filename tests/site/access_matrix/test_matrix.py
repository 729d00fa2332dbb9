"""The matrix of robots and paths: its rows, columns, cells and totals, and that no meaning is missing."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comity
from comity import agents
from comity.agents.known import OFTEN_NAMED
from comity.protocol.access import Fetch
from comity.site.access_matrix import audience, matrix

BODY = """\
User-agent: *
Disallow: /cart
Allow: /cart/open
Disallow: /*.pdf$

User-agent: Googlebot
User-agent: bingbot
Disallow: /search

User-agent: CCBot
User-agent: GPTBot
Disallow: /

User-agent: MyBot
Disallow: /x
"""


def rows(table, purpose):
    return [row for row in table.rows if row.purpose == purpose]


def total(table, purpose):
    return next(one for one in table.totals if one.purpose == purpose)


def answers(row):
    return "".join("01"[cell.allowed] for cell in row.cells)


def test_robots_that_the_file_names_come_first_with_their_lines():
    table = comity.matrix(BODY)
    first, *others = rows(table, "search")

    assert [(robot.agent, robot.line) for robot in first.robots[:2]] == [("Googlebot", 6), ("bingbot", 7)]
    assert all(robot.line is None for row in others for robot in row.robots)
    assert [row.line for row in rows(table, "unknown")] == [14]
    assert [row.robots[0].agent for row in rows(table, "any-other")] == ["*"]


@pytest.mark.parametrize(("purpose", "first"), [
    ("search", ["Googlebot", "PetalBot", "Pinterest", "bingbot"]),
    ("training", ["GPTBot", "ClaudeBot", "CCBot", "Amazonbot", "Google-Extended"]),
    ("seo", ["AhrefsBot", "MJ12bot", "dotbot"]),
    ("ads", ["AdsBot-Google", "AdsBot-Google-Mobile", "Mediapartners-Google"]),
])  # fmt: skip
def test_robots_that_the_file_does_not_name_are_ordered_by_how_often_files_name_them(purpose, first):
    robots = [
        robot.agent for robot in rows(comity.matrix("User-agent: MyBot\nDisallow: /"), purpose)[0].robots
    ]

    assert robots[: len(first)] == first
    assert robots[-3:] == sorted(robots[-3:], key=str.lower)


def test_order_has_tokens_that_are_in_use_each_once():
    known = [agents.find(token) for token in OFTEN_NAMED]

    assert [agent and agent.token for agent in known] == list(OFTEN_NAMED)
    assert len(set(OFTEN_NAMED)) == len(OFTEN_NAMED)
    assert not any(agent.obsolete for agent in known if agent)


@pytest.mark.parametrize("name", ["Kangaroo Bot", "Kangaroo", "Sogou Pic Spider", "Sogou", "sidetrade"])
def test_known_robots_with_a_space_in_their_name_count_once(name):
    table = comity.matrix(f"User-agent: {name}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b")

    assert rows(table, "unknown") == []


def test_robots_with_the_same_answers_share_a_row():
    table = comity.matrix(BODY)
    (first, *_) = rows(table, "training")

    assert [robot.agent for robot in first.robots] == ["CCBot", "GPTBot"]
    assert {cell.lines for cell in first.cells} == {(12, 12)}
    for purpose in {row.purpose for row in table.rows}:
        keys = [(answers(row), row.obeys) for row in rows(table, purpose)]
        assert len(set(keys)) == len(keys)


def test_robots_in_groups_of_their_own_share_a_row_too():
    table = comity.matrix(
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /", agents=["GPTBot", "CCBot"]
    )
    (row,) = rows(table, "training")

    assert [cell.lines for cell in row.cells] == [(2, 5)]
    assert row.cells[0].explain().endswith("; 1 more line decides for others")


def test_columns_are_the_distinct_meanings():
    table = comity.matrix(BODY, agents=["*", "Googlebot", "MyBot"])
    seen = list(zip(*(row.cells for row in table.rows), strict=True))
    combinations = [tuple(cell.allowed for cell in cells) for cells in seen]

    assert table.complete
    assert len(set(combinations)) == len(combinations) == 6  # no path has two of the prefixes
    assert [column.path for column in table.columns][:4] == ["/", "/cart", "/search", "/x"]
    assert [rule.line for rule in table.columns[1].rules] == [2, 4]


def test_a_robot_with_several_purposes_counts_once_in_all():
    table = comity.matrix("", agents=["CCBot"])
    purposes = comity.agents.find("CCBot").purposes

    assert len(purposes) > 1
    assert [one.purpose for one in table.totals] == [
        *sorted(purposes, key=list(comity.agents.PURPOSES).index),
        "all",
    ]
    assert [one.robots for one in table.totals] == [1] * (len(purposes) + 1)


def test_totals_count_allowed_robots():
    table = comity.matrix("User-agent: GPTBot\nDisallow: /a", agents=["GPTBot", "Googlebot", "*"])

    assert total(table, "training").allowed == (1, 0)
    assert total(table, "search").allowed == (1, 1)
    assert (total(table, "all").robots, total(table, "all").named, total(table, "all").allowed) == (
        3,
        1,
        (3, 2),
    )


@pytest.mark.parametrize(("agent", "exact", "allowed", "line"), [
    ("Googlebot-Image", False, False, 1), ("Googlebot-Image", True, True, None),
    ("AdsBot-Google", False, True, None), ("AdsBot-Google", True, False, None), ("Applebot", False, False, 1),
])  # fmt: skip
def test_known_robots_are_asked_as_they_ask(agent, exact, allowed, line):
    text = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /" + (
        "a" if "Ads" in agent else "b"
    )
    table = comity.matrix(text, agents=agent, urls="/a", exact=exact)
    row = table.rows[0]

    assert (row.cells[0].allowed, row.robots[0].line) == (allowed, line)
    assert bool(row.robots[0].assumptions) is not exact


def test_robots_that_need_not_obey_have_rows_of_their_own():
    table = comity.matrix("User-agent: *\nDisallow: /", agents=["ChatGPT-User", "Claude-User"])
    obeying, other = rows(table, "user-triggered")

    assert [(row.obeys, row.robots[0].agent) for row in (obeying, other)] == [
        (True, "Claude-User"), (False, "ChatGPT-User"),
    ]  # fmt: skip
    assert total(table, "user-triggered").disobedient == 1


def test_few_urls_have_a_column_each():
    table = comity.matrix(BODY, agents="*", urls=["/b", "/c", "/cart", "/b"])

    assert [(column.path, column.count) for column in table.columns] == [("/b", 2), ("/c", 1), ("/cart", 1)]


def test_many_urls_share_columns():
    urls = (
        f"https://example.com/{'cart' if number % 4 == 0 else 'tea'}/{number}" for number in range(10_000)
    )
    table = comity.matrix(BODY, agents=["*", "GPTBot"], urls=urls)

    assert [(column.count, len(column.examples)) for column in table.columns] == [(2500, 100), (7500, 100)]
    assert (table.judged, [row.allowed for row in table.rows]) == (10_000, [0, 7500])


@pytest.mark.parametrize(("url", "skipped"), [
    ("/a", 0), ("https://example.com/a", 0), ("https://example.com:443/a", 0), ("https://example.org/a", 1),
    ("http://example.com/a", 1), ("mailto:a@example.com", 1), ("a b", 1), ("//example.org/a", 1), ("", 1),
])  # fmt: skip
def test_urls_of_other_sites_are_counted(url, skipped):
    fetch = Fetch("https://example.com/")
    fetch.receive(200, [("Content-Type", "text/plain")], now=0.0)
    fetch.data(b"User-agent: *\nDisallow: /a")
    fetch.finish(now=0.0)
    table = comity.matrix(fetch.access, agents="*", urls=[url])

    assert (table.skipped, table.judged) == (skipped, 1 - skipped)


@pytest.mark.parametrize(("status", "allowed", "reason"), [
    (404, True, "unavailable"), (503, False, "unreachable"),
])  # fmt: skip
def test_sites_without_rules(status, allowed, reason):
    """RFC 9309 2.3.1.3 and 2.3.1.4."""
    fetch = Fetch("https://example.com/")
    fetch.receive(status, [], now=0.0)
    table = comity.matrix(fetch.access, urls=["/a", "https://example.com/b"])

    assert {(cell.allowed, cell.reason.code, cell.line) for row in table.rows for cell in row.cells} == {
        (allowed, reason, None)
    }
    assert table.note == fetch.access.explain()
    assert str(status) in table.explain()


def test_purposes_select_sections():
    table = comity.matrix(BODY, purposes="training")

    assert {row.purpose for row in table.rows} == {"training"}
    assert [one.purpose for one in comity.matrix(BODY, purposes=["search", "any-other"]).totals] == [
        "search", "any-other", "all",
    ]  # fmt: skip
    with pytest.raises(comity.InvalidArgument, match="evil"):
        comity.matrix(BODY, purposes="evil")


def test_no_robots():
    table = comity.matrix(BODY, agents=[])

    assert (table.columns, table.rows, [one.robots for one in table.totals]) == ((), (), [0])
    assert json.loads(json.dumps(table.record())) == table.record()


def test_empty_file_has_one_column():
    assert [column.path for column in comity.matrix("").columns] == ["/"]


def test_record_knows_verdict_and_line_of_each_cell():
    record = comity.matrix(BODY, agents=["MyBot"]).record()

    assert record["rows"][0]["robots"][0]["line"] == 14
    assert record["rows"][0]["cells"][1] == {
        "allowed": False, "reason": "longest-match", "line": 15, "lines": [15],
        "rule": {"allow": False, "pattern": "/x", "line": 15},
    }  # fmt: skip


def test_too_many_robots_are_counted():
    groups = "".join(f"User-agent: Bot{number}x\nDisallow: /{number}\n\n" for number in range(400))
    table = comity.matrix(groups)
    shown = len({robot.agent for row in table.rows for robot in row.robots})

    assert shown + table.more_robots == 401 + sum(not agent.obsolete for agent in comity.agents.ALL)
    assert len(table.rows) <= audience.MAX_LISTS + 2 * len(comity.agents.PURPOSES)
    assert not table.complete


def test_too_many_kinds_of_answers_are_counted(monkeypatch):
    monkeypatch.setattr(matrix, "MAX_COLUMNS", 3)
    table = comity.matrix(BODY, agents=["*", "Googlebot", "MyBot"])

    assert (len(table.columns), table.more_paths) == (
        3,
        table.judged - sum(one.count for one in table.columns),
    )
    assert table.more_paths > 0


def test_wildcards_without_end_have_a_doubt():
    body = "User-agent: *\n" + "".join(f"Allow: /*{n}*{n}a\nDisallow: /*{n}*a*{n}\n" for n in range(9))
    table = comity.matrix(f"{body}\nUser-agent: ABot\n{body[14:].replace('a', 'b')}", states=50)

    assert "too many combinations" in table.doubt
    assert table.doubt in table.explain()


PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "/", "a*b", "b$", "$"]), max_size=4).map(
    lambda pieces: "/" + "".join(pieces)
)
GROUPS = st.lists(
    st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)

#: All paths of up to six characters.
PATHS = ["/" + "".join(path) for size in range(6) for path in product("abx/", repeat=size)]
PATHS = [path for path in PATHS if not path.startswith("//")]


@settings(max_examples=25, deadline=None)
@given(GROUPS, st.sampled_from(["rfc9309", "google"]))
def test_every_combination_of_short_paths_has_a_column(groups, dialect):
    agents = [f"Bot-{'abcd'[number]}" for number in range(len(groups))]
    body = "".join(
        f"User-agent: {agent}\n{''.join(f'{name}: {path}' + chr(10) for name, path in rules)}\n"
        for agent, rules in zip(agents, groups, strict=True)
    )
    robots = comity.parse(body, dialect=dialect)
    verdicts = [robots.rules_for(agent).allowed_many(PATHS) for agent in agents]
    table = comity.matrix(robots, agents=agents)
    paths = [column.path for column in table.columns]
    found = set(zip(*(robots.rules_for(agent).allowed_many(paths) for agent in agents), strict=True))

    assert table.complete
    assert len(found) == len(paths)
    assert found >= set(zip(*verdicts, strict=True))


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("/%7Ejoe/", {"/%7Ejoe/": "00", "/~joe/": "10"}),
        ("/%61", {"/%61": "00", "/a": "10"}),
        ("/{x", {"/{x": "00", "/%7Bx": "10"}),
        ("/a$b", {"/a$b": "00", "/a%24b": "10"}),
        ("/*%7E$", {"/%7E": "00", "/~": "10"}),
        ("/%7E//x", {"/%7E//x": "00", "/~//x": "10"}),
        ("/%2F", {"/%2F": "00"}),
    ],
)
def test_spellings_that_some_robots_decode_have_columns(pattern, paths):
    agents = ["Googlebot", "FooBot"]
    body = f"User-agent: *\nDisallow: {pattern}"
    table = comity.matrix(body, agents=agents)
    checked = {
        path: "".join("01"[comity.agents.question(agent).check(body, path).allowed] for agent in agents)
        for path in ["/", *paths]
    }

    assert checked == {"/": "11", **paths}
    assert {column.path for column in table.columns} == set(checked)
    for at, column in enumerate(table.columns):
        cells = [row.cells[at].allowed for purpose in ("search", "unknown") for row in rows(table, purpose)]
        assert "".join("01"[allowed] for allowed in cells) == checked[column.path]
    assert table.complete


def test_too_many_spellings_have_a_doubt():
    table = comity.matrix(f"User-agent: *\nDisallow: /{'%61' * 9}", agents=["Googlebot", "FooBot"])

    assert "too many spellings" in table.doubt


@pytest.mark.parametrize("agents", ["*", "", [""], [()], [("*",)]])
def test_agents_without_a_name(agents):
    table = comity.matrix("User-agent: *\nDisallow: /", agents=agents)

    assert [(row.purpose, row.robots[0].agent) for row in table.rows] == [("any-other", "*")]


@pytest.mark.parametrize(("policy", "dialect"), [("rfc9309", None), ("google", "google")])
def test_policy_of_an_access_has_the_dialect(policy, dialect):
    fetch = Fetch("https://example.com/", policy=policy)
    fetch.receive(404, [], now=0.0)

    assert comity.matrix(fetch.access, agents="*").dialect == dialect
