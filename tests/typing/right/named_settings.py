"""Names of settings: from a file, where they are texts, and as parameters of a typed function."""

from typing import TYPE_CHECKING

import comity
from comity.protocol.access import access_policy
from comity.protocol.robotstxt import DIALECTS
from comity.testing import FakeSite

if TYPE_CHECKING:
    from comity.protocol.option_names import AgentMatch, DialectName, PolicyName, UseName

settings: dict[str, str] = {"dialect": "google", "policy": "strict"}


def closed(body: str, dialect: "DialectName", agent_match: "AgentMatch | None" = None) -> bool:
    return not comity.parse(body, dialect=dialect, agent_match=agent_match).allowed("/", agent="ExampleBot")


def robot_of(site: FakeSite, policy: "PolicyName", uses: "list[UseName]") -> comity.Robot:
    return comity.Robot(
        "ExampleBot/1.0",
        contact="bot@example.com",
        policy=policy,
        respect=uses,
        transport=site,
        clock=site.clock,
    )


assert closed("User-agent: example\nDisallow: /", "rfc9309", "substring")
assert not closed("User-agent: *\nDisallow:", "1994")
assert comity.parse("", dialect=DIALECTS[settings["dialect"]]).dialect.name == "google"
with robot_of(FakeSite({}), "wget", ["train-ai", "search"]) as robot:
    assert robot.allowed("https://example.com/")
fake = FakeSite({})
with comity.Robot(
    "ExampleBot/1.0",
    contact="bot@example.com",
    policy=access_policy(settings["policy"]),
    transport=fake,
    clock=fake.clock,
) as robot:
    assert robot.allowed("https://example.com/")
