"""URL -> host, and host -> the domain that its site belongs to."""

#: Labels that registries use as a second level, as in `example.co.uk`.
_SECOND_LEVEL = frozenset(
    [
        "ac",
        "co",
        "com",
        "edu",
        "gob",
        "gov",
        "go",
        "gouv",
        "govt",
        "ltd",
        "mil",
        "ne",
        "net",
        "nhs",
        "nom",
        "or",
        "org",
    ]
)


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without user and port; empty if there is none, or it is IPv6.

    >>> host_of("https://www.Example.com:8080/a"), host_of("/a"), host_of("https://[::1]/")
    ('www.example.com', '', '')
    """
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https", "ftp"):
        return ""
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2].lower()
    return "" if host.startswith("[") else host.partition(":")[0].rstrip(".")


def domain_of(host: str) -> str:
    """Return the domain of a host, guessed without the list of public suffixes.

    >>> domain_of("www.example.com"), domain_of("static.example.co.uk"), domain_of("localhost")
    ('example.com', 'example.co.uk', 'localhost')
    """
    labels = host.split(".")
    if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL:
        return ".".join(labels[-3:])
    return ".".join(labels[-2:])
