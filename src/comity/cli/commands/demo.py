"""`comity demo`: the main features, on example files of the package and on local sites."""

import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from importlib.resources import as_file, files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from shutil import copyfile, copytree
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ..._extras import install_hint
from ...errors import ComityError, StoreUnavailable, UnusableInput
from ...protocol import counted
from ..terminal import Styled, echo, echo_lines
from .check import command as check
from .diff import command as diff
from .fetch import command as fetch
from .fmt import command as fmt
from .lint import command as lint

if TYPE_CHECKING:
    from ..demo.site import Visit

#: Heading, example file, and arguments of `comity check --robots FILE`.
_FILE_EXAMPLES = (
    (
        "The examples of the standard, for three robots",
        "recipes.txt",
        "/cgi-bin/x /~joe/ /~joe/welcome.html --agent BadBot --agent GoodBot --agent ExampleBot",
    ),
    (
        "Wildcards: the pattern that wins, and the patterns that it overrules",
        "wildcards.txt",
        "/a.php /a.php?x=1 /shop?sort=price /private-view/photo /private-notes/photo /price$list --explain",
    ),
    (
        "Percent-encoding: other spellings of the same path",
        "escapes.txt",
        "/%7Ejoe/index.html /café/menu /caf%c3%a9/menu /a/b /a%2fb /file-with-a-*.html "
        "/find?url=https%3A%2F%2Fexample.org",
    ),
    (
        "Robots by product token, by User-Agent header, or by several tokens in order of preference",
        "robots.txt",
        "https://www.example.com/shop/1 https://www.example.com/cart/ --agent ExampleBot "
        "--agent 'Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)' "
        "--agent ExampleBot-Images,ExampleBot --agent OtherBot",
    ),
    (
        "One file, four dialects: the 1994 standard has no Allow and no wildcards",
        "recipes.txt",
        "/~joe/welcome.html --dialect 1994 --explain",
    ),
    ("The same result as JSON", "wildcards.txt", "/a.php --json"),
)


#: A robots.txt, and its next version.
_OLD = """\
User-agent: *
Disallow: /cart
Disallow:/search?*

User-agent: Googlebot
Allow: /search
"""
_NEW = """\
User-agent: *
Disallow: /cart
Disallow: /search

User-agent: GPTBot
User-agent: Googlebot
Disallow: /
"""


#: Ports of the shop and the market with `--serve`, which the documentation names.
PORTS = (8001, 8002)

#: Variables with the user's folders, such as that of the stored contact.
_HOME = ("XDG_CONFIG_HOME", "APPDATA", "HOME")

#: The exit statuses of the commands, and their meanings.
_STATUSES: dict[object, str] = {
    0: "allowed, or nothing to report",
    1: "something is disallowed, differs or has a mistake",
    3: "a site is unreachable",
}

#: Number of requests after which the crawl is killed, and maximum seconds until then.
_KILL_AFTER, _MAX_SECONDS = 9, 20.0


@click.command("demo")
@click.option("--serve", is_flag=True, help="Serve the sites of the documentation's examples until Ctrl+C.")
def command(serve: bool) -> None:
    """Show what Comity does, on example files and local sites.

    With --serve, only serve the shop and the market that examples in the documentation use.
    """
    if serve:
        _serve()
        return
    shown: set[str] = set()
    for heading, name, words in _FILE_EXAMPLES:
        with as_file(files("comity") / "examples" / name) as path:
            _heading(heading)
            if name not in shown:
                _show_text(path.read_text(encoding="utf-8"))
                shown.add(name)
            echo(Styled(f"$ comity check --robots {name} {words}", "cyan"))
            _run(check, ["--robots", str(path), *shlex.split(words)])
    _show_writing()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, _own_home(folder):
        _show_site()
    if find_spec("scrapy") is None:
        echo()
        echo(f"The demonstration of a crawl needs Scrapy; {install_hint('scrapy')}")
    else:
        _crawl()


def _serve() -> None:
    """Serve the sites of the documentation until the process is interrupted."""
    from ..demo.crawl import demo_market
    from ..demo.site import demo_sites

    with ExitStack() as stack:
        for name, site, port in zip(("shop", "market"), (demo_sites, demo_market), PORTS, strict=True):
            try:
                origin = stack.enter_context(site(port))[0]
            except OSError as error:
                reason = error.strerror or str(error)
                raise UnusableInput(f"port {port}: {reason}; end the program that uses it") from None
            echo(f"{name:<8}{origin}/")
        echo("Press Ctrl+C to stop.")
        sys.stdout.flush()
        _wait()


def _wait() -> None:
    while True:  # Windows delivers Ctrl+C only between waits
        time.sleep(1)


@contextmanager
def _own_home(folder: str) -> Iterator[None]:
    """Use a folder as the home, so that the user's store and contact stay as they are."""
    before = dict(os.environ)
    os.environ["COMITY_STORE"] = os.path.join(folder, "store.sqlite3")
    os.environ.update(dict.fromkeys(_HOME, folder))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _show_writing() -> None:
    """Show the commands for site owners."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, chdir(folder):
        for name, text in (("old.txt", _OLD), ("new.txt", _NEW)):
            Path(name).write_text(text, encoding="utf-8")
        _heading("Find mistakes before you publish a robots.txt")
        _show(lint, ["new.txt"])
        _heading("Compare it with the old version, robot by robot")
        _show(diff, ["old.txt", "new.txt"])
        _heading("Rewrite the old version in the canonical layout, with the same meaning")
        _show(fmt, ["old.txt", "--diff"])


def _show_site() -> None:
    from ..demo.site import ROBOTS, STORY, demo_sites

    with demo_sites() as (shop, mirror, broken, visits):
        _heading("A local site: its responses, and how they are interpreted")
        _show_text(ROBOTS.decode())
        for what, words in (
            (fetch, [shop]),
            (check, [f"{shop}/tea", f"{shop}/cart/offer", f"{shop}/tea?sort=price", "--agent", "ExampleBot"]),
        ):
            _show(what, words)
        _heading("A page: whether it can be indexed, and used to train AI")
        _show_text(STORY.decode())
        words = ["--agent", "ExampleBot", "--respect", "train-ai", "--contact", "bot@example.com"]
        _show(check, [f"{shop}/story", "--page", *words])
        _heading("A mirror whose robots.txt redirects to that of the shop: the same rules apply")
        _show(fetch, [mirror])
        _show(check, [f"{mirror}/cart/offer", "--explain"])
        _heading("A site whose robots.txt is unreachable: everything is disallowed for now")
        _show(fetch, [broken])
        _show(check, [f"{broken}/", "--explain"])
        _heading("A robot that obeys: one line per call of robot.get")
        visits.clear()
        _obey(shop)
        _heading("The log of the site: no disallowed path, and half a second between requests")
        start = visits[0].time
        for visit in visits:
            echo(f"{visit.time - start:5.2f} s  {visit.path:<12} {visit.agent}")


def _obey(shop: str) -> None:
    from ... import Robot

    code = 'with comity.Robot("ExampleBot/1.0", contact="https://example.com/bot", delay=0.2) as robot:'
    echo_lines(f"{code}\n    robot.get(...)", dim=True)
    with Robot("ExampleBot/1.0", contact="https://example.com/bot", delay=0.2) as robot:
        for path in ("/", "/tea", "/cart", "/offer"):
            try:
                result = f"{robot.get(shop + path).status_code}"
            except ComityError as error:
                result = f"{type(error).__name__}: {error}"
            echo(f"GET {path:<8}{result}")


def _crawl() -> None:
    """Crawl a local site, kill the crawl, continue it, and check the result by the log of the site."""
    from ..demo.crawl import ROBOTS, demo_market

    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as name,
        demo_market() as (market, newspaper, visits, others),
    ):
        folder = Path(name)
        _heading("A crawl of two sites with rules, an endless calendar and a slow page")
        _show_text(ROBOTS.decode())
        words = [market, "--span-hosts", "--private-host", newspaper.partition("://")[2], "--depth", "3"]
        words += ["--delay", "0.1", "--respect", "train-ai"]
        words += ["--contact", "bot@example.com", "--job", "market", "--report", "crawl.html"]
        line = f"$ comity crawl {shlex.join(words)}"
        echo(Styled(line, "cyan"))
        start = time.monotonic()
        with _crawling(folder, words) as crawl:
            while (
                len(visits) < _KILL_AFTER and crawl.poll() is None and time.monotonic() - start < _MAX_SECONDS
            ):
                time.sleep(0.02)
            crawl.kill()
        echo(Styled(f"[killed after {counted(len(visits), 'request')}; the same command again]", dim=True))
        echo(Styled(line, "cyan"))
        with _crawling(folder, words) as crawl:
            echo_lines(crawl.communicate()[0].rstrip())
        echo(Styled(f"[exit status {_status(crawl.returncode)}]", dim=True))
        _show_log(visits, others)
        _store_report(folder / "crawl.html")


def _store_report(report: Path) -> None:
    """Copy the HTML report to the user's cache folder; the next demonstration overwrites it."""
    from ...politeness import default_path

    with suppress(OSError, StoreUnavailable):  # no home folder, or not a writable one
        stored = default_path().with_name("demo-crawl.html")
        stored.parent.mkdir(parents=True, exist_ok=True)
        copytree(report.with_name("crawl_files"), stored.with_name("crawl_files"), dirs_exist_ok=True)
        copyfile(report, stored)
        echo(f"report with charts: {stored}")


def _crawling(folder: Path, words: Sequence[str]) -> "Popen[str]":
    # A killed process leaves its temporary files, so they are put into the folder, too.
    names = (*_HOME, "TMPDIR", "TEMP", "TMP")
    environment = {**os.environ, **dict.fromkeys(names, str(folder)), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "comity", "crawl", *words]
    return Popen(command, cwd=folder, env=environment, stdout=PIPE, encoding="utf-8")  # noqa: S603  # this package


def _show_log(visits: "Sequence[Visit]", others: "Sequence[Visit]") -> None:
    """Print from the logs which pages were fetched, and the shortest gap between requests."""
    from ..demo.crawl import DISALLOWED, GAP, PAGES

    _heading("The logs of the sites")
    count = Counter(visit.path for visit in visits)
    missed = PAGES.difference(count)
    seen = [visit.path for visit in (*visits, *others) if visit.path.startswith(DISALLOWED)]
    gap = min(after.time - before.ended for before, after in pairwise(visits))
    again = [path for path, times in count.items() if times > 1]
    echo(f"allowed pages fetched: {len(PAGES) - len(missed)} of {len(PAGES)}")
    echo(f"requested again after the kill: {' '.join(again) or 'nothing'}")
    echo(f"disallowed pages fetched: {len(seen)}")
    echo(f"shortest gap between requests (Crawl-delay {GAP}): {gap:.2f} s")


def _status(code: object) -> str:
    """Return an exit status with its meaning."""
    meaning = _STATUSES.get(code)
    return f"{code}: {meaning}" if meaning else f"{code}"


def _heading(text: str) -> None:
    echo()
    echo(Styled(text, bold=True))
    echo()


def _show_text(text: str) -> None:
    echo_lines(f"{text.strip()}\n", dim=True)


def _show(what: click.Command, words: Sequence[str]) -> None:
    echo(Styled(f"$ comity {what.name} {shlex.join(words)}", "cyan"))
    _run(what, words)


def _run(what: click.Command, words: Sequence[str]) -> None:
    color = click.get_current_context().color
    try:
        what.main(list(words), prog_name=f"comity {what.name}", standalone_mode=False, color=color)
    except SystemExit as stopped:
        echo(Styled(f"[exit status {_status(stopped.code)}]", dim=True))
