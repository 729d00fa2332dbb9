"""Docstrings that the program shows. `python -OO` drops them, so they are read from the source."""

import ast
from functools import cache
from importlib.util import find_spec

__all__ = ["docstring"]


def docstring(module: str, function: str | None = None) -> str:
    """Return the docstring of a module, or of a function in it, without the indentation.

    Returns "" if there is none, or if the source is not installed.

    >>> docstring("comity.protocol")[:4], docstring("comity.agents.known", "find")[:6]
    ('READ', 'Return')
    """
    return _docstrings(module).get(function, "")


@cache
def _docstrings(module: str) -> dict[str | None, str]:
    """Return the docstrings of the functions of a module by name, and that of the module as None."""
    spec = find_spec(module)
    read = getattr(spec and spec.loader, "get_source", None)
    source = read and read(module)
    if not source:
        return {}
    tree = compile(source, module, "exec", ast.PyCF_ONLY_AST, optimize=0)  # `ast.parse` may drop them, too
    assert isinstance(tree, ast.Module)  # noqa: S101  # by its mode and flag
    found: dict[str | None, str] = {None: ast.get_docstring(tree) or ""}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.get_docstring(node) or ""
    return found
