"""What a page needs to be seen: its images, style sheets, icons, scripts and sounds, which are no links."""

from collections.abc import Iterator

from scrapy.http import HtmlResponse, Response

__all__ = ["embedded"]

_PATH = (
    "//img/@src | //script/@src | //input[@type='image']/@src | //source/@src | //audio/@src | //video/@src"
    " | //video/@poster | //track/@src | //embed/@src"
    " | //link[contains(concat(' ', normalize-space(@rel), ' '), ' stylesheet ')"
    " or contains(concat(' ', normalize-space(@rel), ' '), ' icon ')]/@href"
)


def embedded(response: Response) -> list[str]:
    """Give the addresses of what a page embeds, as absolute URLs, each once; none of what is no HTML.

    >>> page = HtmlResponse("http://example.com/a/", body=b"<img src=b.png><link rel=canonical href=c>")
    >>> embedded(page)
    ['http://example.com/a/b.png']
    """
    if not isinstance(response, HtmlResponse):
        return []
    return list(dict.fromkeys(_joined(response)))


def _joined(response: HtmlResponse) -> Iterator[str]:
    for address in response.xpath(_PATH).getall():
        try:
            url = response.urljoin(address.strip())
        except ValueError:  # it is none
            continue
        if url.lower().startswith(("http://", "https://")):
            yield url
