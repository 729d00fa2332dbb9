"""Attributes that a refusal does not have."""

import comity

robot = comity.Robot("A/1", contact="a@b.example")
try:
    robot.get("https://example.com/")
except comity.Unreachable as error:
    print(error.untill)  # error
except comity.Disallowed as error:
    print(error.seconds)  # error
    rule: comity.Rule = error.verdict.rule  # error
except comity.MustWait as error:
    wait: int = error.seconds  # error
except comity.UsageDisallowed as error:
    print(error.page.links)  # error
    print(error.verdict)  # error
