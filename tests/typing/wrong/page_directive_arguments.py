"""Wrong inputs and results of page_directives."""

import comity

comity.page_directives(html="")  # error
comity.page_directives("", agent="A")  # error
page = comity.page_directives(agent="A", policy="google")  # error
sentence = comity.page_directives(agent="A").max_snippet + 1  # error
comity.page_directives(agent="A").indexed  # error
