"""The directives of a page for robots: META tags, `X-Robots-Tag`, links, and marked regions of its text.

    page_directives  reads a page and its response
    PageDirectives   the Answers for one robot, and the PageStatements that decide, with a PageStanding
    PageProblem      a mistake in a statement, such as a misspelt rule
    Link, Region     a link of the page, and a region of its text that is closed
    Element          a tag, for callers with a parser of their own
    decoded          the text of a page, in which regions are counted

Each name is imported when it is first used.

`encoding` decodes bytes to text, and `markup` finds the tags and comments that matter. `rules` and `dates`
parse their contents, and `statements` selects those for one robot. `links` and `regions` read the rest.
`contradictions` decides which statements count, and `directives` gives the answers.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .directives import DirectiveAnswer, PageDirectives, page_directives
    from .encoding import decoded
    from .links import Link
    from .markup import Element
    from .problems import PageProblem
    from .regions import Region
    from .statements import PageStanding, PageStatement

__all__ = [
    "DirectiveAnswer",
    "Element",
    "Link",
    "PageDirectives",
    "PageProblem",
    "Region",
    "PageStanding",
    "PageStatement",
    "decoded",
    "page_directives",
]

if not TYPE_CHECKING:
    from ..._lazy import lazy

    _MODULES = {
        "Answer": ".directives",  # the earlier name of DirectiveAnswer, until 1.0
        "DirectiveAnswer": ".directives",
        "Element": ".markup",
        "Link": ".links",
        "PageDirectives": ".directives",
        "Region": ".regions",
        "PageProblem": ".problems",
        "PageStanding": ".statements",
        "PageStatement": ".statements",
        "decoded": ".encoding",
        "page_directives": ".directives",
    }
    __getattr__, __dir__ = lazy(__name__, __all__, _MODULES)
    del lazy


del TYPE_CHECKING
