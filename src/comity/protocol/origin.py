"""URL -> origin (scheme, host, port), where its robots.txt is, and the path that is judged.

RFC 3986 is followed, not the browsers' lenient reading: what is not a URL by it raises
`InvalidURL`, since a robot that guesses asks the wrong host; so does a host that two readers take for
two. Nothing is resolved, no dot segment is removed and no escape is decoded: the path is judged as it
would be sent.
"""

from ..errors import InvalidURL
from .value import Value

__all__ = ["Origin", "RelativeReference", "is_scheme", "path_and_query", "robots_url"]

#: Default ports, which an origin is written without.
_PORTS = {"http": 80, "https": 443, "ftp": 21}

_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")

#: What no authority holds, though one client or another would read past it.
_FORBIDDEN = frozenset('\\ "<>^`{|}').union(map(chr, range(33)), "\x7f")

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

#: What a registered name is made of (RFC 3986 3.2.2), without `%`: one client decodes it, one does not.
_REGISTERED = _UNRESERVED.union("!$&'()*+,;=")

#: What of ASCII may be in a label of an international name, after mapping.
_LABEL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")

#: The dots of other scripts (UTS 46 4.5), and the capital whose small form `casefold` takes apart.
_REPLACED = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": ".", "\u1e9e": "\u00df"})

_NON_JOINER, _JOINER = "\u200c", "\u200d"

#: What IDNA 2003 takes for `ss`, for another sigma and for nothing, and IDNA 2008 for itself (UTS 46 7).
_DEVIATIONS = frozenset("\u00df\u03c2" + _NON_JOINER + _JOINER)

#: Letters and marks that are not seen, which some readers leave out (Default_Ignorable_Code_Point).
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)

#: The most characters of an international name, and octets of a label (RFC 1035 2.3.4).
_LONGEST_NAME, _LONGEST_LABEL = 253, 63

#: The most characters of an IPv6 address: six groups and an IPv4 address.
_LONGEST_ADDRESS = 45


class RelativeReference(InvalidURL):
    """A URL without scheme or leading slash: a path from the root, or a host whose scheme was left out.

    `readings` are the paths that it may mean; a robot that is in doubt stays out of each.
    """

    def __init__(self, url: str) -> None:
        """Tell of a reference, and of its readings."""
        super().__init__(f"{url[:200]!r} is neither an absolute URL nor a path that begins with a slash")
        self.readings = ("/" + url, _path_after(url, 0))


class Origin(Value):
    """What one robots.txt is valid for: a scheme, a host and a port (RFC 9309 2.3).

    `host` is in lower case and, where it is international, in its ASCII form by IDNA 2008 (RFC 5891),
    mapped as by UTS 46 without transition; an IPv6 address keeps its brackets. `port` is the scheme's
    default if the URL gives none, and `None` where the scheme has none.

    >>> Origin.of("HTTPS://Example.COM/shop?id=1") == Origin.of("https://example.com:443")
    True
    >>> str(Origin.of("http://user@bücher.example:8001/"))
    'http://xn--bcher-kva.example:8001'
    >>> Origin.of("http://straße.example/").host
    'xn--strae-oqa.example'
    """

    __slots__ = ("scheme", "host", "port")
    scheme: str
    host: str
    port: int | None

    @classmethod
    def of(cls, url: str) -> "Origin":
        """Give the origin of an absolute URL.

        Raises `InvalidURL` if the URL has no scheme or no host, a port that is no port, or a host that is
        neither a name nor an address, has a percent sign, or could be read as two names.
        """
        scheme, separator, rest = url.strip().partition("://")
        scheme = scheme.lower()
        if not separator or not is_scheme(scheme):
            raise InvalidURL(_complaint(url.strip()))
        for end in "/?#":
            rest = rest.partition(end)[0]
        if not _FORBIDDEN.isdisjoint(rest):
            raise InvalidURL(f"{url!r} has a character in its host that no host has")
        host, port = _host_and_port(rest.rpartition("@")[2], url)
        if not host:
            raise InvalidURL(f"{url!r} has no host, so there is no robots.txt for it")
        return cls(scheme, host, _PORTS.get(scheme) if port is None else port)

    @property
    def robots_url(self) -> str:
        """The address of the origin's robots.txt."""
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        port = "" if self.port is None or self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def robots_url(url: str) -> str:
    """Say where the robots.txt is that rules over a URL (RFC 9309 2.3).

    >>> robots_url("https://example.com/shop/index.html")
    'https://example.com/robots.txt'
    >>> robots_url("http://example.com:8001?page=1")
    'http://example.com:8001/robots.txt'

    Raises `InvalidURL` for a URL without a scheme or host.
    """
    return Origin.of(url).robots_url


def path_and_query(url: str) -> str:
    """Give what rules are compared with: path and query, no fragment.

    `url` is an absolute URL, or a path that begins with one slash. An empty path is `/`.

    >>> path_and_query("https://example.com?id=1#top")
    '/?id=1'

    Raises `InvalidURL` for a URL that has a scheme and no authority, such as `mailto:`, and
    `RelativeReference`, which is one too, for a reference that could be read in two ways.
    """
    url = url.partition("#")[0]
    if url.startswith("//"):
        return _path_after(url, 2)  # a network-path reference, RFC 3986 4.2
    if url.startswith("/"):
        return url
    return _path_of_other(url.lstrip())


def _path_of_other(url: str) -> str:
    if url.startswith("/"):
        return path_and_query(url)
    if _has_scheme(url):
        authority = url.index(":") + 1
        if not url.startswith("//", authority):
            raise InvalidURL(f"{url[:200]!r} has a scheme and no host, so no robots.txt speaks of it")
        return _path_after(url, authority + 2)
    if not url or url.startswith("?"):
        return "/" + url
    raise RelativeReference(url)


def _path_after(url: str, start: int) -> str:
    """Give path and query of a URL whose authority begins at `start`."""
    slash = url.find("/", start)
    query = url.find("?", start)
    if query >= 0 and not 0 <= slash < query:
        return "/" + url[query:]
    return url[slash:] if slash >= 0 else "/"


def _complaint(url: str) -> str:
    """Say what is missing in a URL that has no scheme and host."""
    if _has_scheme(url):
        return f"{url!r} has no host, so there is no robots.txt for it"
    hint = f"; write https://{url}" if url and not url.startswith("/") else ""
    return f"{url!r} has no scheme{hint}"


def _has_scheme(url: str) -> bool:
    """Say whether a URL begins with a scheme, and not with a host and its port."""
    scheme, colon, rest = url.partition(":")
    return bool(colon) and is_scheme(scheme.lower()) and not rest[:1].isdigit()


def is_scheme(scheme: str) -> bool:
    """Say whether a text in lower case has the form of a scheme (RFC 3986 3.1)."""
    return _SCHEME.issuperset(scheme) and scheme[:1].isalpha()


def _host_and_port(authority: str, url: str) -> tuple[str, int | None]:
    if authority.startswith("["):
        address, bracket, after = authority[1:].partition("]")
        if not bracket or after[:1] not in ("", ":") or not _is_address(address):
            raise InvalidURL(f"{url!r} has a bracket in its host, and no IP address in brackets")
        host, digits = f"[{address}]", after[1:]
    else:
        name, _, digits = authority.partition(":")
        host = name if name.isascii() else _in_ascii(name)
        if name and not host:
            raise InvalidURL(f"{url!r} has a host that is no domain name")
        if not _REGISTERED.issuperset(host):
            raise InvalidURL(f"{url!r} has a character in its host that no host has")
    number = digits.lstrip("0") or digits[:1]  # as many digits as anyone likes are too many for `int`
    if digits and not (digits.isascii() and digits.isdigit() and int(number[:6]) <= 65_535):
        raise InvalidURL(f"{url!r} has {digits!r} for a port")
    return host.lower(), int(number) if digits else None


def _is_address(text: str) -> bool:
    """Say whether a text is what RFC 3986 3.2.2 lets stand in brackets; a zone is not."""
    if text[:1] in ("v", "V"):  # IPvFuture
        version, _, address = text[1:].partition(".")
        hexadecimal = bool(version) and set("0123456789abcdef").issuperset(version.lower())
        return hexadecimal and bool(address) and _REGISTERED.union(":").issuperset(address)
    if len(text) > _LONGEST_ADDRESS or not text.isascii() or "%" in text:
        return False
    from ipaddress import AddressValueError, IPv6Address

    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _in_ascii(name: str) -> str:
    """Give the ASCII form of an international name, or nothing if it has none, or not one alone.

    The codec `idna` of the standard library is that of IDNA 2003, which asks another site for some names.
    """
    if len(name) > _LONGEST_NAME:
        return ""
    name = name.translate(_REPLACED)
    # Clients that write a name, or a label, in small letters may end it with another sigma.
    by_label = ".".join(map(str.lower, name.split(".")))
    hosts = {_encoded(reading) for reading in (name, name.lower(), by_label)}
    return hosts.pop() if len(hosts) == 1 else ""


def _encoded(name: str) -> str:
    labels = name.split(".")
    root = [labels.pop()] if not labels[-1] else []
    encoded = [_encoded_label(label) for label in labels]
    return ".".join(encoded + root) if all(encoded) else ""


def _encoded_label(label: str) -> str:
    """Give a label as it is asked for (RFC 5891 4.4, UTS 46 4), or nothing if it is no label."""
    from unicodedata import normalize

    mapped = [
        character if character in _DEVIATIONS else normalize("NFKC", normalize("NFKC", character).casefold())
        for character in label
    ]
    # One by one, before they are composed: a character may hide a slash, and a mark may hide another.
    if not all(character in _LABEL for part in mapped for character in part if character.isascii()):
        return ""
    label = normalize("NFC", "".join(mapped))
    if len(label) > _LONGEST_LABEL:  # which no encoding makes shorter
        return ""
    if not label.isascii():
        if not _is_international(label):
            return ""
        label = "xn--" + label.encode("punycode").decode("ascii")
    return label if len(label) <= _LONGEST_LABEL else ""


def _is_international(label: str) -> bool:
    """Say whether nothing in a mapped label is left out or taken for something else by some reader.

    More is let through than by RFC 5892, such as symbols, which have one form in ASCII with all who
    take them.
    """
    from unicodedata import bidirectional, category, combining

    if label.startswith("-") or label.endswith("-") or label[2:4] == "--" or category(label[0])[0] == "M":
        return False  # RFC 5891 4.2.3
    before = ""
    for character in label:
        if character in (_NON_JOINER, _JOINER):  # RFC 5892 A.1 and A.2, of scripts as Arabic in outline
            after_virama = before and combining(before) == 9
            arabic = before and character == _NON_JOINER and bidirectional(before) in ("AL", "NSM")
            if not after_virama and not arabic:
                return False
        elif character in _UNSEEN or category(character)[0] in "CZ":
            return False
        before = character
    return True
