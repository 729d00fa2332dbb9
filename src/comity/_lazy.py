"""Names that are imported when they are first used, and stand-ins for names whose extra is missing."""

from importlib import import_module


def load(owner: str, name: str, module: str, extra: str) -> object:
    """Import a name of the public module `owner` from a module, which is relative to `comity`.

    If a third-party package is missing, return a class of that name which raises `ImportError` when it is
    called. `from comity import *` and `hasattr` therefore work without the extra.
    """
    try:
        return getattr(import_module(module, __package__), name)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if missing.partition(".")[0] == "comity":
            raise
        message = f"{owner}.{name} needs {missing}; install the extra `{extra}`"
    return _stand_in(owner, name, message)


def _stand_in(owner: str, name: str, message: str) -> type:
    def __new__(cls: type, *args: object, **kwargs: object) -> object:  # noqa: N807
        raise ImportError(message)

    return type(name, (), {"__doc__": f"Not available: {message}.", "__module__": owner, "__new__": __new__})
