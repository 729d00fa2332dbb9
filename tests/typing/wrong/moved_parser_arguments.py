"""The order of arguments and the types of the other parsers."""

from comity.compat.protego import Protego
from comity.compat.reppy.robots import Robots
from comity.compat.robotexclusionrulesparser import RobotExclusionRulesParser
from comity.compat.robotspy import RobotsParser

Protego.parse(b"User-agent: *")  # error
Protego.parse("").can_fetch(b"/", "ExampleBot")  # error
Protego.parse("").sitemaps[0]  # error
Protego.parse("", dialect="bing")  # error
RobotsParser.from_string(b"")  # error
RobotsParser.from_string("").sitemaps[0]  # error
RobotExclusionRulesParser().is_allowed("ExampleBot", "/", syntax="MK1996")  # error
Robots("https://example.com/robots.txt", "User-agent: *")  # error
Robots.parse("https://example.com/robots.txt", "").agent("ExampleBot").delay + 1  # error
