"""Write the reference of the public API from signatures and docstrings.

python tools/api_reference.py            # rewrite the pages of docs/reference/api/
python tools/api_reference.py --check    # exit with 1 if the pages are out of date

The sources are read, not imported, so the pages are the same on every Python.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from api_names import MODULES, Api, Entry, sort_key
from api_render import Renderer

FOLDER = Path(__file__).parent.parent / "docs" / "reference" / "api"

_WRITTEN = "This page is written by `make generate` from the docstrings."


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the pages, or check them. Return the exit status."""
    parser = argparse.ArgumentParser(description="Write the reference of the public API.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    check = parser.parse_args(arguments).check
    pages = written()
    FOLDER.mkdir(parents=True, exist_ok=True)
    present = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    changed = [name for name in sorted(present.keys() | pages) if present.get(name) != pages.get(name)]
    for name in changed:
        print(f"{name} is out of date; run make generate" if check else f"wrote {name}")
        if not check and name in pages:
            (FOLDER / name).write_text(pages[name], "utf-8", newline="\n")
        elif not check:
            (FOLDER / name).unlink()
    return 1 if check and changed else 0


def written() -> dict[str, str]:
    """Return the text of each page, by file name."""
    api = Api()
    pages = {f"{module}.md": "\n\n".join(_page(api, module)) + "\n" for module in api.modules()}
    pages["index.md"] = "\n\n".join(_index(api)) + "\n"
    return pages


def _page(api: Api, module: str) -> Iterator[str]:
    entries = api.entries(module)
    renderer = Renderer(api, module)
    yield f"# {module}"
    yield f"{_WRITTEN} [All names](index.md)"
    definition = api.find(module)
    if definition.docstring:
        yield renderer.text(definition.docstring.value, definition)
    if elsewhere := api.elsewhere(module):
        links = [f"[`{entry.name}`]({entry.module}.md#{entry.anchor})" for entry in elsewhere]
        yield f"Also importable from here: {', '.join(links)}."
    if entries:
        yield "\n".join(_table(renderer, entries, ""))
    for entry in entries:
        yield from renderer.section(entry)


def _index(api: Api) -> Iterator[str]:
    yield "# API reference"
    yield f"The public names of Comity, by module. Other names may change at any time. {_WRITTEN}"
    for module in api.modules():
        yield f"## [{module}]({module}.md)"
        yield f"{MODULES[module][:1].upper()}{MODULES[module][1:]}."
        renderer = Renderer(api, module)
        yield "\n".join(_table(renderer, [*api.entries(module), *api.elsewhere(module)], f"{module}.md"))


def _table(renderer: Renderer, entries: list[Entry], page: str) -> Iterator[str]:
    yield "| name | meaning |"
    yield "|---|---|"
    for entry in sorted(entries, key=lambda entry: sort_key(entry.name)):
        target = f"{entry.module}.md" if page else ""
        yield f"| [`{entry.heading}`]({target}#{entry.anchor}) | {renderer.summary(entry)} |"


if __name__ == "__main__":
    sys.exit(main())
