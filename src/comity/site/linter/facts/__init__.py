"""Facts that several rules of the linter need, computed from a file.

common_rules      the paths that `*` closes, and the search engines with groups of their own
hosts             the hosts and domains of URLs
needless_rules    the rules that win for some paths and change no answer
platforms         the lines that a platform writes, and that owners cannot change
sample_path       a path that a pattern matches
several_urls      the URLs of a Sitemap line that has several
"""
