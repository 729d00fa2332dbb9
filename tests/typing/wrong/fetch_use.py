"""Wrong uses of Fetch, and of policies."""

import comity
from comity.protocol.access import access_policy

fetch = comity.Fetch("https://example.com/", policy=3)  # error
fetch.receive("200", {"A": "b"}, now=0.0)  # error
fetch.receive(200, [("A", "b")])  # error
print(fetch.request.url)  # error
access_policy(None)  # error
fetch.data("User-agent: *")  # error
