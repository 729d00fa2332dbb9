"""Calls of the parser that cannot be right."""

from comity.compat.urllib import RobotFileParser

parser = RobotFileParser("https://example.com/robots.txt")
parser.parse(b"User-agent: *")  # error
parser.parse(None)  # error
parser.can_fetch("ExampleBot")  # error
parser.read(30)  # error
RobotFileParser(mode="3.11")  # error
