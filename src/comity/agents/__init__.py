"""Known crawlers: product token, operator, purposes, and whether they obey robots.txt.

    ALL          every known agent, by token
    find         the agent behind a product token or a User-Agent header
    by_purpose   the agents that fetch for a purpose, such as `training`
    question     what to ask a robots.txt for a robot: a Question with tokens, dialect and assumptions
    suggestions  the tokens that an unknown name may mean
    PURPOSES     the purposes, with descriptions
    MISNOMERS    names that files have for a robot, and that it does not find, such as Google

Who sent a request, by its address:

    verify         whether a request was sent by the robot that it names
    verify_claims  the same for many requests, such as those of a log; `claim` reads a line
    NameServers    a resolver for `verify`, which asks DNS
    FeedStore      the stored lists of addresses that operators publish
    refresh_feed   fetch such a list; `read_feed` reads its content

The facts are in `agents.toml`, each with its source and date. They are statements of operators, or reports of
such statements in lists of agents. They do not prove that an agent behaves as its operator says, or that a
request with a token comes from its operator. The data is loaded on first use.
"""

from .._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".address_checks": "verify",
        ".address_lists": "Feed FeedCopy FeedState",
        ".agent": "Agent CHECK_LIMITS Misnomer OBEYS PURPOSES Question SHAPES Source",
        ".claims": "Claim ClaimReport claim verification_problems verify_claims",
        ".feed_formats": "MAX_FEED_BYTES read_feed",
        ".feed_refresh": "FeedResponse Refreshed refresh_feed",
        ".feed_store": "FeedStore StoredFeed",
        ".known": "ALL MISNOMERS by_fame by_purpose find question",
        ".name_servers": "NameServers",
        ".reverse_dns": "Resolver",
        ".similar": "similar_tokens suggestions",
        ".verification": "Answer Check Method Verification VerificationProblem VerificationReason",
    },
)
