"""Diagnostics: every line that is ignored, repaired or unusual, and where.

diagnostic   the value, and the table of all codes, names and severities
file         a whole file -> its diagnostics, and the checks of the file, its bytes and its groups
screening    a fast test, which finds the lines that the other checks read
fields       checks of field names, and of the values of most fields
agents       checks of User-agent values
patterns     checks of the path patterns of Allow and Disallow
preferences  checks of Content-Usage and Content-Signal
intended     diagnostics that are left out, because the line is probably intended

Diagnostics never change an answer. Advice to site owners belongs to the linter, which repeats the
diagnostics under the same codes, names, severities and messages.
"""

from ...._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".diagnostic": "KINDS",
        ".file": "diagnose foreign_format is_file_name is_html is_utf16",
    },
)
