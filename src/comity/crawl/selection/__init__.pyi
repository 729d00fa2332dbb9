# Written by tools/faces.py.
from .parameters import Parameters
from .private_hosts import named_host, without_public_address

__all__ = [
    "Parameters",
    "named_host",
    "without_public_address",
]
