"""Wrong uses of the fakes."""

import comity
from comity.testing import FakeClock, FakeSite

site = FakeSite({"/": 3.5})  # error
FakeSite(pages={"/": "Tea."}, robot="User-agent: *")  # error
FakeClock(now="now")  # error
print(site.requests[0].body)  # error
comity.Robot("A/1", contact="a@b.example", clock=FakeSite())  # error
