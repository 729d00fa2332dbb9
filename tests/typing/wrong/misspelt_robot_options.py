"""Options that a robot does not have."""

import comity

comity.Robot("A/1", contact="a@b.example", timout=5)  # error
comity.AsyncRobot("A/1", contact="a@b.example", max_waits=5)  # error
comity.Robot("A/1", contact="a@b.example", header={"A": "b"})  # error
comity.Robot("A/1", contact="a@b.example", mount={})  # error
