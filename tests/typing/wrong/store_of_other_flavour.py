"""Stores and transports of the other flavour."""

import httpx2

import comity
from comity.stores import AsyncMemoryStore, MemoryStore

comity.Robot("A/1", contact="a@b.example", store=AsyncMemoryStore())  # error
comity.AsyncRobot("A/1", contact="a@b.example", store=MemoryStore())  # error
comity.Robot("A/1", contact="a@b.example", store="robots.sqlite3")  # error
comity.Robot("A/1", contact="a@b.example", transport=httpx2.AsyncHTTPTransport())  # error
