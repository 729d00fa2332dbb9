"""The agent, by position or forgotten."""

import comity

robots = comity.parse("User-agent: *")
robots.allowed("/", "A")  # error
robots.allowed("/")  # error
robots.check("/", agents="A")  # error
robots.allowed("/", agent=None)  # error
robots.rules_for("A").allowed("/", agent="A")  # error
