"""Docstrings that the program shows. `python -OO` drops them, so they are read from the source."""

import ast
from importlib.util import find_spec

__all__ = ["docstring"]


def docstring(module: str, function: str | None = None) -> str:
    """Return the docstring of a module, or of a function in it, without the indentation.

    Returns "" if there is none, or if the source is not installed.

    >>> docstring("comity.protocol")[:4], docstring("comity._docstrings", "docstring")[:6]
    ('READ', 'Return')
    """
    spec = find_spec(module)
    read = getattr(spec and spec.loader, "get_source", None)
    source = read and read(module)
    if not source:
        return ""
    tree = compile(source, module, "exec", ast.PyCF_ONLY_AST, optimize=0)  # `ast.parse` may drop them, too
    assert isinstance(tree, ast.Module)  # noqa: S101  # by its mode and flag
    for node in tree.body if function else [tree]:
        if isinstance(node, ast.Module) or (isinstance(node, ast.FunctionDef) and node.name == function):
            return ast.get_docstring(node) or ""
    return ""
