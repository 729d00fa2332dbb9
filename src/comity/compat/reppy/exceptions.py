"""The exceptions of reppy."""

__all__ = [
    "BadStatusCode",
    "ConnectionException",
    "ContentTooLong",
    "ExcessiveRedirects",
    "MalformedUrl",
    "ReadTimeout",
    "ReppyException",
    "SSLException",
    "ServerError",
]


class ReppyException(Exception):
    """The root of all exceptions of reppy.

    `url` is the URL of the robots.txt, if the failure is one of its request.
    """

    url: str | None = None


class ContentTooLong(ReppyException):
    """A robots.txt with more bytes than `max_size`."""


class ServerError(ReppyException):
    """A failure of the request; the first argument is its cause. `status` is the second one, if given."""

    def __init__(self, *args: object, status: object = None) -> None:
        """Create the exception, with a `status` by name or as the second argument."""
        super().__init__(*args)
        self.status: object = args[1] if status is None and len(args) > 1 else status


class SSLException(ReppyException):
    """A failure of TLS."""


class ConnectionException(ReppyException):
    """A failure of the connection."""


class MalformedUrl(ReppyException):
    """A URL that cannot be requested."""


class ExcessiveRedirects(ReppyException):
    """More redirects than are followed."""


class ReadTimeout(ReppyException):
    """A response that takes too long."""


class BadStatusCode(ReppyException):
    """A status other than 200 and 4xx; it is the second argument."""
