"""The line that `comity --version` prints."""


def version_line() -> str:
    """Return the version and the active engine.

    A package that is not installed, such as a clone on `PYTHONPATH`, has no metadata and so no version.
    """
    from importlib.metadata import PackageNotFoundError, version

    from .protocol.robotstxt.engine import engine

    try:
        return f"comity {version('comity')} ({engine} engine)"
    except PackageNotFoundError:
        return f"comity, not installed ({engine} engine)"
