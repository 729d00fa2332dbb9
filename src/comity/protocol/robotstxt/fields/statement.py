"""One statement of a site about one category of use, and whether it decides."""

from ...text import printable
from ...value import Choice, Value
from .vocabulary import Preference

#: Maximum number of characters of a text that are shown.
_LONGEST = 300


class Standing(Choice):
    """Whether a statement decides, and if not, why; `sentence` is the reason in words.

    >>> Standing.DISALLOW_WINS.code, Standing.DISALLOW_WINS.sentence
    ('disallow-wins', 'it is overruled, because a disallow wins over an allow')
    """

    DECIDES = "decides", "it decides"
    AGREES = "agrees", "it agrees with the statement that decides"
    DISALLOW_WINS = "disallow-wins", "it is overruled, because a disallow wins over an allow"
    SAYS_NEITHER = "says-neither", "it neither allows nor disallows"
    UNREADABLE = "unreadable", "its value cannot be read, so it is ignored"
    LONGER_PATH = "longer-path", "it is replaced by a Content-Usage rule with a longer path"
    UNREADABLE_PATH = (
        "unreadable-path",
        "it is overruled, because a longer path has a value that cannot be read",
    )
    EARLIER_ENTRY = "earlier-entry", "it is overruled, because an earlier entry for the URL cannot be read"
    CLOSER_SOURCE = "closer-source", "it is overridden by a source closer to the content"
    CONDITIONAL = (
        "conditional",
        "it permits something under conditions that are not read, so it allows nothing",
    )
    TERMS = "terms", "its licence offers the use under terms, so it allows nothing"
    UNLICENSED = "unlicensed", "its licence is not available, so the use is not licensed"
    UNREAD = "unread", "its licence was not read, so it allows nothing"
    UNCRAWLABLE = "uncrawlable", "it is void, because the robot may not fetch the URL"


class Statement(Value):
    r"""One preference that a site states for one `category` of use.

    `preference` is the statement, and `standing` whether it decides. `vocabulary` is its language:
    "content-usage", "content-signal", "tdmrep", "ai.txt", "acap", "rsl", "robots-meta" for robots rules of
    the page, or "robots.txt" for the rules that decide crawling. `source` is where it was read: "robots.txt",
    "header", "meta", "html" (a link or a licence in the page), "tdmrep.json" or "ai.txt". `place` is the line
    there, or the entry of `tdmrep.json`, counted from 1, or `None`. `text` is the text at that place, or the
    reason if the file could not be read. `policy` is the URL of the licence of TDMRep or RSL, or `None`. The
    statement that decides has `Standing.DECIDES`.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nContent-Usage: /ai/ train-ai=n")
    >>> statement = robots.rules_for("ExampleBot").usage("/ai/page").deciding("train-ai")
    >>> statement.source, statement.place, statement.preference, statement.standing
    ('robots.txt', 2, Preference.DISALLOW, Standing.DECIDES)
    """

    vocabulary: str
    source: str
    place: int | None
    text: str
    category: str
    preference: Preference
    standing: Standing
    policy: str | None

    def record(self) -> dict[str, object]:
        """Return the fields of its JSON object; a long text is cut."""
        return {
            "vocabulary": self.vocabulary,
            "source": self.source,
            "place": self.place,
            "text": _shown(self.text),
            "category": self.category,
            "preference": self.preference.code,
            "standing": self.standing.code,
            "policy": None if self.policy is None else _shown(self.policy),
        }

    def __str__(self) -> str:
        unit = "entry" if self.source == "tdmrep.json" else "line"
        if self.place is not None:
            return f"{self.source} {unit} {self.place} `{_shown(self.text)}`"
        # Without a line, the text is not the site's: it is the reason why the file could not be read.
        text = _shown(self.text)
        return f"{self.source} `{text}`" if self.source in ("header", "meta") else f"{self.source} ({text})"


def _shown(text: str) -> str:
    """Return a text fit for a terminal or a log: printable, and cut if it is long."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
