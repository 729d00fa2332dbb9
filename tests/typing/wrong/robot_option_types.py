"""Options of a wrong type."""

import comity

comity.Robot("A/1", contact="a@b.example", delay="1")  # error
comity.Robot("A/1", contact="a@b.example", delay=None)  # error
comity.Robot("A/1", contact="a@b.example", timeout="5")  # error
comity.Robot("A/1", contact="a@b.example", verify=0.5)  # error
comity.Robot("A/1", contact="a@b.example", log=3)  # error
comity.Robot("A/1", contact="a@b.example", max_redirects="3")  # error
