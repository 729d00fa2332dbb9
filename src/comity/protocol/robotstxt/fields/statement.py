"""What a site was heard to say: one statement about one category of use, and what became of it."""

from enum import Enum

from ...value import Value
from ..verdict import printable
from .vocabulary import Preference

__all__ = ["Standing", "Statement"]


#: So many characters of a text are shown.
_LONGEST = 300


class Standing(Enum):
    """What became of a statement; the value says it in words."""

    DECIDES = "it decides"
    AGREES = "it agrees with the statement that decides"
    DISALLOW_WINS = "it is overruled, since a disallow wins over an allow"
    SAYS_NEITHER = "it neither allows nor disallows"
    UNREADABLE = "its value cannot be read, so it says nothing"
    LONGER_PATH = "it is replaced by a Content-Usage rule with a longer path"
    UNREADABLE_PATH = "it is overruled, since a longer path has a value that cannot be read"
    EARLIER_ENTRY = "it is overruled, since an earlier entry for the URL cannot be read"
    CLOSER_SOURCE = "it is overridden by what came closer to the content"
    UNCRAWLABLE = "it is void, since the robot may not fetch the URL"

    def __repr__(self) -> str:
        return f"Standing.{self.name}"

    @property
    def code(self) -> str:
        """The name as it is written in JSON and tables: "longer-path"."""
        return self.name.lower().replace("_", "-")


class Statement(Value):
    """One thing that a site says of one category of use.

    `vocabulary` is the language that it is said in: "content-usage", "content-signal", "tdmrep",
    "ai.txt", "acap", or "robots.txt" for the rules that decide crawling. `source` is where it was read:
    "robots.txt", "header", "meta", "tdmrep.json" or "ai.txt". `place` is the line there, or the entry of
    `tdmrep.json`, from 1; `None` if it has none. `text` is what stands there, or
    why nothing of the file is to be shown. `policy` is the URL of the
    licence that TDMRep offers, if it does. The statement that decides has `Standing.DECIDES`.
    """

    __slots__ = ("vocabulary", "source", "place", "text", "category", "preference", "standing", "policy")
    vocabulary: str
    source: str
    place: int | None
    text: str
    category: str
    preference: Preference
    standing: Standing
    policy: str | None

    def record(self) -> dict[str, object]:
        """Give the statement as JSON has it; a long text is cut."""
        return {
            "vocabulary": self.vocabulary,
            "source": self.source,
            "place": self.place,
            "text": _shown(self.text),
            "category": self.category,
            "preference": self.preference.value,
            "standing": self.standing.code,
            "policy": None if self.policy is None else _shown(self.policy),
        }

    def __str__(self) -> str:
        unit = "entry" if self.source == "tdmrep.json" else "line"
        if self.place is not None:
            return f"{self.source} {unit} {self.place} `{_shown(self.text)}`"
        # Where a file has no line to show, the text is not the site's but tells why.
        text = _shown(self.text)
        return f"{self.source} `{text}`" if self.source in ("header", "meta") else f"{self.source} ({text})"


def _shown(text: str) -> str:
    """Make a text fit for a terminal or a log: what a site writes may be as long as it likes."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
