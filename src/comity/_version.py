"""The version of Comity, and the line that `comity --version` prints."""


def release() -> str:
    """Return the version, such as "0.2".

    A package that is not installed, such as a clone on `PYTHONPATH`, has no metadata: it is "not installed".
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("comity")
    except PackageNotFoundError:
        return "not installed"


def version_line() -> str:
    """Return the version and the active engine."""
    from .protocol.robotstxt.engine import engine

    found = release()
    name = f"comity {found}" if found != "not installed" else "comity, not installed"
    return f"{name} ({engine} engine)"
