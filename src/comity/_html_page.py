"""The frame of the HTML pages that commands write: one file without scripts and without requests.

The frame has the head, the colours in light and dark, and the style of texts and tables. A page adds its own
style after it, and may set the variables of the frame on `:root`, such as `--width`.
"""

from collections.abc import Iterable

_STYLE = """
:root { color-scheme: light dark; --width: 64rem; --text: #222; --back: #fff; --soft: #595959;
  --line: #d5d5d5; --panel: #f4f4f4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181b; --soft: #a8a8a8; --line: #3a3d42; --panel: #22252a; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: var(--width); margin: 2rem auto; padding: 0 1rem;
  color: var(--text); background: var(--back); }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; text-wrap: balance; }
table { border-collapse: collapse; font-size: 14px; margin: .5rem 0 1.5rem; }
td, th { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); unicode-bidi: isolate;
  overflow-wrap: anywhere; }
@media (max-width: 44rem) { body { margin: 1rem auto; } }
@media print { :root { --width: none; } body { margin: 0; } tr { break-inside: avoid; } }
"""

#: The style of a fragment: without the margins of a page, and with the colours of answers.
_FRAGMENT = """
& { margin: 0; padding: .5rem; max-width: none; --yes: #005c3c; --no: #9b1c1c; --maybe: #7a5200; }
@media (prefers-color-scheme: dark) { & { --yes: #7bdcae; --no: #ffa8a0; --maybe: #eac26b; } }
pre { font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0;
  color: inherit; background: none; unicode-bidi: isolate; }
.yes { color: var(--yes); } .no { color: var(--no); }
"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
<main>
<h1>{title}</h1>
{body}
</main>
</html>
"""


def html_page(title: str, style: str, body: Iterable[str]) -> str:
    """Return a page; `title` and the parts of `body` are HTML, and `style` is CSS."""
    return _PAGE.format(title=title, style=_STYLE + style, body="\n".join(body))


def html_fragment(body: str, style: str = "") -> str:
    """Return a part of a page for a notebook, whose style applies to nothing else there.

    `body` is HTML, and `style` the CSS of its page. The rules are nested, so that `td` means a cell of the
    fragment, and those of the whole page become rules of the fragment.
    """
    nested = (_STYLE + style).replace(":root", "&").replace(" body {", " & {").replace("\nbody {", "\n& {")
    return f"<div class=comity><style>.comity {{{nested}{_FRAGMENT}}}</style>\n{body}\n</div>"
