"""`comity` and `python -m comity`: the command line, or one sentence on how to get it."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from .cli import main as run
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.exit(
            "comity: the command line needs click and rich; install them with: pip install 'comity[cli]'"
        )
    run()


if __name__ == "__main__":
    main()
