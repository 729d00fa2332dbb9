"""A robot without a contact, and with positional options."""

import comity

comity.Robot("A/1")  # error
comity.Robot("A/1", "a@b.example")  # error
comity.AsyncRobot(contact="a@b.example")  # error
