"""Each line of each fragment is in the result, or it is in a note or an error."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import comity
from comity.errors import InvalidPlan

PLAN = """\
block = "GPTBot"
close = ["/tmp/", "/shop/a"]
[[groups]]
agents = "*"
crawl_delay = 5
content_usage = "train-ai=n"
[[groups]]
agents = "Googlebot"
disallow = "/x"
inherit = INHERIT
[owners]
"site.txt" = "/"
"""

paths = st.sampled_from(["", "a", "b", "a*c", "a$", "%61", "{x}", "caf\u00e9", "?b=1"])
agents = st.sampled_from(["*", "Googlebot", "googlebot", "ExampleBot", "Slurp", "bingbot"])
fields = st.sampled_from(
    [
        "Content-Usage: /FOLDER/ train-ai=n, search=y",
        "Sitemap: https://example.com/FOLDER.xml",
        "Clean-param: ref /FOLDER/",
        "# why",
        "Allow:",
        "Disallow:",
        "",
    ]
)
of_the_site = st.sampled_from(["Crawl-delay: 5", "Content-Signal: ai-train=no", "Request-rate: 1/5", "Disallow: /a", "License: https://a.example/l"])  # fmt: skip
rules = st.builds("{}: /FOLDER/{}".format, st.sampled_from(["Allow", "Disallow"]), paths)


def fragments(more):
    """Return fragments of one or two groups, with lines of `more` among them."""
    groups = st.builds(
        lambda names, lines: [*(f"User-agent: {name}" for name in names), *lines],
        st.lists(agents, min_size=1, max_size=3),
        st.lists(more, min_size=1, max_size=5),
    )
    several = st.lists(groups, min_size=1, max_size=2)
    return several.map(lambda several: "\n".join("\n".join(lines) for lines in several))


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(
        {"site": fragments(rules | of_the_site)},
        optional={"shop": fragments(rules | fields), "blog": fragments(rules | fields)},
    ),
    st.booleans(),
)
def test_each_line_is_in_the_result_or_in_a_message(owners, inherit):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "robots.d").mkdir()
        (Path(folder) / "robots.toml").write_text(PLAN.replace("INHERIT", str(inherit).lower()), "utf-8")
        for name, text in owners.items():
            (Path(folder) / "robots.d" / f"{name}.txt").write_text(text.replace("FOLDER", name), "utf-8")
        try:
            built = comity.build(folder)
        except InvalidPlan:
            return
    found = {source for sources in built.sources for source in sources}
    found |= {source for note in built.notes for source in note.sources}
    for name, text in owners.items():
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if line and not line.startswith("#") and line != "Disallow:":
                assert f"robots.d/{name}.txt:{number}:1" in found, (line, built.body)
            if line.startswith("#"):
                assert b"# why" in built.body
