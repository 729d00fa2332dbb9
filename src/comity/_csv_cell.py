"""A text -> a cell of CSV that no spreadsheet runs as a formula."""

import re

#: The characters that begin a formula in a cell, in both widths, and those that a reader may take for the
#: beginning of a cell. Spreadsheets skip white space and quotes before the formula.
_FORMULA = re.compile(r"""((?:^|[;|\t\r\n])(?:[^\S\t\r\n]|["'])*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")

#: The characters that separate cells.
_SEPARATOR = re.compile(r"[;|\t\r\n]")


def without_formulas(text: str) -> str:
    r"""Return a text for a cell of CSV with an apostrophe before each formula that a spreadsheet would run.

    A cell begins at the start of the text. Spreadsheets of some countries separate cells by `;`, others also
    by tabs, `|` or line ends, so that text after one of them could be a cell too.

    >>> without_formulas("=1+1"), without_formulas("/tea;=2"), without_formulas("/a=b;c-d")
    ("'=1+1", "/tea;'=2", '/a=b;c-d')
    """
    if _SEPARATOR.search(text) is None:  # the usual case, without a search at each character
        return _FORMULA.sub(r"\1'", text, count=1) if _FORMULA.match(text) else text
    return _FORMULA.sub(r"\1'", text)
