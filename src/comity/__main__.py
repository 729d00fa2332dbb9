"""`comity` and `python -m comity`: the command line, or how to install it."""

import sys

#: The packages of the extra `cli`.
_EXTRA = ("anyio", "click", "httpx2", "rich")


def main() -> None:
    """Run the command line. `--version` works without the packages of the extra `cli`."""
    try:
        from .cli import run

        run()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        if sys.argv[1:2] == ["--version"]:
            _show_version()
            return
        install = "install it with pip install 'comity[cli]', or in a clone with pip install '.[cli]'"
        print(f"comity: the command line needs the package {package}; {install}", file=sys.stderr)
        sys.exit(2)


def _show_version() -> None:
    from importlib.metadata import version

    from .protocol.robotstxt.engine import engine

    print(f"comity {version('comity')} ({engine} engine)")


if __name__ == "__main__":
    main()
