"""Style sheets, scripts or images are closed to a search engine.

Each folder is compared with the other rules of the group: it is not reported if longer Allow rules such as
`Allow: /assets/*.js` open its files. Folders count that hold style sheets or scripts on most sites, such as
`css` and `js` anywhere and `assets` in the root, and those of common systems: WordPress, Drupal, Joomla,
Magento, TYPO3, SharePoint, Adobe Experience Manager, Symfony, Next.js, Nuxt and others. A folder whose name
has other meanings too, such as `/misc/` or `/templates/`, counts if other rules of the file show the system.

Patterns such as `/theme/*.css` count too, unless the pages of the folder are closed as well. So do patterns
such as `/*?`, which close files with a version in the query. They are information if the file does not show
that the site runs WordPress. Closed folders of images are information too. Rules
that Shopify and Squarespace write into each file are not reported.

Why: Search engines render pages like a browser. Without style sheets and scripts the pages look broken, and
content that scripts add is not indexed. Search for images does not show images that are closed.

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
guidelines; for the folders, the documentation of each system.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ....protocol.robotstxt.engine.lexer import Line
from ..facts.platforms import platform_rules
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
_IMAGE = ("/x.jpg",)

#: The last segments of a pattern, in lower case, and files that such a folder has.
_FOLDERS = {
    **dict.fromkeys(("css", "stylesheets", "stylesheet"), _STYLE),
    **dict.fromkeys(("js", "javascript", "javascripts"), _SCRIPT),
    "themes": _BOTH,
    "wp-includes": ("/css/x.css", "/js/x.js"),
    "wp-content": ("/themes/x/x.css", "/themes/x/x.js"),
    "wp-content/plugins": _BOTH,
    "_next": ("/static/css/x.css", "/static/chunks/x.js"),
    "_next/static": ("/css/x.css", "/chunks/x.js"),
    **dict.fromkeys(("_nuxt", "_astro", "_app/immutable", "_layouts", "typo3temp/assets"), _BOTH),
    "typo3conf": ("/ext/x/x.css", "/ext/x/x.js"),
    "typo3conf/ext": ("/x/x.css", "/x/x.js"),
    "typo3temp": ("/assets/x.css", "/assets/x.js"),
    **dict.fromkeys(("etc.clientlibs", "etc/clientlibs", "etc/designs", "pub/static"), _BOTH),
    **dict.fromkeys(("on/demandware.static", "cdn/shop", "hs/hsstatic", "default/files"), _BOTH),
}

#: The same for patterns of folders in the root only; inside others these names have further meanings.
_IN_ROOT = {
    **dict.fromkeys(("styles", "style"), _STYLE),
    **dict.fromkeys(("scripts", "jscripts"), _SCRIPT),
    **dict.fromkeys(("assets", "static", "skin", "skins", "_static", "_assets", "_resources"), _BOTH),
    **dict.fromkeys(("bundles", "packs"), _BOTH),
    "core": ("/misc/x.js", "/modules/x.css"),
    **dict.fromkeys(("images", "image", "img"), _IMAGE),
}

_DRUPAL = ("profiles", "includes", "modules", "core", "filter/tips", "comment/reply", "node/add")
_JOOMLA = ("administrator", "components", "libraries", "installation")
_MAGENTO = ("catalogsearch", "customer", "downloader", "checkout", "app", "lib", "var")
_PRESTASHOP = ("classes", "mails", "translations")
_AEM = ("libs", "apps", "crx", "content/dam")

#: Folders in the root that only some systems use for such files, with patterns that show the system.
_OF_SYSTEMS = {
    "misc": (_DRUPAL, _SCRIPT),
    "modules": ((*_DRUPAL, "misc", *_JOOMLA, *_PRESTASHOP), ("/x/x.css", "/x/x.js")),
    "sites": (_DRUPAL, ("/default/files/css/x.css", "/default/files/js/x.js")),
    "templates": (_JOOMLA, _BOTH),
    "media": (_JOOMLA, _BOTH),
    "pub": (_MAGENTO, ("/static/x.css", "/static/x.js")),
    "etc": (_AEM, ("/designs/x.css", "/designs/x.js")),
}

#: Folders in the root that another system uses for files that no page needs, with patterns that show it.
_NOT_OF_SYSTEMS = {"core": ("connectors", "manager", "sitecore")}

#: Patterns for any path that close each query, or each query with a version, without the `*` and `/` around
#: them; and files that such patterns close.
_VERSIONS = ("?", "?v", "?v=", "?ver", "?ver=")
_VERSIONED = ("/x.css?ver=6.4", "/x.js?ver=6.4")

#: Maximum number of rules that are checked, and of rules that match their files.
_MOST = 200
_MATCHING = 100_000

#: What a pattern closes, in the order of the findings.
_PARTS = "the style sheets or scripts there, to render pages"
_VERSION = (
    "style sheets or scripts with a version in the query, such as `/style.css?ver=6.4`, to render pages"
)
_IMAGES = "the images there, to show them in search results"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the rules that close such files to a search engine, once for each group and kind of file."""
    written = platform_rules(subject) or ()
    disallows = [line for line in subject.patterns if line.field == "disallow" and line.value not in written]
    patterns = {_bare(line.value) for line in subject.patterns}
    samples = {line.number: found for line in disallows if (found := [*_samples(line.value, patterns)])}
    samples = dict([*samples.items()][:_MOST])
    if not samples:
        return
    paths = [path for found in samples.values() for path, _ in found]
    pages = dict(filter(None, (_file_and_page(subject.lines[number - 1].value) for number in samples)))
    kinds = {path: kind for found in samples.values() for path, kind in found}
    engines_of: dict[tuple[str, int], dict[str, None]] = {}  # by kind and number of the closing line
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
            if verdict.line in samples:
                engines_of.setdefault((kinds[path], verdict.line), {})[engine] = None
    for block in subject.blocks if engines_of else ():
        for kind in (_PARTS, _VERSION, _IMAGES):
            closing = [line for line in block.rules if (kind, line.number) in engines_of]
            if closing:
                yield _problem(subject, kind, closing, engines_of)


def _problem(
    subject: Subject, kind: str, closing: list[Line], engines_of: dict[tuple[str, int], dict[str, None]]
) -> Problem:
    names = listed([quoted(line.value) for line in closing], 4)
    engines = " and ".join(dict.fromkeys(name for line in closing for name in engines_of[kind, line.number]))
    is_sure = kind == _PARTS or (kind == _VERSION and b"wp-" in subject.body)
    return at_text(closing[0], f"{names}: {engines} cannot fetch {kind}").replace(
        also=tuple(line.number for line in closing[1:]), severity="warning" if is_sure else "information"
    )


def _bare(pattern: bytes) -> str:
    return pattern.lower().decode("latin-1").strip("*/")


def _samples(pattern: bytes, patterns: set[str]) -> Iterator[tuple[str, str]]:
    """Yield paths that a pattern matches, given all patterns, each with the kind of its file."""
    bare = _bare(pattern)
    if bare.strip("$") in _VERSIONS:
        yield from ((path, _VERSION) for path in _VERSIONED)
    elif not (
        bare.endswith("scripts") and {"misc", "includes"} <= patterns
    ):  # in Drupal these run on the server
        for file in _files_of(pattern, bare, patterns):
            path = sample_path(pattern, file)
            if path is not None:
                yield path, _IMAGES if file in _IMAGE else _PARTS


def _files_of(pattern: bytes, bare: str, patterns: set[str]) -> tuple[str, ...]:
    """Return the files that a folder has; they are empty if the pattern names them by their ending."""
    if _names_ending(pattern):
        return ("",)
    if " " in bare or not pattern.startswith((b"/", b"*/")) or pattern.endswith(b"$"):
        return ()
    systems, files = _OF_SYSTEMS.get(bare, ((), ()))
    if any(other in patterns for other in systems if other != bare):
        return files
    if any(other in patterns for other in _NOT_OF_SYSTEMS.get(bare, ())):
        return ()
    before, _, last = bare.rpartition("/")
    two = f"{before.rpartition('/')[2]}/{last}"
    return _FOLDERS.get(two) or _FOLDERS.get(last) or _IN_ROOT.get(bare, ())


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
