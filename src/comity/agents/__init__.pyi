# Written by tools/faces.py.
from .address_checks import verify
from .address_lists import Feed, FeedCopy, FeedState
from .agent import Agent, CHECK_LIMITS, Misnomer, OBEYS, PURPOSES, Question, SHAPES, Source
from .feed_formats import read_feed
from .known import ALL, MISNOMERS, by_purpose, find, question
from .name_servers import NameServers
from .reverse_dns import Resolver
from .verification import Answer, Check, Method, Reason, Verification

__all__ = [
    "ALL",
    "Agent",
    "Answer",
    "CHECK_LIMITS",
    "Check",
    "Feed",
    "FeedCopy",
    "FeedState",
    "MISNOMERS",
    "Method",
    "Misnomer",
    "NameServers",
    "OBEYS",
    "PURPOSES",
    "Question",
    "Reason",
    "Resolver",
    "SHAPES",
    "Source",
    "Verification",
    "by_purpose",
    "find",
    "question",
    "read_feed",
    "verify",
]
