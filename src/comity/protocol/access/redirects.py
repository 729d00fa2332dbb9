"""A `Location` and the URL that sent it -> the next URL to request (RFC 9110 10.2.2, RFC 3986 5)."""

from ..dot_segments import with_slashes, without_dot_segments
from ..input_errors import InvalidURL
from ..origin import Origin, is_scheme
from ..userinfo import has_at_sign, without_password

#: Status codes of a redirect to the URL in Location (RFC 9110 15.4).
REDIRECT_STATUSES = frozenset((301, 302, 303, 307, 308))

#: The characters that a path or query may contain without escapes (RFC 3986 3.3, 3.4), and `%`.
_PLAIN = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%"  # in that order
)


class BrokenRedirect(Exception):
    """A redirect that cannot be followed; the message is the reason."""


def redirected(base: str, location: str | None) -> str:
    r"""Return the absolute URL that a redirect leads to, without fragment.

    >>> redirected("https://example.com/robots.txt", "http://www.example.com?a#b")
    'http://www.example.com/?a'
    >>> redirected("https://example.com/a/robots.txt", "../b/./robots.txt")
    'https://example.com/b/robots.txt'
    >>> redirected("https://example.com/robots.txt", "\\en\\robots.txt")  # as in browsers
    'https://example.com/en/robots.txt'

    Raises `BrokenRedirect`, and nothing else, for a redirect without a Location, to another scheme than http
    and https, with a user name, which a robot must not send (RFC 9110 4.2.4), or to an invalid URL.
    """
    whole = (location or "").strip()
    reference = with_slashes(whole.partition("#")[0].strip())
    if not reference:
        raise BrokenRedirect("it has no Location")
    shown = without_password(whole)[:200]
    if not reference.replace(" ", "").isprintable():
        raise BrokenRedirect(f"its Location {shown!r} has characters that are not allowed in a URL")
    scheme, colon, rest = reference.partition(":")
    if colon and is_scheme(scheme.lower()):
        if scheme.lower() not in ("http", "https"):
            raise BrokenRedirect(f"its Location {shown!r} is neither http nor https")
        return _absolute(scheme, rest, whole)
    scheme = base.partition(":")[0]
    if reference.startswith("//"):
        return _absolute(scheme, reference, whole)
    origin = str(Origin.of(base))
    old = base[len(origin) :].partition("?")[0] or "/"
    path, question, query = reference.partition("?")
    if not path:
        path = old
    elif not path.startswith("/"):
        path = old[: old.rfind("/") + 1] + path
    return without_dot_segments(origin + _quoted(path + question + query))


def _absolute(scheme: str, rest: str, location: str) -> str:
    """Return the URL of a reference with an authority; `rest` is what follows the scheme in a Location."""
    authority_and_path, question, query = rest[2:].partition("?")
    authority, slash, path = authority_and_path.partition("/")
    if not rest.startswith("//") or "@" in authority:
        wrong = "a user name in it" if "@" in authority else "no host"
        raise BrokenRedirect(f"its Location {without_password(location)[:200]!r} has {wrong}")
    try:
        origin = Origin.of(f"{scheme}://{authority}")
    except InvalidURL as wrong_url:
        why = repr(without_password(location)[:200]) if has_at_sign(location) else str(wrong_url)[:200]
        raise BrokenRedirect(f"its Location is wrong: {why}") from None
    return without_dot_segments(str(origin) + _quoted((slash or "/") + path + question + query))


def _quoted(text: str) -> str:
    if _PLAIN.issuperset(text):
        return text
    return "".join(
        character
        if character in _PLAIN
        else "".join(f"%{byte:02X}" for byte in character.encode(errors="replace"))
        for character in text
    )
