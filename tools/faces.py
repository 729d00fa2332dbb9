"""Write the stub of each package that loads its names on first use, so that type checkers know them.

    python tools/faces.py            # rewrite the stubs
    python tools/faces.py --check    # report a difference, and exit with 1 if there is one

The names stand once in the package, in its call of `lazy`; checkers do not run it.
"""

import argparse
import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src/comity"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the stubs, or check them; return the exit status."""
    parser = argparse.ArgumentParser(description="Writes the stubs of the packages.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args(arguments)
    stubs = {path: _stub(modules) for path, modules in _faces()}
    different = [path for path, text in stubs.items() if not path.exists() or path.read_text("utf-8") != text]
    different += [path for path in SOURCE.rglob("__init__.pyi") if path not in stubs]
    for path in different:
        name = path.relative_to(SOURCE).as_posix()
        if options.check:
            print(f"{name} differs from the names of its package")
        elif path in stubs:
            path.write_text(stubs[path], "utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return int(options.check and bool(different))


def _faces() -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Yield the stub of each package, and the names of its modules."""
    for path in sorted(SOURCE.rglob("__init__.py")):
        if modules := modules_of(ast.parse(path.read_text("utf-8"))):
            yield path.with_suffix(".pyi"), modules


def modules_of(package: ast.Module) -> Mapping[str, str]:
    """Return the names that a package loads on first use, by their modules; empty if there are none."""
    for node in package.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "lazy":
                modules: Mapping[str, str] = ast.literal_eval(call.args[1])
                return modules
    return {}


def _stub(modules: Mapping[str, str]) -> str:
    """Return the text of a stub."""
    lines = ["# Written by tools/faces.py.\n"]
    for module, names in sorted(modules.items()):
        lines.append(f"from {module} import {', '.join(sorted(names.split()))}\n")
    public = sorted(name for names in modules.values() for name in names.split())
    lines.append("\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in public) + "]\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
