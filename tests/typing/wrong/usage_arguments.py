"""Wrong inputs and results of usage."""

import comity

usage = comity.usage("/", agent="A", robots="User-agent: *")
usage.permits("train-ai", True)  # error
usage.permit("train-ai")  # error
comity.usage("/", agent="A", robot="User-agent: *")  # error
comity.usage("/", agent="A", headers="A: b")  # error
statement: comity.Statement = usage.deciding("train-ai")  # error
