"""Values that threads share, and interpreters of their own."""

import gc
import random
import subprocess
import sys
import threading
import uuid

import pytest

import comity
from comity.protocol.origin import Origin
from comity.protocol.robotstxt.engine.dialect import RFC9309, dialect_named

BODIES = (
    b"User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\nSitemap: https://example.com/s\n",
    b"User-agent: a\nUser-agent: b\n" + b"".join(b"Disallow: /p%d?u=%%2fx:\n" % n for n in range(60)),
    b"User-agent: *\n" + b"".join(b"Disallow: /*x%d$\nAllow: /p%d\n" % (n, n) for n in range(40)),
)
URLS = ("/", "/private/x", "/private/open", "/p7?u=%2Fx:", "https://example.com/p39x39", "/a x39", "/p\u00e9")
AGENTS = ("a", "ab", "ExampleBot/1.0", ("x", "b"))


def of_rules(rules):
    return (
        [rules.allowed(url) for url in URLS * 2],
        rules.allowed_many(URLS),
        [rules.check(url).explain() for url in URLS],
        rules.groups,
        rules.fields,
        rules.crawl_delay,
        rules.usage("/private/x").record(),
    )


def of_file(robots):
    return (
        [robots.allowed(url, agent=agent) for agent in AGENTS for url in URLS],
        [robots.rules_for(agent).matched for agent in AGENTS],
        robots.groups,
        robots.lines,
        robots.diagnostics,
        robots.sitemaps,
    )


def of_modules(names):
    """Return answers that modules cache, of more names than they cache."""
    page = '<meta name="robots" content="noindex"><p class="{}">'
    return (
        [Origin.of(f"HTTPS://{name}.Example/x").host for name in names],
        [comity.page_directives(html=page.format(name), agent=name).index.allowed for name in names[:20]],
    )


@pytest.fixture
def restless():
    """Switch between threads as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def answers_of_threads(answer, shared, number=6):
    """Return the answers of some threads, which begin at the same time."""
    answers = []
    start = threading.Barrier(number)

    def ask():
        start.wait()
        answers.append(answer(shared))

    threads = [threading.Thread(target=ask) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == number, "a thread failed"
    return answers


@pytest.mark.parametrize("agent_match", ["token", "substring"])
@pytest.mark.parametrize("body", BODIES)
def test_threads_that_share_a_file_and_its_rules_get_equal_answers(restless, body, agent_match):
    def parsed():
        return comity.parse(body, agent_match=agent_match)

    for _ in range(3):
        assert answers_of_threads(of_file, parsed()) == [of_file(parsed())] * 6
        expected = of_rules(parsed().rules_for("b"))
        assert answers_of_threads(of_rules, parsed().rules_for("b")) == [expected] * 6


def test_threads_share_the_caches_of_modules(restless):
    names = [f"host{number}" for number in range(300)]

    assert answers_of_threads(of_modules, names) == [of_modules(names)] * 6


def test_threads_ask_a_file_for_more_robots_than_it_caches():
    if "free-threading" not in sys.version:
        pytest.skip("needs a free-threaded Python")
    agents = [f"bot{number}" for number in range(300)]

    def disallowed(robots):
        return [robots.allowed("/private", agent=agent) for agent in random.choices(agents, k=40_000)]

    assert answers_of_threads(disallowed, comity.parse(BODIES[0])) == [[False] * 40_000] * 6


def test_threads_get_dialects_of_their_own_settings_while_the_cache_is_cleared(restless):
    dialects = [RFC9309.replace(line_limit=limit) for limit in range(1, 201)]

    def limits(dialects):
        return [dialect_named(dialect, "substring").line_limit for dialect in dialects * 3]

    assert answers_of_threads(limits, dialects) == [limits(dialects)] * 6


def test_rules_that_answered_many_questions_are_not_counted_and_are_freed():
    if "free-threading" not in sys.version or sys.version_info < (3, 14) or comity.engine != "compiled":
        pytest.skip("needs the compiled engine and a free-threaded Python 3.14")
    agent = f"{uuid.uuid4()}"
    rules = comity.parse(BODIES[0]).rules_for(agent)
    counted = sys.getrefcount(rules)
    for _ in range(2000):
        rules.allowed("/")

    assert counted < 100 < sys.getrefcount(rules)
    del rules
    gc.collect()
    assert not [1 for found in gc.get_objects() if isinstance(found, comity.Rules) and found.agent == agent]


def test_import_keeps_the_gil_off():
    code = "import sys, comity; sys.exit(getattr(sys, '_is_gil_enabled', lambda: True)())"
    if "free-threading" not in sys.version:
        pytest.skip("needs a free-threaded Python")
    assert subprocess.run([sys.executable, "-W", "error", "-c", code]).returncode == 0


def test_interpreter_of_its_own_uses_reference():
    answer = (
        "import comity\n"
        "robots = comity.parse('User-agent: *\\nDisallow: /x')\n"
        "print(comity.engine, robots.allowed('/x', agent='a'), robots.check('/y', agent='a').allowed, flush=True)"
    )
    if sys.version_info >= (3, 14):
        run = f"from concurrent import interpreters; interpreters.create().exec({answer!r})"
    else:  # the same interpreters, before they had a public module
        name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        ask = "exec" if sys.version_info >= (3, 13) else "run_string"
        pytest.importorskip(name, reason="needs sub-interpreters")
        run = f"import {name} as interpreters; interpreters.{ask}(interpreters.create(), {answer!r})"
    command = [sys.executable, "-W", "error", "-c", f"import comity\n{run}\nprint(comity.engine)"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")

    assert done.stdout.split() == ["reference", "False", "True", comity.engine], done.stderr
