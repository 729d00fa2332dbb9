"""A licence in a group replaces those for all robots.

Why: A robot reads the License lines of its group. Only if there are none does it read those above the groups.

Example:
    License: https://example.com/license.xml
    User-agent: GPTBot
    License: https://example.com/training.xml
    Disallow: /private/
Instead:
    License: https://example.com/license.xml
    User-agent: GPTBot
    Disallow: /private/
Engines: Robots that read License.
Source: RSL 1.0 4.4.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import LICENSE
from ....protocol.robotstxt.fields.license import license_fault
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C612"
SEVERITY = "information"
DEFAULT = False  # a site may have terms of its own for some robots


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first License line of each group, if one above the groups has another URL."""
    whole = {field.value for field in subject.robots.fields if field.name == LICENSE}
    whole = {url for url in whole if license_fault(url) is None}
    for block in subject.blocks if whole else ():
        own = [line for line in block.fields if line.field == LICENSE]
        own = [line for line in own if license_fault(to_text(line.value)) is None]
        if own and not whole <= {to_text(line.value) for line in own}:
            yield at_value(own[0], "for the robots of this group, it replaces the licences above the groups")
