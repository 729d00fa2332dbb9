"""The grammar of robots.txt: RFC 9309 section 2.2, and each tolerated deviation.

There is one named constant for each production. Nothing here parses input; the other modules use these names.
"""

#: RFC 9309 does not mention a byte order mark; every major search engine skips one.
BOM = b"\xef\xbb\xbf"

# EOL = *WS [comment] (CR / LF / CRLF)      RFC 9309 2.2: `bytes.splitlines` splits at exactly these.
# WS  = SP / HTAB                           `bytes.strip` strips VT and FF too, as Google does.

#: comment = "#" *(UTF8-char-noctl / WS / "#")
COMMENT = b"#"

#: startgroupline = *WS "user-agent" *WS ":" *WS product-token EOL; likewise in each other line
SEPARATOR = b":"

#: identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)
IDENTIFIER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")

#: product-token = identifier / "*"
DEFAULT_AGENT = "*"

#: "*" in a path pattern: zero or more of any character, `/` and `?` included (RFC 9309 2.2.3)
WILDCARD = "*"

#: "$" as the last octet of a path pattern: the end of the path (RFC 9309 2.2.3)
END_OF_PATTERN = "$"

#: unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"     RFC 3986 2.3
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

#: reserved = gen-delims / sub-delims     RFC 3986 2.2
RESERVED = frozenset(b":/?#[]@!$&'()*+,;=")

# rule = *WS ("allow" / "disallow") *WS ":" *WS (path-pattern / empty-pattern) EOL
# and Content-Usage, which draft-ietf-aipref-attach adds to this production.

#: The field that names a licence document (RSL).
LICENSE = "license"

#: Records other than allow and disallow that apply to the robots of their group (RFC 9309 2.2.4). A `License`
#: before the first group applies to the whole file (RSL 1.0).
GROUP_FIELDS = (
    "content-usage",
    "content-signal",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "robot-version",
    "comment",
    "noindex",
    LICENSE,
)

#: Every known field. `Sitemap`, `Host` and `Clean-param` apply to the whole file, wherever they are. Fields
#: that begin with `ACAP-` are read too.
FIELDS = ("user-agent", "allow", "disallow", *GROUP_FIELDS, "sitemap", "host", "clean-param")

#: Spellings of `Disallow` that Google counts as typos (robots.cc, KeyIsDisallow).
DISALLOW_TYPOS = ("dissallow", "dissalow", "disalow", "diasllow", "disallaw")

#: The misspelt fields that are accepted: Google's (robots.cc, ParsedRobotsKey), and fields about rates
#: without their hyphen, because a slower robot does no harm.
TYPOS = {
    "useragent": "user-agent",
    "user agent": "user-agent",
    **dict.fromkeys(DISALLOW_TYPOS, "disallow"),
    "site-map": "sitemap",
    **{
        name.replace("-", gap): name
        for name in ("crawl-delay", "request-rate", "visit-time")
        for gap in ("", " ")
    },
}

#: Google reads a field by its beginning, tried in this order (robots.cc, ParsedRobotsKey).
PREFIXES = (
    ("user-agent", "user-agent"),
    ("useragent", "user-agent"),
    ("user agent", "user-agent"),
    ("allow", "allow"),
    ("disallow", "disallow"),
    *((typo, "disallow") for typo in DISALLOW_TYPOS),
    ("sitemap", "sitemap"),
    ("site-map", "sitemap"),
)
