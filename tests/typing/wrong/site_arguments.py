"""Wrong inputs of build, diff, minimize and tidy."""

import comity

comity.build(".", "staging")  # error
comity.build(b"block: GPTBot")  # error
comity.diff("", "", agent="A")  # error
comity.diff("")  # error
text: str = comity.tidy("")  # error
comity.minimize("", agents="A")  # error
comity.format("")  # error
