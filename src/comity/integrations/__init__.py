"""Adapters for other libraries: one file or folder each, which imports only its own library."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


#: Packages that another one brings, which is the one to install.
_BROUGHT_BY = {"asgiref": "django", "greenlet": "playwright"}


class named_package:  # noqa: N801  # a statement, as `contextlib.suppress`
    """Import the library of an integration, and its robot: the error names a package that is missing."""

    def __init__(self, module: str) -> None:
        """Import for a `module` of this package."""
        self._module = module

    def __enter__(self) -> None:
        """Do nothing: only an error matters."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: "TracebackType | None"
    ) -> None:
        """Raise `ModuleNotFoundError` with the package, instead of one with the module."""
        if isinstance(error, ModuleNotFoundError) and error.name:
            from .._extras import EXTRAS, extra_hint, install_hint

            package = error.name.partition(".")[0]
            package = _BROUGHT_BY.get(package, package)
            hint = f"pip install {package.replace('_', '-')}"
            if package in ("httpx2", "anyio"):  # every robot needs them
                hint = extra_hint("robot")
            elif package in EXTRAS:
                hint = install_hint(package)
            raise ModuleNotFoundError(f"{self._module} needs {package}; {hint}", name=error.name) from error
