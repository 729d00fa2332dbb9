"""The certificates of a robot: the check of the options, and errors that name the file."""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InvalidArgument


@contextmanager
def certificate_errors(verify: object = True, cert: object = None, trust_env: bool = True) -> Iterator[None]:
    """Raise `InvalidArgument` for certificates that the block cannot load, naming the option or variable.

    The parameters are those of `httpx2.HTTPTransport`.

    >>> with certificate_errors("no.pem"):
    ...     ssl.create_default_context(cafile="no.pem")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid verify 'no.pem': No such file or directory; expected a PEM file
    """
    if not isinstance(verify, bool | str | ssl.SSLContext):
        expected = "expected True, False, a path or an ssl.SSLContext"
        raise InvalidArgument(f"invalid verify {verify!r:.200}: {expected}", name="verify")
    try:
        yield
    except OSError as error:
        name, value = _source(verify, cert, trust_env)
        why = error.strerror or str(error)
        raise InvalidArgument(
            f"invalid {name} {value!r:.200}: {why}; expected a PEM file", name=name
        ) from error


def _source(verify: object, cert: object, trust_env: bool) -> tuple[str, object]:
    """Return the name and the value of the option or variable that cannot be loaded."""
    if isinstance(verify, str):
        return "verify", verify
    file = os.environ.get("SSL_CERT_FILE") if verify is True and trust_env else None
    if file:
        try:
            ssl.create_default_context(cafile=file)
        except OSError:
            return "SSL_CERT_FILE", file
    return "cert", cert[0] if isinstance(cert, tuple) else cert
