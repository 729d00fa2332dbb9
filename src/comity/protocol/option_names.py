"""The names that parameters accept, for type checkers, which reject a misspelt name.

At run time this module is empty, because `typing` would make the import of Comity slower. Import its names
under `if TYPE_CHECKING:`. A name from a file of settings is a `str`: look it up in
`comity.protocol.robotstxt.DIALECTS`, or with `comity.protocol.access.access_policy`, and pass the result.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    #: The dialects of robots.txt.
    DialectName: TypeAlias = Literal["rfc9309", "google", "draft1996", "1994"]

    #: The ways to compare a robot's name with a `User-agent` value.
    AgentMatch: TypeAlias = Literal["token", "google-token", "value-in-name", "name-in-value", "substring"]

    #: The ways to judge the answers to requests for a robots.txt.
    PolicyName: TypeAlias = Literal["rfc9309", "google", "draft1996", "lwp", "wget", "strict"]

    #: What shares a queue of requests: the origins of a host, or all hosts of an IP address.
    QueueName: TypeAlias = Literal["host", "address"]

    #: The vocabularies of Content-Usage.
    VocabularyName: TypeAlias = Literal[
        "aipref-vocab-01",
        "aipref-vocab-02",
        "aipref-vocab-03",
        "aipref-vocab-04",
        "aipref-vocab-05",
        "aipref-vocab-08",
    ]

    #: The uses of content that a robot can respect, of all vocabularies, and the directive `index`.
    UseName: TypeAlias = Literal[
        "train-ai",
        "search",
        "ai-input",
        "ai-index",
        "tdm",
        "crawl",
        "index",
        "ai",
        "ai-output",
        "ai-use",
        "all",
        "bots",
        "genai",
        "inference",
        "train-genai",
    ]

    #: The purposes of known agents.
    PurposeName: TypeAlias = Literal[
        "search", "training", "user-triggered", "seo", "archive", "data", "preview", "ads", "other"
    ]

    #: The ways to settle contradictions between the rules of a page.
    Conflicts: TypeAlias = Literal["restrictive", "yandex"]


del TYPE_CHECKING
