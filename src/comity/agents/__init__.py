"""Known crawlers: product token, operator, purposes, and whether they obey robots.txt.

    ALL          every known agent, by token
    find         the agent behind a product token or a User-Agent header
    by_purpose   the agents that fetch for a purpose, such as `training`
    question     what to ask a robots.txt for a robot: a Question with tokens, dialect and assumptions
    verify       whether a request was sent by the robot that it names, by its address
    read_feed    the content of an operator's list of addresses
    NameServers  a resolver for `verify`, which asks DNS
    PURPOSES     the purposes, with descriptions
    MISNOMERS    names that files have for a robot, and that it does not find, such as Google

The facts are in `agents.toml`, each with its source and date. They are statements of operators, or reports of
such statements in lists of agents. They do not prove that an agent behaves as its operator says, or that a
request with a token comes from its operator. The data is loaded on first use.
"""

from .._lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .address_checks import verify
    from .address_lists import Feed, FeedCopy, FeedState
    from .agent import CHECK_LIMITS, OBEYS, PURPOSES, SHAPES, Agent, Misnomer, Question, Source
    from .feed_formats import read_feed
    from .known import ALL, MISNOMERS, by_purpose, find, question
    from .name_servers import NameServers
    from .reverse_dns import Resolver
    from .verification import Answer, Check, Method, Reason, Verification

__all__ = [
    "Agent",
    "ALL",
    "Answer",
    "by_purpose",
    "Check",
    "CHECK_LIMITS",
    "Feed",
    "FeedCopy",
    "FeedState",
    "find",
    "Method",
    "Misnomer",
    "MISNOMERS",
    "NameServers",
    "OBEYS",
    "PURPOSES",
    "Question",
    "question",
    "read_feed",
    "Reason",
    "Resolver",
    "SHAPES",
    "Source",
    "Verification",
    "verify",
]

__getattr__, __dir__ = lazy(
    __name__,
    __all__,
    {
        "Agent": ".agent",
        "ALL": ".known",
        "Answer": ".verification",
        "by_purpose": ".known",
        "Check": ".verification",
        "CHECK_LIMITS": ".agent",
        "Feed": ".address_lists",
        "FeedCopy": ".address_lists",
        "FeedState": ".address_lists",
        "find": ".known",
        "Method": ".verification",
        "Misnomer": ".agent",
        "MISNOMERS": ".known",
        "NameServers": ".name_servers",
        "OBEYS": ".agent",
        "PURPOSES": ".agent",
        "Question": ".agent",
        "question": ".known",
        "read_feed": ".feed_formats",
        "Reason": ".verification",
        "Resolver": ".reverse_dns",
        "SHAPES": ".agent",
        "Source": ".agent",
        "Verification": ".verification",
        "verify": ".address_checks",
    },
)
