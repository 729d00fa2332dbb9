"""The version of Comity, as it is shown to servers and to people."""


def release() -> str:
    """Return the version, such as "0.2".

    A package that is not installed, such as a clone on `PYTHONPATH`, has no metadata: it is "not installed".
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("comity")
    except PackageNotFoundError:
        return "not installed"


def product() -> str:
    """Return the name and the version for a header field, such as "Comity/0.2" (RFC 9110 10.1.5)."""
    return f"Comity/{release()}".removesuffix("/not installed")


def version_line() -> str:
    """Return the version and the active engine."""
    from .protocol.robotstxt.engine import engine

    found = release()
    name = f"comity {found}" if found != "not installed" else "comity, not installed"
    return f"{name} ({engine} engine)"
