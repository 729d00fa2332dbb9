"""The modules for moving from other parsers take names: they refuse an `Agent` of the catalogue.

Those parsers know no robots, so their answer would be that of the name alone, and not that of the robot.
"""

import pytest

from comity import agents
from comity.compat import protego, robotexclusionrulesparser, robotspy
from comity.compat.disagreement import disagreements
from comity.compat.reppy.cache import AgentCache, RobotsCache
from comity.compat.reppy.parser import Rules
from comity.compat.reppy.robots import Robots
from comity.compat.urllib import RobotFileParser

APPLEBOT = agents.find("Applebot")
BODY = "User-agent: Googlebot\nDisallow: /a\nCrawl-delay: 3"
URL = "https://example.com/a"


def urllib_parser(mode):
    parser = RobotFileParser(**({} if mode is None else {"mode": mode}))
    parser.parse(BODY.splitlines())
    return parser


def lookalike():
    parser = robotexclusionrulesparser.RobotFileParserLookalike()
    parser.parse(BODY.splitlines())
    return parser


PROTEGO = protego.Protego.parse(BODY)
SPY = robotspy.RobotsParser.from_string(BODY)
LOOKALIKE = lookalike()
REPPY = Robots.parse("https://example.com/robots.txt", BODY)
OLD_REPPY = Rules("https://example.com/robots.txt", 200, BODY, 0.0)

CALLS = {
    "protego.can_fetch": lambda: PROTEGO.can_fetch(URL, APPLEBOT),
    "protego.crawl_delay": lambda: PROTEGO.crawl_delay(APPLEBOT),
    "protego.request_rate": lambda: PROTEGO.request_rate(APPLEBOT),
    "protego.visit_time": lambda: PROTEGO.visit_time(APPLEBOT),
    "robotspy.can_fetch": lambda: SPY.can_fetch(APPLEBOT, URL),
    "robotspy.find_rules": lambda: SPY.find_rules(APPLEBOT),
    "robotexclusionrulesparser.is_allowed": lambda: LOOKALIKE.is_allowed(APPLEBOT, URL),
    "robotexclusionrulesparser.can_fetch": lambda: LOOKALIKE.can_fetch(APPLEBOT, URL),
    "robotexclusionrulesparser.get_crawl_delay": lambda: LOOKALIKE.get_crawl_delay(APPLEBOT),
    "reppy.allowed": lambda: REPPY.allowed(URL, APPLEBOT),
    "reppy.agent": lambda: REPPY.agent(APPLEBOT),
    "reppy.parser.allowed": lambda: OLD_REPPY.allowed(URL, APPLEBOT),
    "reppy.parser.delay": lambda: OLD_REPPY.delay(APPLEBOT),
    "reppy.cache.RobotsCache": lambda: RobotsCache(10).allowed(URL, APPLEBOT),
    "reppy.cache.AgentCache": lambda: AgentCache(APPLEBOT, 10),
    "disagreements, one": lambda: disagreements(BODY, "urllib", agents=APPLEBOT),
    "disagreements, several": lambda: disagreements(BODY, "urllib", agents=["Tea", APPLEBOT]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_agent_of_the_catalogue_is_refused(call):
    with pytest.raises(TypeError, match="got the known robot Applebot; pass 'Applebot', which counts"):
        call()


@pytest.mark.parametrize("mode", [None, "rfc9309", "classic"])
@pytest.mark.parametrize("method", ["can_fetch", "crawl_delay", "request_rate"])
def test_parser_of_urllib_refuses_an_agent_of_the_catalogue(mode, method):
    parser = urllib_parser(mode)
    arguments = (APPLEBOT, URL) if method == "can_fetch" else (APPLEBOT,)
    with pytest.raises(TypeError, match="got the known robot Applebot"):
        getattr(parser, method)(*arguments)
