"""A URL -> the same URL for messages and logs: without the user name and password (RFC 3986 3.2.1)."""

#: Schemes of URLs without a host, which may contain an `@`.
_WITHOUT_HOST = frozenset(("mailto", "sip", "sips", "xmpp", "acct", "urn", "tel", "data", "javascript"))


def without_password(url: object) -> str:
    """Return a URL as text, without user name and password. Any other text is returned as it is.

    URLs that are not valid are covered too, because messages quote them: a scheme may be missing, and a
    password may have a slash.

    >>> without_password("https://user:secret@example.com/@b")
    'https://example.com/@b'
    >>> without_password("user:secret@example.com"), without_password("http://user:sec/ret@example.com/")
    ('example.com', 'http://example.com/')
    """
    text = str(url)
    start = _start(text) if "@" in text else None
    if start is None:
        return text
    rest = text[start:]
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    authority = rest[:end]
    # Without a valid port, the text up to the next @ is a password.
    password = authority if "@" in authority or _has_valid_port(authority) else rest
    return text[:start] + rest[password.rfind("@") + 1 :]


def _start(text: str) -> int | None:
    """Return where the authority begins, or None for a text without one."""
    scheme, colon, rest = text.partition(":")
    if text.lstrip().startswith("//"):
        return text.index("//") + 2
    if not colon or not {"/", "?", "#"}.isdisjoint(scheme):
        return None
    if rest[:1] in ("/", "\\"):
        return len(text) - len(rest.lstrip("/\\"))
    return None if scheme.strip().lower() in _WITHOUT_HOST else 0


def _has_valid_port(authority: str) -> bool:
    port = "" if authority.startswith("[") else authority.partition(":")[2]
    return not port or (port.isascii() and port.isdigit())
