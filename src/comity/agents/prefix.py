"""A text -> an IP prefix of an operator's list. One that is very wide is refused."""

import re
from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError

from ..errors import InvalidFeed
from ..protocol.text import shortened

#: The shortest prefixes that a list may have, by version: 16 million addresses for IPv4.
_WIDEST = {4: 8, 6: 19}

#: An address, and the length of its prefix as a decimal number without leading zeros. A network mask is not
#: a length, and neither is a zone part of an address.
_PREFIX = re.compile(r"([0-9A-Fa-f.:]{2,45})(?:/(0|[1-9][0-9]{0,2}))?", re.ASCII)


def parsed_prefix(text: object, version: int | None = None) -> IPv4Network | IPv6Network:
    """Return the network of a `text`; an address is a prefix of one address, and host bits are cleared.

    >>> parsed_prefix("192.0.2.77/24"), parsed_prefix("2001:db8::1")
    (IPv4Network('192.0.2.0/24'), IPv6Network('2001:db8::1/128'))

    Raises `InvalidFeed` if it is not a prefix, not of the `version` 4 or 6, or too wide for a robot. Only the
    last one has the step "wide".
    """
    found = _PREFIX.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InvalidFeed(f"{shortened(repr(text), 80)} is not an IP prefix", step="entry")
    kind = IPv6Network if ":" in found[1] else IPv4Network
    if version is not None and (kind is IPv6Network) != (version == 6):
        raise InvalidFeed(f"{text!r} is not an IPv{version} prefix", step="entry")
    try:
        network = kind(found[0], strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        raise InvalidFeed(f"{text!r} is not an IP prefix", step="entry") from None
    if network.prefixlen < _WIDEST[network.version]:
        raise InvalidFeed(
            f"{text!r} is wider than /{_WIDEST[network.version]}, which no list of a robot is", step="wide"
        )
    return network
