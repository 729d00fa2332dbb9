"""`comity` and `python -m comity`: the command line, or one sentence on how to get it."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from .cli import run
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        print("comity: the command line needs click and rich: pip install 'comity[cli]'", file=sys.stderr)
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
