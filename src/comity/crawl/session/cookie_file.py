"""Read a file of cookies in Netscape's format, as browsers' add-ons, curl and Wget write it."""

from collections.abc import Iterator
from http.cookiejar import Cookie

#: The marks of a cookie that scripts cannot read, and of a comment.
_HTTP_ONLY, _COMMENT = "#HttpOnly_", "#"

_FIELDS = 7
_LAST_EXPIRY = 1 << 40

#: Maximum number of cookies in a file.
MAX_COOKIES = 3000


def file_cookies(text: str) -> Iterator[Cookie]:
    r"""Yield the cookies of a file.

    Raises `ValueError` for an invalid line, with its number and without its content.

    >>> text = ".example.com\tTRUE\t/\tTRUE\t0\tsession\t1234\n"
    >>> [(cookie.domain, cookie.name, cookie.secure) for cookie in file_cookies(text)]
    [('.example.com', 'session', True)]
    """
    count = 0
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        written = line.removesuffix("\r").removeprefix(_HTTP_ONLY)
        if not written.strip() or written.startswith(_COMMENT):
            continue
        count += 1
        if count > MAX_COOKIES:
            raise ValueError(f"line {number}: more than {MAX_COOKIES:,} cookies")
        problem, cookie = _read(written)
        if cookie is None:
            raise ValueError(f"line {number}: {problem}")
        yield cookie


def _read(line: str) -> tuple[str, Cookie | None]:
    """Return the cookie of a line, or the problem of the line."""
    fields = line.split("\t")
    if len(fields) != _FIELDS:
        return f"expected {_FIELDS} fields with tabs between them, as in Netscape's format", None
    domain, subdomains, path, secure, expires, name, value = fields
    if {subdomains, secure} - {"TRUE", "FALSE"}:
        return "expected TRUE or FALSE in the second and fourth field", None
    if not domain.strip(".") or not path.startswith("/"):
        return "expected a domain in the first field, and a path in the third", None
    digits = expires.partition(".")[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):
        return "expected a time in seconds in the fifth field", None
    if not name or not (name + value).isprintable() or not (name + value).isascii() or ";" in name + value:
        return "expected a name and a value of printable ASCII characters without a semicolon", None
    host = domain.lstrip(".").lower()
    has_dot = subdomains == "TRUE"
    expiry = min(int(digits), _LAST_EXPIRY) or None
    cookie = Cookie(
        version=0,
        name=name,
        value=value,
        port=None,
        port_specified=False,
        # A host without a dot belongs to `.local` in `http.cookiejar`.
        domain=f".{host}" if has_dot else host if "." in host else f"{host}.local",
        domain_specified=has_dot,
        domain_initial_dot=has_dot,
        path=path,
        path_specified=True,
        secure=secure == "TRUE",
        expires=expiry,
        discard=expiry is None,
        comment=None,
        comment_url=None,
        rest={},
    )
    return "", cookie
