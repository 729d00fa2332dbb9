"""The inputs of the benchmark: robots.txt files, and the URLs of the questions.

`COMITY_CORPUS` can name a folder of real files, which are never copied. Without it, the same files with a
similar distribution are generated each time.
"""

import os
import random
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AGENTS", "PATH", "SITE", "SMALL", "Corpus", "load", "patterns", "questions"]

#: A robot that many files name, one that some files name, and one that no file names.
AGENTS = ("Googlebot", "GPTBot", "ExampleBot")

#: The site of all pages, and the page of the single question to a file.
SITE = "https://example.com"
PATH = "/shop/article-7.html?id=7"

#: A file as most small sites write it.
SMALL = b"""User-agent: *
Disallow: /admin/
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Crawl-delay: 5

User-agent: GPTBot
Disallow: /
"""

_SEED = 9309
_RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)

_NAMES_OF_PAGES = """
    about account admin ajax api app archive article assets author basket beta blog book brand
    bundle cache cart catalog category cgi-bin checkout collections comment common compare contact
    content core cron data default download edit email en events export feed files filter forum
    gallery go help home images includes index info item jobs js json lang library list login logout
    mail media member misc mobile modules news node offers order page partner pdf photos plugins
    policy popular post press price print private product profile promo public query rating recent
    register reply report results review rss sale scripts search secure session settings share shop
    sign-in site sort static stats store submit support tag temp terms test themes tmp topic
    tracking trackback upload user vendor video view wiki wishlist wp-admin wp-content wp-includes
    xmlrpc
"""
_NAMES_OF_ROBOTS = """
    Googlebot Bingbot GPTBot CCBot Slurp AhrefsBot SemrushBot MJ12bot Yandex Baiduspider
    Googlebot-Image Mediapartners-Google AdsBot-Google ClaudeBot PerplexityBot Bytespider Amazonbot
    Applebot DotBot PetalBot ia_archiver Twitterbot facebookexternalhit rogerbot SeznamBot
    Google-Extended
"""
_WORDS, _ROBOTS = _NAMES_OF_PAGES.split(), _NAMES_OF_ROBOTS.split()
_EXTENSIONS = ("php", "html", "pdf", "aspx", "json", "xml", "cgi", "jsp", "js", "css")


@dataclass(frozen=True)
class Corpus:
    """The files of a benchmark, and their description."""

    name: str
    bodies: tuple[bytes, ...]

    def sample(self, count: int) -> tuple[bytes, ...]:
        """Return random files, the same ones each time."""
        return tuple(random.Random(_SEED).sample(self.bodies, min(count, len(self.bodies))))

    def largest(self, count: int) -> tuple[bytes, ...]:
        """Return the files with the most rules."""
        return tuple(sorted(self.bodies, key=lambda body: len(patterns(body)), reverse=True)[:count])

    def shape(self) -> str:
        """Describe the number and size of the files."""
        sizes = sorted(map(len, self.bodies))
        rules = sorted(len(patterns(body)) for body in self.bodies)
        last = len(sizes) * 99 // 100
        return (
            f"{len(sizes):,} {self.name}: {sum(sizes) / 1e6:.1f} MB and {sum(rules):,} rules; "
            f"the median file has {statistics.median(sizes):,.0f} bytes and {statistics.median(rules):,.0f} "
            f"rules, the 99th percentile {sizes[last] / 1000:,.0f} KB and {rules[last]:,} rules, "
            f"the largest {rules[-1]:,} rules"
        )


def load(part: int = 1) -> Corpus:
    """Read the real files if there are any, or generate files. Use every `part`-th file only."""
    folder = os.environ.get("COMITY_CORPUS")
    if folder:
        files = sorted(path for path in Path(folder).iterdir() if path.is_file())
        return Corpus("real files", tuple(path.read_bytes() for path in files[::part]))
    return Corpus("synthetic files", tuple(_synthetic())[::part])


def patterns(body: bytes) -> list[bytes]:
    """Return the path patterns of a file, for all robots."""
    return _RULE.findall(body.replace(b"\r", b"\n"))


def questions(body: bytes, count: int) -> list[str]:
    """Generate paths: half follow the file's patterns, half consist of common words."""
    chance = random.Random(f"{_SEED} {len(body)}")
    own = [pattern.decode("utf-8", "replace") for pattern in patterns(body)]
    paths = [_like(chance, chance.choice(own)) for _ in range(count // 2 if own else 0)]
    paths += [_common(chance) for _ in range(count - len(paths))]
    chance.shuffle(paths)
    return paths


def _like(chance: random.Random, pattern: str) -> str:
    """Generate a path that a pattern matches, or nearly matches."""
    path = "".join(chance.choice(_WORDS) if part == "*" else part for part in re.split(r"(\*)", pattern))
    path = (
        path.removesuffix("$") if pattern.endswith("$") else path + chance.choice(("", "x", "/page", "?id=7"))
    )
    return path if path.startswith("/") else "/" + path


def _common(chance: random.Random) -> str:
    path = "/" + "/".join(chance.choices(_WORDS, k=chance.randint(1, 4)))
    end = chance.choice(("", "/", f"-{chance.randint(1, 99_999)}", f".{chance.choice(_EXTENSIONS)}"))
    query = f"?{chance.choice(_WORDS)}={chance.randint(1, 999)}" if chance.random() < 0.25 else ""
    return path + end + query


def _synthetic() -> Iterator[bytes]:
    chance = random.Random(_SEED)
    for number in range(2_000):
        kind = chance.random()
        if number == 1_000:
            yield _file(chance, 30_000)
        elif kind < 0.01:
            yield b""
        elif kind < 0.04:
            yield _web_page(chance)
        else:
            yield _file(chance, min(3_000, round(chance.lognormvariate(2.22, 1.66))))


def _file(chance: random.Random, rules: int) -> bytes:
    lines = list(_heading(chance)) + list(_groups(chance, rules))
    if chance.random() < 0.6:
        sitemaps = min(400, round(chance.lognormvariate(0.3, 1.2)))
        lines += ["", *(f"Sitemap: {SITE}{_common(chance)}/sitemap-{n}.xml" for n in range(1 + sitemaps))]
    end = chance.choices(("\n", "\r\n", "\r"), (70, 29, 1))[0]
    body = (end.join(lines) + end).encode()
    return b"\xef\xbb\xbf" + body if chance.random() < 0.02 else body


def _heading(chance: random.Random) -> Iterator[str]:
    if chance.random() < 0.4:
        for _ in range(min(600, round(chance.lognormvariate(1, 1.5)))):
            yield "# " + " ".join(chance.choices(_WORDS, k=chance.randint(3, 10)))


def _groups(chance: random.Random, rules: int) -> Iterator[str]:
    count = 1 if chance.random() < 0.6 else 1 + min(rules, round(chance.lognormvariate(1.2, 0.9)))
    robots = ["*", *chance.sample(_ROBOTS, min(count - 1, len(_ROBOTS)))]
    # The group for all robots has most of the rules; the others share the rest.
    left = max(rules - 3 * len(robots), 0)
    written: set[str] = set()
    for robot in robots:
        yield f"User-agent: {robot}"
        if chance.random() < 0.06:
            yield f"Crawl-delay: {chance.randint(1, 30)}"
        for _ in range((left if robot == "*" else 0) + min(rules, 3)):
            yield _rule(chance, written)
        yield ""


def _rule(chance: random.Random, written: set[str]) -> str:
    """Generate a rule that the file does not have yet. Long files are lists of single pages."""
    field = "Allow" if chance.random() < 0.12 else "Disallow"
    comment = f"  # {chance.choice(_WORDS)}" if chance.random() < 0.01 else ""
    pattern = _pattern(chance)
    if pattern in written:
        end = f"/*{pattern[2:]}" if pattern.startswith("/*") else pattern
        pattern = f"/{chance.choice(_WORDS)}/{chance.choice(_WORDS)}-{len(written)}{end}"
    written.add(pattern)
    return f"{field}: {pattern}{comment}"


def _pattern(chance: random.Random) -> str:
    """Generate a path pattern: one in six with `*`, one in fifty with `$`, some with `%`."""
    words = chance.choices(_WORDS, k=4)
    kind = chance.random()
    if kind < 0.06:
        return f"/*?{words[0]}="
    if kind < 0.11:
        return f"/*/{words[0]}/"
    if kind < 0.16:
        return f"/{words[0]}/*/{words[1]}"
    if kind < 0.18:
        return f"/*.{chance.choice(_EXTENSIONS)}$"
    if kind < 0.19:
        return f"/{words[0]}/%{chance.randint(16, 255):02X}{words[1]}"
    deep = "/".join(words[: chance.randint(1, 3)])
    return chance.choice(
        (f"/{deep}/", f"/{deep}", f"/{deep}.{chance.choice(_EXTENSIONS)}", f"/{deep}-{words[3]}")
    )


def _web_page(chance: random.Random) -> bytes:
    """Generate an HTML page, as many sites send instead of a robots.txt."""
    lines = ["<!DOCTYPE html>", "<html>", "<head><title>Not found</title></head>", "<body>"]
    for _ in range(min(5_000, round(chance.lognormvariate(6, 1)))):
        words = " ".join(chance.choices(_WORDS, k=8))
        lines.append(f'  <div class="{chance.choice(_WORDS)}"><a href="{_common(chance)}">{words}</a></div>')
    return "\n".join([*lines, "</body>", "</html>"]).encode()
