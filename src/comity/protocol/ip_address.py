"""IP addresses in the host of a URL, in one spelling each.

Most resolvers read `127.1`, `0177.0.0.1`, `0x7f.0.0.1` and `2130706433` as 127.0.0.1, and so does the URL
standard (WHATWG URL 3.5). With one spelling, a server has one robots.txt and one queue of requests.
"""

#: Maximum number of characters of an IPv6 address: six groups and an IPv4 address.
_LONGEST_IPV6 = 45

_DECIMAL, _OCTAL, _HEXADECIMAL = "0123456789", "01234567", "0123456789abcdef"

#: The first 12 bytes of an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2).
_MAPPED = b"\0" * 10 + b"\xff\xff"


def ends_in_number(host: str) -> bool:
    """Return whether a `host` can only be an IPv4 address, because its last label is a number.

    >>> ends_in_number("127.1."), ends_in_number("h.0x7F"), ends_in_number("1.example"), ends_in_number("0xg")
    (True, True, False, False)
    """
    last = host.removesuffix(".").rpartition(".")[2]
    return bool(last) and (
        (last.isascii() and last.isdigit()) or (_digits(last)[0] == 16 and _is_number(last))
    )


def ipv4_address(host: str) -> str:
    """Return a `host` that ends in a number as four decimal numbers; empty if it is not a valid address.

    One dot at the end is dropped. Each of one to four parts is decimal, octal after 0, or hexadecimal after
    0x. The last part fills the remaining bytes (WHATWG URL 3.5, the IPv4 parser).

    >>> ipv4_address("0x7f.1"), ipv4_address("2130706433"), ipv4_address("0177.0.0.1.")
    ('127.0.0.1', '127.0.0.1', '127.0.0.1')
    >>> ipv4_address("127.0.0.256"), ipv4_address("1.2.3.4.5"), ipv4_address("08.0.0.1")
    ('', '', '')
    """
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4 or not all(map(_is_number, parts)):
        return ""
    numbers = []
    for part in parts:
        base, digits = _digits(part)
        significant = digits.lstrip("0") or "0"
        if len(significant) > 11:  # the octal digits of 32 bits; `int` is slow on a long number
            return ""
        numbers.append(int(significant, base))
    *first, last = numbers
    if max(first, default=0) > 255 or last >= 256 ** (5 - len(numbers)):
        return ""
    whole = last + sum(number << 8 * (3 - place) for place, number in enumerate(first))
    return ".".join(map(str, whole.to_bytes(4, "big")))


def ipv6_address(text: str) -> str:
    """Return the one text of an IPv6 address (RFC 5952 4); empty if `text` is not one. A zone is not valid.

    An IPv4-mapped address ends in four decimal numbers (RFC 5952 5), in every version of Python.

    >>> ipv6_address("2001:DB8:0:0::1"), ipv6_address("::ffff:7f00:1"), ipv6_address("fe80::1%25eth0")
    ('2001:db8::1', '::ffff:127.0.0.1', '')
    """
    if len(text) > _LONGEST_IPV6 or not text.isascii() or "%" in text:
        return ""
    from ipaddress import AddressValueError, IPv6Address

    try:
        address = IPv6Address(text)
    except AddressValueError:
        return ""
    if address.packed.startswith(_MAPPED):
        return "::ffff:" + ".".join(map(str, address.packed[12:]))
    return address.compressed


def _digits(part: str) -> tuple[int, str]:
    """Return the base of a part of an IPv4 address, and its digits without the mark of the base."""
    if part[:2] in ("0x", "0X"):
        return 16, part[2:].lower()
    if len(part) > 1 and part.startswith("0"):
        return 8, part[1:]
    return 10, part


def _is_number(part: str) -> bool:
    base, digits = _digits(part)
    if base == 16:
        return set(digits) <= set(_HEXADECIMAL)  # "0x" alone is 0
    return bool(digits) and set(digits) <= set(_OCTAL if base == 8 else _DECIMAL)
