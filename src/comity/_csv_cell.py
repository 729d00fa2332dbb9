"""A text -> a cell of CSV that no spreadsheet runs as a formula."""

import re

#: The characters that begin a formula in a cell, in both widths, and those that a reader may take for the
#: beginning of a cell. Spreadsheets skip white space and quotes before the formula.
_FORMULA = re.compile(r"""((?:^|[;|\t\r\n])(?:[^\S\t\r\n]|["'])*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")


def without_formulas(text: str) -> str:
    r"""Return a text for a cell of CSV with an apostrophe before each formula that a spreadsheet would run.

    A cell begins at the start of the text. Spreadsheets of some countries separate cells by `;`, others also
    by tabs, `|` or line ends, so that text after one of them could be a cell too.

    >>> without_formulas("=1+1"), without_formulas("/tea;=2"), without_formulas("/a=b;c-d")
    ("'=1+1", "/tea;'=2", '/a=b;c-d')
    """
    return _FORMULA.sub(r"\1'", text)
