"""Options that a transport does not have."""

import httpx2

import comity

comity.RobotsTransport(httpx2.HTTPTransport(), "A/1", contact="a@b.example", respect="train-ai")  # error
comity.RobotsTransport(httpx2.AsyncHTTPTransport(), "A/1", contact="a@b.example")  # error
comity.AsyncRobotsTransport(httpx2.HTTPTransport(), "A/1", contact="a@b.example")  # error
comity.RobotsTransport("A/1", contact="a@b.example")  # error
