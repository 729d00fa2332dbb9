"""Write `diagnostics/misnomers.py` from the catalogue of agents.

    python tools/misnomers.py            # rewrite it
    python tools/misnomers.py --check    # report a difference, and exit with 1 if there is one

The diagnostics of a robots.txt need the misnomers, and the protocol cannot import the catalogue.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from comity.agents import MISNOMERS, Misnomer

FILE = Path(__file__).parent.parent / "src/comity/protocol/robotstxt/diagnostics/misnomers.py"

HEAD = '''"""Names that files have for a robot, and that it does not find, with the tokens of today.

`tools/misnomers.py` writes this file from `agents.toml`, which has the source of each.
"""

#: Tokens by misnomer in lower case, the most likely one first.
MISNOMERS: dict[str, tuple[str, ...]] = {
'''


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or check it; return the exit status."""
    parser = argparse.ArgumentParser(description="Writes the misnomers for the diagnostics.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args(arguments)
    after = HEAD + "".join(_row(misnomer) for misnomer in MISNOMERS) + "}\n"
    if FILE.read_text(encoding="utf-8") == after:
        return 0
    if options.check:
        print(f"{FILE.name} differs from the data")
        return 1
    FILE.write_text(after, encoding="utf-8")
    print(f"wrote {FILE.name}")
    return 0


def _row(misnomer: Misnomer) -> str:
    tokens = ", ".join(f'"{token}"' for token in misnomer.tokens)
    return f'    "{misnomer.name.lower()}": ({tokens}{"," if len(misnomer.tokens) == 1 else ""}),\n'


if __name__ == "__main__":
    sys.exit(main())
