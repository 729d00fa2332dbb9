"""A pattern -> a path that it matches, to ask which rule decides there."""

from ....protocol.text import to_text


def sample_path(pattern: bytes, within: str = "") -> str | None:
    """Return a short path that a pattern matches, with the text `within` at its end.

    The result is None if the pattern matches no path, or ends with `$` although there is such a text.

    >>> sample_path(b"/*/js/"), sample_path(b"/js", "/main.js"), sample_path(b"/*.php$"), sample_path(b"js/")
    ('/x/js/', '/js/main.js', '/x.php', None)
    """
    text = to_text(pattern)
    anchored = text.endswith("$")
    text = text.removesuffix("$")
    if not text.startswith(("/", "*")) or (anchored and within):
        return None
    if text.startswith("*"):
        text = ("" if text.startswith("*/") else "/x") + text[1:]
    text = text.rstrip("*").replace("*", "x")
    return text + (within.removeprefix("/") if text.endswith("/") else within)
