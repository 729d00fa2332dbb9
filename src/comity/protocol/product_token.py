"""A User-Agent header -> the product token that names the robot in robots.txt."""

#: Product names in the headers of browsers, and of robots that imitate browsers, in lower case.
BROWSERS = frozenset(
    [
        "applewebkit",
        "chrome",
        "chromium",
        "crios",
        "edg",
        "edge",
        "fxios",
        "gecko",
        "headlesschrome",
        "khtml",
        "like",
        "mobile",
        "mozilla",
        "msie",
        "opera",
        "opr",
        "presto",
        "safari",
        "samsungbrowser",
        "trident",
        "ubuntu",
        "version",
        "webkit",
        "firefox",
    ]
)

_SPACED = str.maketrans("();,", "    ")

#: The characters that only a whole header has.
_MARKS = frozenset(" \t/(;,")

#: Maximum number of characters of a header that are read.
_LONGEST = 1024


def product_token(user_agent: str) -> str:
    """Return the product token in a `User-Agent` header, `user_agent`; a bare token is returned as it is.

    A robot that imitates a browser is found by the first of these: the product after `compatible;`, the
    product in a comment with a URL or e-mail address, a product whose name contains bot, crawl or spider,
    the last product that is not a browser's. Any other client has its first product. RFC 9309 2.2.1
    requires the token to be part of the header.

    >>> product_token("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    'Googlebot'
    >>> product_token("ExampleBot/1.0 (+https://example.com/bot)")
    'ExampleBot'
    >>> product_token("Mozilla/5.0 (Macintosh) Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)")
    'Applebot'
    >>> product_token("MJ12bot")
    'MJ12bot'

    Raises `TypeError` if `user_agent` is not a `str`.
    """
    if not isinstance(user_agent, str):
        raise TypeError(f"user_agent: expected a str, not {type(user_agent).__name__}")
    header = user_agent.strip()
    if _MARKS.isdisjoint(header):
        return header
    header = header[:_LONGEST]
    first = _name(header)
    if first and first.lower() not in BROWSERS:
        return first
    return (
        _after_compatible(header)
        or _beside_address(header)
        or _called_bot(header)
        or _last_product(header)
        or first
    )


def is_browser(user_agent: str) -> bool:
    """Return whether a `User-Agent` header is that of a browser: it begins as one, and names no robot.

    >>> is_browser("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/121.0")
    True
    >>> is_browser("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)")
    False
    """
    header = user_agent.strip()[:_LONGEST]
    named = _after_compatible(header) or _beside_address(header) or _called_bot(header)
    return _name(header).lower() in BROWSERS and not named


def _after_compatible(header: str) -> str:
    at = header.lower().find("compatible;")
    return "" if at < 0 else _product(header[at + len("compatible;") :].partition(")")[0].partition(";")[0])


def _beside_address(header: str) -> str:
    for comment in header.split("(")[1:]:
        items = comment.partition(")")[0]
        name = _product(items.partition(";")[0]) if "http" in items or "@" in items else ""
        if name:
            return name
    return ""


def _called_bot(header: str) -> str:
    for word in header.translate(_SPACED).split():
        name = _name(word)
        if any(kind in name.lower() for kind in ("bot", "crawl", "spider")):
            return name
    return ""


def _last_product(header: str) -> str:
    """Return the last product outside comments that is not a browser's."""
    outside = " ".join(piece.rpartition(")")[2] if ")" in piece else piece for piece in header.split("("))
    for word in reversed(outside.split()):
        name = _product(word)
        if name and "/" in word:
            return name
    return ""


def _product(text: str) -> str:
    """Return the first word that is a name, but not a browser's and not a URL."""
    for word in text.split():
        name = _name(word)
        whole = word[len(name) :][:1] in ("", "/", ",")
        number = name.replace(".", "").isdigit()
        if name and whole and not number and name.lower() not in BROWSERS:
            return name
    return ""


def _name(text: str) -> str:
    for length, character in enumerate(text):
        if not (character.isalnum() or character in "-_."):
            return text[:length]
    return text
