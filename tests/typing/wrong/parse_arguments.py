"""Wrong inputs of parse."""

from pathlib import Path

import comity

comity.parse(Path("robots.txt"))  # error
comity.parse(3)  # error
comity.parse("", dialects="google")  # error
comity.parse(None)  # error

robots = comity.parse(b"User-agent: *")
robots.body = b"User-agent: *"  # error
robots.dialect = robots.dialect  # error
