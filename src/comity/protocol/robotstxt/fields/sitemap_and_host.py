"""Host and Sitemap: what their values must be."""


def is_sitemap(value: str) -> bool:
    """Return whether a Sitemap value is an absolute URL.

    >>> is_sitemap("https://example.com/sitemap.xml"), is_sitemap("/sitemap.xml")
    (True, False)
    """
    scheme, separator, rest = value.partition("://")
    named = rest.partition("/")[0] and not any(map(str.isspace, rest))
    return bool(separator and named) and scheme.isascii() and scheme[:1].isalpha() and scheme.isalnum()


def is_host(value: str) -> bool:
    """Return whether a Host value is one host name, perhaps with a port, and not an IP address.

    >>> is_host("www.example.com:8080"), is_host("192.0.2.1"), is_host("a.example b.example")
    (True, False, False)
    """
    name, colon, port = (
        value.removeprefix("http://").removeprefix("https://").removesuffix("/").partition(":")
    )
    labels = name.split(".")
    proper = all(
        label and len(label) < 64 and label.replace("-", "a").replace("_", "a").isalnum() for label in labels
    )
    ported = not colon or (port.isascii() and port.isdigit() and int(port[:6]) < 65_536)
    return proper and len(labels) > 1 and not labels[-1].isdigit() and ported
