"""Every exception that Comity raises, as one tree.

    ComityError
    ├── InvalidURL         (ValueError)  the caller's URL is not one that robots.txt can speak of
    ├── InvalidDialect     (ValueError)  the caller made a dialect of answers that no question has
    └── UnknownDialect     (ValueError)  the caller named a dialect that does not exist

Content never raises: what is wrong with a robots.txt is told by its diagnostics.
"""

__all__ = ["ComityError", "InvalidDialect", "InvalidURL", "UnknownDialect"]


class ComityError(Exception):
    """The root of all exceptions that Comity raises."""


class InvalidURL(ComityError, ValueError):
    """A URL without the parts that the question needs; the message says which.

    >>> import comity
    >>> comity.robots_url("example.com/shop")
    Traceback (most recent call last):
    comity.errors.InvalidURL: 'example.com/shop' has no scheme; write https://example.com/shop
    """


class InvalidDialect(ComityError, ValueError):
    """A dialect with an answer that its question does not have, or two that exclude each other.

    >>> import comity
    >>> comity.RFC9309.replace(precedence="last")
    Traceback (most recent call last):
    comity.errors.InvalidDialect: precedence is 'longest' or 'first', not 'last'
    """


class UnknownDialect(ComityError, ValueError):
    """A dialect name that is none of the four.

    >>> import comity
    >>> comity.parse(b"", dialect="bing")
    Traceback (most recent call last):
    comity.errors.UnknownDialect: no dialect 'bing'; there are rfc9309, google, draft1996 and 1994
    """
