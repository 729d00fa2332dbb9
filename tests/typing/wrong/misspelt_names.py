"""Names that do not exist."""

import comity
import comity.stores
from comity import Robott  # error
from comity.testing import FakeSites  # error

comity.pares("")  # error
comity.stores.RediStore("redis://localhost")  # error
