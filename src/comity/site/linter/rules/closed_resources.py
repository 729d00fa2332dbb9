"""Style sheets or scripts are closed to a search engine.

Each folder is compared with the other rules of the group: it is not reported if longer Allow rules such as
`Allow: /assets/*.js` open its files. Folders count that hold style sheets or scripts on most sites: `css`,
`js` and `themes` anywhere, `scripts`, `styles`, `assets` and `static` in the root, and those of WordPress,
Drupal, Joomla and Magento. Patterns such as `/theme/*.css` count too, unless the pages of the folder are
closed as well.

Why: Search engines render pages like a browser. Without style sheets and scripts the pages look broken, and
content that scripts add is not indexed.

Example:
    User-agent: *
    Disallow: /admin/
    Disallow: /js/
Instead:
    User-agent: *
    Disallow: /admin/
    Disallow: /drafts/
Engines: Google, Bing.
Source: Google, "Introduction to robots.txt": do not block resources that pages need; Bing, webmaster
guidelines.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ..facts.sample_path import sample_path
from ..problem import Problem, at_text, quoted
from ..subject import Subject

CODE = "C802"
SEVERITY = "warning"

#: The search engines that render pages, and that almost every public site needs.
_ENGINES = ("Googlebot", "bingbot")

_STYLE = ("/x.css",)
_SCRIPT = ("/x.js",)
_BOTH = (*_STYLE, *_SCRIPT)

#: The last segment of a pattern, in lower case, and files that such a folder has.
_FOLDERS = {
    **dict.fromkeys((b"css", b"stylesheets", b"stylesheet"), _STYLE),
    **dict.fromkeys((b"js", b"javascript", b"javascripts"), _SCRIPT),
    b"themes": _BOTH,
    b"wp-includes": ("/css/x.css", "/js/x.js"),
    b"wp-content": ("/themes/x/x.css", "/themes/x/x.js"),
}

#: The same for patterns of folders in the root only; inside others these names have further meanings.
_IN_ROOT = {
    **dict.fromkeys((b"styles", b"style"), _STYLE),
    **dict.fromkeys((b"scripts", b"jscripts"), _SCRIPT),
    **dict.fromkeys((b"assets", b"static", b"skin", b"skins"), _BOTH),
}

#: Folders that only some systems use for such files, with a pattern of the group that shows the system, and a
#: pattern that the folder has before it.
_OF_SYSTEMS = {
    b"/misc": (b"/modules", _SCRIPT),
    b"/modules": (b"/misc", _STYLE),
    b"/templates": (b"/administrator", _BOTH),
    b"/media": (b"/administrator", _BOTH),
    b"/wp-content/plugins": (None, _BOTH),
}

#: Maximum number of rules that are checked, and of rules that match their files.
_MOST = 200
_MATCHING = 100_000


def check(subject: Subject) -> Iterator[Problem]:
    """Report the rules of each group that close such files to a search engine, once for each group."""
    candidates = [line for line in subject.patterns if line.field == "disallow" and _files_of(line.value)]
    if not candidates:
        return
    patterns = {line.value.lower().rstrip(b"/*") for line in subject.patterns}
    paths = [path for line in candidates[:_MOST] for path in _paths(line.value, patterns)]
    pages = dict(filter(None, (_file_and_page(line.value) for line in candidates[:_MOST])))
    numbers = {line.number for line in candidates}
    engines_of: dict[int, dict[str, None]] = {}  # by the number of the closing line
    matching = 0
    for engine in _ENGINES:
        rules = subject.rules_of(engine)
        if not rules.allowed("/"):
            continue  # the whole site is closed
        for path, opened in zip(paths, rules.allowed_many(paths), strict=True):
            if opened or matching > _MATCHING or (path in pages and not rules.allowed(pages[path])):
                continue
            verdict = rules.check(path)
            matching += 1 + len(verdict.overruled)
            if verdict.line in numbers:
                engines_of.setdefault(verdict.line, {})[engine] = None
    for block in subject.blocks if engines_of else ():
        closing = [line for line in block.rules if line.number in engines_of]
        if closing:
            names = listed([quoted(line.value) for line in closing], 4)
            engines = " and ".join(
                dict.fromkeys(name for line in closing for name in engines_of[line.number])
            )
            message = f"{names}: {engines} cannot fetch the style sheets or scripts there, to render pages"
            yield at_text(closing[0], message)


def _paths(pattern: bytes, patterns: set[bytes]) -> Iterator[str]:
    """Yield paths of style sheets and scripts that a pattern matches, given the other patterns."""
    bare = pattern.lower().rstrip(b"/*")
    shown_by = _OF_SYSTEMS.get(bare, (None, ()))[0]
    if shown_by is not None and shown_by not in patterns:
        return
    if bare.endswith(b"/scripts") and {b"/misc", b"/includes"} <= patterns:
        return  # in Drupal these run on the server
    for file in _files_of(pattern):
        path = sample_path(pattern, file)
        if path is not None:
            yield path


def _files_of(pattern: bytes) -> tuple[str, ...]:
    """Return the files that a folder has; they are empty if the pattern names them by their ending."""
    bare = pattern.lower().rstrip(b"$/*")
    if bare in _OF_SYSTEMS:
        return _OF_SYSTEMS[bare][1]
    if _names_ending(pattern):
        return ("",)
    before, slash, folder = bare.rpartition(b"/")
    if not slash or b" " in bare:
        return ()
    in_root = _IN_ROOT.get(folder, ()) if not before.strip(b"/*") else ()
    return _FOLDERS.get(folder, in_root)


def _names_ending(pattern: bytes) -> bool:
    """Return whether a pattern names all style sheets or scripts of a folder: `*.js`, `/theme/*.css?`."""
    before, _, ending = pattern.lower().rstrip(b"$/*?").rpartition(b".")
    before = before.removesuffix(b".min")
    return ending in (b"css", b"js") and (before.endswith((b"/*", b"**")) or not before.strip(b"/*"))


def _file_and_page(pattern: bytes) -> tuple[str, str] | None:
    """Return a file that such a pattern closes in a folder, and a page of the folder; or None."""
    path = sample_path(pattern) if _names_ending(pattern) else None
    folder = path.rpartition("/")[0] if path else ""
    return (path, f"{folder}/x.html") if path and folder else None
