"""Convert the links of all pages in a mirror, also again after more pages were fetched."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..job.entry import FinishedURL
from ..job.interface import JobReport
from ..output.originals import Originals
from .local_links import LocalLinks
from .rewriting import PAGES, STYLE_SHEET, rewritten


def convert_links(
    job: JobReport, folder: Path, without: Callable[[str, str], str] = lambda _, url: url
) -> int:
    """Convert the links of the stored pages to files of the mirror, and return the number of changed pages.

    `without` removes the parameters that the crawl removed from a URL; see `LocalLinks`.
    Links to other pages become absolute URLs. Each page is converted from its received bytes. A file that
    someone else changed or deleted is left as it is.
    """
    files, redirects = {}, {}
    for page in job.results():
        if page.result.outcome == "stored" and page.result.file is not None:
            files[page.url] = page.result.file
        elif page.result.outcome == "redirect" and page.result.target is not None:
            redirects[page.url] = page.result.target
    links, originals, changed = LocalLinks(files, redirects, without), Originals(folder), set()
    for page, name in _convertible(job):
        received = originals.received(name, page.result.sha256)
        if received is None:
            continue
        link = partial(links.reference, name)
        media = _media(page)
        converted = rewritten(received, media, page.result.charset, page.url, link)
        originals.convert(name, received, converted)
        if converted != received:
            changed.add(name)
    originals.remove_except(changed)
    return len(changed)


def _convertible(job: JobReport) -> Iterator[tuple[FinishedURL, str]]:
    """Yield the stored pages and style sheets with their file names."""
    for page in job.results():
        name = page.result.file
        if page.result.outcome == "stored" and name is not None and _media(page) in (*PAGES, STYLE_SHEET):
            yield page, name


def _media(page: FinishedURL) -> str:
    return (page.result.media or "").lower()
