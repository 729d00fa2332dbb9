"""Misspelt values of options."""

import comity
from comity import agents
from comity.protocol.access import Fetch, access_without_robots_txt
from comity.site import equivalent, unreachable_rules
from comity.testing import FakeSite

URL = "https://example.com/"

comity.parse("", dialect="googl")  # error
comity.parse("", agent_match="substing")  # error
comity.diff("", "", dialect="rfc9390")  # error
comity.minimize("", dialect="rfc")  # error
equivalent("", "", dialect="1996")  # error
unreachable_rules("", dialect="draft-1996")  # error
comity.usage(URL, agent="A", robots="", dialect="googel")  # error
comity.usage(URL, agent="A", vocabulary="aipref")  # error
comity.page_directives(html="", agent="A", conflicts="google")  # error
Fetch(URL, policy="googel")  # error
access_without_robots_txt(URL, policy="wegt")  # error
comity.Robot("A/1", contact="a@b.example", policy="googel")  # error
comity.Robot("A/1", contact="a@b.example", dialect="googl")  # error
comity.Robot("A/1", contact="a@b.example", agent_match="substing")  # error
comity.Robot("A/1", contact="a@b.example", respect="training")  # error
comity.Robot("A/1", contact="a@b.example", respect=["search", "train"])  # error
comity.AsyncRobot("A/1", contact="a@b.example", vocabulary="current")  # error
agents.by_purpose("train")  # error
comity.RobotsTransport(FakeSite(), "A/1", contact="a@b.example", policy="strickt")  # error
