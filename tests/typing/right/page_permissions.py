"""What a page allows."""

import comity
from comity.protocol.page import DirectiveAnswer, Link

HTML = b"<meta name=robots content='noindex, max-snippet:20'><a href=/tea>Tea</a><a rel=nofollow href=/cart>Cart</a>"

page: comity.PageDirectives = comity.page_directives(
    html=HTML,
    headers=[("X-Robots-Tag", "otherbot: none")],
    agent=("Googlebot-News", "Googlebot"),
    url="https://example.com/",
    now=1_700_000_000.0,
)
index: DirectiveAnswer = page.index
links: list[Link] = [link for link in page.links if link.follow]
assert not index
assert index.rule == "noindex"
assert page.max_snippet == 20
assert [link.url for link in links] == ["https://example.com/tea"]
sentences: str = page.explain()
assert "noindex" in sentences
assert comity.page_directives(headers={"X-Robots-Tag": "nofollow"}, agent="ExampleBot").index.allowed
