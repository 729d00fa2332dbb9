"""The content of a META tag or header field -> its rules, and the actions that each forbids or grants.

The rules are those of Google ("Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"), Bing and
Yandex. Obsolete rules are known too, so that they differ from misspelt ones.
"""

from collections.abc import Iterator

from .dates import WEEKDAYS, date_of

#: The answers of `PageDirectives` that each rule forbids.
FORBIDS: dict[str, tuple[str, ...]] = {
    "noindex": ("index",),
    "nofollow": ("follow",),
    "none": ("index", "follow"),
    "noarchive": ("archive",),
    "nocache": ("archive",),  # Bing
    "nosnippet": ("snippet",),
    "notranslate": ("translate",),
    "noimageindex": ("image_index",),
    # Conventions without a standard. A page that is closed to training closes its images too.
    "noai": ("ai", "image_ai"),
    "noimageai": ("image_ai",),
    "noml": ("ai", "image_ai"),  # Mojeek
    # Descriptions from directories: the Open Directory and Yahoo no longer exist.
    "noodp": ("directory",),
    "noydir": ("directory",),
    "noyaca": ("directory",),  # Yandex: generated descriptions too
    "nositelinkssearchbox": ("search_box",),  # Google, obsolete
    "nopagereadaloud": ("read_aloud",),  # Google's service that reads pages to people
}

#: The answers that each positive rule allows. They are the default, so this matters only to Yandex.
GRANTS: dict[str, tuple[str, ...]] = {
    "all": ("index", "follow"),
    "index": ("index",),
    "follow": ("follow",),
    "archive": ("archive",),
}

#: The rules that take a value.
LIMITS = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")

#: Google's exception from `noindex`, which forbids nothing.
EXCEPTION = "indexifembedded"

#: The rules that Google reads in a META tag with the name `google`; its robots do not read others there.
GOOGLE_RULES = ("notranslate", "nositelinkssearchbox", "nopagereadaloud")

#: Sizes of previews, the strictest first.
_PREVIEWS = ("none", "standard", "large")

#: The scope of a rule for every robot.
ALL_ROBOTS = "*"

#: A rule in lower case, and its value: a number of characters or seconds (-1 for any), the name of a
#: preview, seconds since 1970, or `None` if the value is absent or not valid.
StatedRule = tuple[str, int | float | str | None]

#: Maximum length of an unknown rule, in characters; the rest is dropped.
_LONGEST = 100


def rules_in(content: str) -> Iterator[StatedRule]:
    """Yield the rules of a META tag: a list with commas, without names of robots.

    >>> list(rules_in("NOINDEX, max-snippet: 20, unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT"))
    [('noindex', None), ('max-snippet', 20), ('unavailable_after', 1764767393.0)]
    """
    parts = iter(content.split(","))
    for part in parts:
        item = part.strip()
        if item:
            name, colon, value = item.partition(":")
            yield _rule(name.strip(), value, parts) if colon else (item.lower()[:_LONGEST], None)


def scoped_rules_in(value: str) -> Iterator[tuple[str, StatedRule]]:
    """Yield the rules of one `X-Robots-Tag` line, each with the name of the robot that it is for.

    A name with a colon holds for the rest of the line, or until the next name (Google).

    >>> list(scoped_rules_in("noarchive, BadBot: noindex, max-snippet: 5"))
    [('*', ('noarchive', None)), ('badbot', ('noindex', None)), ('badbot', ('max-snippet', 5))]
    """
    scope = ALL_ROBOTS
    parts = iter(value.split(","))
    for part in parts:
        *names, last = part.split(":")  # all at once: one by one, `a:a:a:...` would take quadratic time
        for place, name in enumerate(names):
            if name.strip().lower() in LIMITS:
                yield scope, _rule(name.strip(), ":".join([*names[place + 1 :], last]), parts)
                break
            scope = name.strip().lower() or ALL_ROBOTS
        else:
            if last.strip():
                yield scope, (last.strip().lower()[:_LONGEST], None)


def is_known(rule: str) -> bool:
    """Return whether a rule, in lower case, has a meaning.

    >>> is_known("noindex"), is_known("no index")
    (True, False)
    """
    return rule in FORBIDS or rule in GRANTS or rule in LIMITS or rule == EXCEPTION


def _rule(name: str, value: str, parts: Iterator[str]) -> StatedRule:
    """Parse a rule with a value; a date continues after the comma behind the day of the week."""
    rule = name.lower()[:_LONGEST]
    value = value.strip()
    match rule:
        case "max-snippet" | "max-video-preview":
            return rule, _number(value)
        case "max-image-preview":
            return rule, value.lower() if value.lower() in _PREVIEWS else None
        case "unavailable_after":
            if value.lower().rstrip(".") in WEEKDAYS:
                value = f"{value}, {next(parts, '')}"
            return rule, date_of(value)
        case _:
            return f"{rule}:{value}"[:_LONGEST], None


def _number(value: str) -> int | None:
    if value == "-1":
        return -1
    # `int` refuses thousands of digits; more than 18 mean no limit anyway
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else None


def strictness(rule: str, value: int | float | str | None) -> float:
    """Return the value of a limit as a number; a smaller number is stricter.

    >>> strictness("max-snippet", 20) < strictness("max-snippet", -1)
    True
    """
    if isinstance(value, str):
        return _PREVIEWS.index(value)
    return float("inf") if value is None or (value == -1 and rule != "unavailable_after") else float(value)
