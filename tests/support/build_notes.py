"""The notes of a built robots.txt."""


def texts(built):
    """Return the notes for the owners as texts."""
    return tuple(map(str, built.notes))
