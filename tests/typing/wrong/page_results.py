"""Results of a page that do not exist."""

import comity

robot = comity.Robot("A/1", contact="a@b.example")
page = robot.page("https://example.com/")
text: str = page.body  # error
page.text()  # error
page.status = 404  # error
for link in page.links:
    length: int = len(link.url)  # error
