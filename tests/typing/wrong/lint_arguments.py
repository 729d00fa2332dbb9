"""Wrong inputs and results of lint."""

import comity
from comity.site import Settings

comity.lint("", Settings())  # error
comity.lint("", settings="ALL")  # error
Settings(selects="C1")  # error
findings = comity.lint("")
findings.append(findings[0])  # error
print(findings[0].row)  # error
findings[0].fix.edits  # error
