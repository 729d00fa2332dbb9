"""Hypothesis strategies for robots.txt files, robots and paths."""

from hypothesis import strategies as st

DIALECT_NAMES = ("rfc9309", "google", "draft1996", "1994")

dialects = st.sampled_from(DIALECT_NAMES)
agents = st.sampled_from(
    ["ExampleBot", "OtherBot", "MJ12bot", "bot", "*", "Googlebot-Image", "ExampleBot/1.0 (x)"]
)

_agent_values = st.sampled_from(
    [
        "*",
        "ExampleBot",
        "examplebot",
        "OtherBot",
        "ExampleBot/2.0",
        "MJ12bot",
        "bot",
        "",
        "* x",
        "Googlebot-Image",
    ]
)
_pieces = st.sampled_from(
    [
        "/",
        "a",
        "b",
        "ab",
        "*",
        "$",
        "%61",
        "%2F",
        "%2f",
        "%zz",
        "%",
        "%46",
        "%32",
        "2",
        "?",
        "=",
        "é",
        "index.html",
        " ",
        "~",
        ".php",
    ]
)
patterns = st.lists(_pieces, max_size=7).map(lambda pieces: "/" + "".join(pieces)) | st.sampled_from(
    ["", "*", "/", "/*", "$", "a", "*a", "http://example.com/a"]
)
paths = st.lists(_pieces, max_size=8).map(lambda pieces: "/" + "".join(pieces).lstrip("/"))
urls = paths | paths.map(lambda path: "https://example.com" + path)

rule_lines = st.builds(
    lambda field, value: f"{field}: {value}", st.sampled_from(["Allow", "Disallow"]), patterns
)
agent_lines = _agent_values.map(lambda value: f"User-agent: {value}")
other_lines = st.sampled_from(
    [
        "Sitemap: https://example.com/s.xml",
        "Crawl-delay: 3",
        "Request-rate: 1/5",
        "Visit-time: 0600-0845",
        "Content-Signal: search=yes",
        "Unknown: x",
        "# note",
        "",
        "  ",
        "\t# x",
        "Disalow: /a",
        "Disallow /b",
        "User agent: ExampleBot",
        "useragent ExampleBot",
        "Disallowed: /a",
        "nonsense",
        ": /x",
        "\ufeffDisallow: /a",
    ]
)
line_lists = st.lists(st.one_of(agent_lines, rule_lines, rule_lines, other_lines), max_size=14)
ends = st.sampled_from(["\n", "\r", "\r\n"])
texts = st.builds(lambda lines, end: end.join(lines), line_lists, ends)
bodies = st.one_of(
    texts.map(str.encode), st.binary(max_size=200), texts.map(lambda text: b"\xef\xbb\xbf" + text.encode())
)
