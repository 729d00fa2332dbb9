"""Options of a wrong type."""

import comity

comity.Robot("A/1", contact="a@b.example", delay="1")  # error
comity.Robot("A/1", contact="a@b.example", timeout="5")  # error
comity.Robot("A/1", contact="a@b.example", verify=0.5)  # error
comity.Robot("A/1", contact="a@b.example", log=3)  # error
comity.Robot("A/1", contact="a@b.example", max_redirects="3")  # error
robot = comity.Robot("A/1", contact="a@b.example", delay=None)
robot.delay = "1"  # error
robot.delay = None  # error
robot.max_wait = "60"  # error
robot.host_wait(3)  # error
robot.visits(b"example.com")  # error
robot.learn("https://example.com/")  # error
robot.learn("https://example.com/", 3)  # error
robot.learn("https://example.com/", "", 1e9)  # error
robot.learn("https://example.com/", "", until="tomorrow")  # error
