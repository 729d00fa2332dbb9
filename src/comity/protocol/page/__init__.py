"""What a page says to robots about itself: META tags, `X-Robots-Tag`, links and marks in its text.

Data goes straight through: `encoding` makes text of octets, `markup` finds in it the few tags and comments
that matter, `rules` and `dates` read what they say, `statements` says who is meant, `links` and `regions`
take the rest, and `directives` sums it all up.
"""
