"""The lines that a platform writes into each file, and that the owner of the site cannot change."""

from ..subject import Subject

#: A text in the comments of the platform's files, in lower case, and its rules that close scripts.
_PLATFORMS = {
    b"# we use shopify as our ecommerce platform": frozenset([b"/cdn/wpm/*.js"]),
    b"# squarespace robots txt": frozenset([b"/static/"]),
}


def platform_rules(subject: Subject) -> frozenset[bytes] | None:
    r"""Return the patterns with which the platform of a file closes scripts, or None if there is no platform.

    >>> platform_rules(Subject(b"# Squarespace Robots Txt\nUser-agent: *\nDisallow: /static/\n"))
    frozenset({b'/static/'})
    """
    head = subject.body[:1000].lower()
    return next((rules for comment, rules in _PLATFORMS.items() if comment in head), None)
