# Written by tools/faces.py.
from .address_checks import verify
from .address_lists import Feed, FeedCopy, FeedState
from .agent import Agent, CHECK_LIMITS, Misnomer, OBEYS, PURPOSES, Question, SHAPES, Source
from .claims import Claim, ClaimReport, claim, verification_problems, verify_claims
from .feed_formats import MAX_FEED_BYTES, read_feed
from .feed_refresh import FeedResponse, Refreshed, refresh_feed
from .feed_store import FeedStore, StoredFeed
from .known import ALL, MISNOMERS, by_fame, by_purpose, find, question
from .name_servers import NameServers
from .reverse_dns import Resolver
from .similar import similar_tokens, suggestions
from .verification import Answer, Check, Method, Verification, VerificationProblem, VerificationReason

__all__ = [
    "ALL",
    "Agent",
    "Answer",
    "CHECK_LIMITS",
    "Check",
    "Claim",
    "ClaimReport",
    "Feed",
    "FeedCopy",
    "FeedResponse",
    "FeedState",
    "FeedStore",
    "MAX_FEED_BYTES",
    "MISNOMERS",
    "Method",
    "Misnomer",
    "NameServers",
    "OBEYS",
    "PURPOSES",
    "Question",
    "Refreshed",
    "Resolver",
    "SHAPES",
    "Source",
    "StoredFeed",
    "Verification",
    "VerificationProblem",
    "VerificationReason",
    "by_fame",
    "by_purpose",
    "claim",
    "find",
    "question",
    "read_feed",
    "refresh_feed",
    "similar_tokens",
    "suggestions",
    "verification_problems",
    "verify",
    "verify_claims",
]
