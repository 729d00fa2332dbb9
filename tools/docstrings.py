"""Docstrings -> Markdown: paragraphs, examples and preformatted text, with links to documented names."""

import ast
import builtins
import doctest
import re
from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc
from itertools import groupby

#: A function from a name to a line or link for it; None if the name is unknown.
Lookup = Callable[[str], str | None]

#: The comments in examples that only doctest reads.
_DIRECTIVE = re.compile(r"\s*# doctest:.*")

#: A name in backticks.
_NAME = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)(?:\(\))?`(?!`)")

_BUILTINS = frozenset(dir(builtins))


def markdown(docstring: str, imports: Lookup, link: Lookup) -> str:
    """Return a docstring as Markdown.

    `imports` returns the line that imports a name, for examples that use a name without importing it. `link`
    returns the target of the link for a name in backticks.
    """
    parts = [part for part in doctest.DocTestParser().parse(cleandoc(docstring)) if part]
    names = unbound_names([part for part in parts if isinstance(part, doctest.Example)])
    prefix = "".join(f">>> {line}\n" for line in _merged(filter(None, map(imports, names))))
    blocks: list[str] = []
    for kind, run in groupby(parts, type):
        if kind is str:
            blocks += _prose("".join(map(str, run)), link)
            continue
        session = "".join(_shown(part) for part in run if isinstance(part, doctest.Example))
        blocks.append(f"```pycon\n{prefix}{session.rstrip()}\n```")
        prefix = ""
    return "\n\n".join(blocks)


def _merged(imports: Iterable[str]) -> list[str]:
    """Return lines of imports, with one line for each module.

    >>> _merged(["from comity import parse", "import comity", "from comity import Rule"])
    ['import comity', 'from comity import Rule, parse']
    """
    modules: dict[str, list[str]] = {}
    for line in sorted(set(imports)):
        module, found, name = line.partition(" import ")
        modules.setdefault(module + found, []).append(name)
    return sorted((f"{start}{', '.join(names)}" for start, names in modules.items()), key=_import_order)


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _shown(example: doctest.Example) -> str:
    first, *rest = _DIRECTIVE.sub("", example.source).splitlines()
    source = "".join([f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in rest)])
    if example.exc_msg is not None:
        return f"{source}Traceback (most recent call last):\n  ...\n{example.exc_msg}"
    return source + example.want


def _prose(text: str, link: Lookup) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if not block.strip():
            continue
        if block.startswith("Args:\n"):
            yield "Parameters:"
            yield linked(_arguments(block), link)
        elif all(line.startswith("    ") for line in block.splitlines()):
            yield "```text\n" + cleandoc("\n" + block) + "\n```"
        else:
            yield linked(block, link)


def _arguments(block: str) -> str:
    r"""Return the list of the arguments of a function.

    >>> print(_arguments("Args:\n    one: The first,\n        of two.\n    two: The other."))
    - `one`: The first, of two.
    - `two`: The other.
    """
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", block, re.MULTILINE)
    return "\n".join(f"- `{name}`: {' '.join(text.split())}" for name, text in found)


def linked(text: str, link: Lookup) -> str:
    """Return a text whose names in backticks are links.

    >>> linked("see `parse`, `x`", {"parse": "comity.md#parse"}.get)
    'see [`parse`](comity.md#parse), `x`'
    """

    def replace(found: re.Match[str]) -> str:
        target = link(found[1])
        return f"[{found[0]}]({target})" if target else found[0]

    return _NAME.sub(replace, text)


def unbound_names(examples: list[doctest.Example]) -> list[str]:
    """Return the names that the examples use and do not define.

    >>> unbound_names([doctest.Example("x = parse(y)", ""), doctest.Example("len(x)", "")])
    ['parse', 'y']
    """
    tree = ast.parse("".join(example.source for example in examples))
    bound: set[str] = set(_BUILTINS)
    used: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.append(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.partition(".")[0])
    return list(dict.fromkeys(name for name in used if name not in bound))
