"""Options of one request."""

import comity

robot = comity.Robot("A/1", contact="a@b.example")
robot.page("https://example.com/", hedaers={"A": "b"})  # error
robot.page("https://example.com/", timeout="5")  # error
robot.page(b"https://example.com/")  # error
robot.page("https://example.com/", data=b"")  # error
