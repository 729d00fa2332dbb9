"""The directives of a page for robots: META tags, `X-Robots-Tag`, links, and marked regions of its text.

`encoding` decodes bytes to text, and `markup` finds the tags and comments that matter. `rules` and `dates`
parse their contents, and `statements` selects those for one robot. `links` and `regions` read the rest.
`contradictions` decides which statements count, and `directives` gives the answers.
"""
