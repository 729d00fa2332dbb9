"""The other parsers, and the process that asks one of them.

Another parser may need exponential time for a hostile file, or crash. So it runs in a process of its own:
`python -m comity.compat.disagreement.parsers protego` reads the questions from standard input as JSON, and
writes one character for each answer.
"""

import importlib
import importlib.util
import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Answers for a robot and a URL.
    Answer = Callable[[str, str], Any]


def _protego(module: "Any", text: str) -> "Answer":
    robots = module.Protego.parse(text)
    return lambda agent, url: robots.can_fetch(url, agent)


def _urllib(module: "Any", text: str) -> "Answer":
    robots = module.RobotFileParser()
    robots.parse(text.splitlines())
    return lambda agent, url: robots.can_fetch(agent, url)


def _robotspy(module: "Any", text: str) -> "Answer":
    robots = module.RobotsParser.from_string(text)
    return lambda agent, url: robots.can_fetch(agent, url)


def _rerp(module: "Any", text: str) -> "Answer":
    robots = module.RobotExclusionRulesParser()
    robots.parse(text)
    return lambda agent, url: robots.is_allowed(agent, url)


#: For each parser: its module, the package to install, and the function that parses a text.
_PARSERS: "dict[str, tuple[str, str, Callable[[Any, str], Answer]]]" = {
    "protego": ("protego", "protego", _protego),
    "urllib": ("urllib.robotparser", "", _urllib),
    "robotspy": ("robots", "robotspy", _robotspy),
    "robotexclusionrulesparser": ("robotexclusionrulesparser", "robotexclusionrulesparser", _rerp),
}

#: The names of the parsers.
PARSERS = tuple(_PARSERS)

#: The characters for allowed, disallowed, and an exception.
ALLOWED, DISALLOWED, FAILED = "+-!"


def missing_package(parser: str) -> str:
    """Return the package to install for a parser, or an empty string if it is installed.

    >>> missing_package("urllib")
    ''
    """
    module, package, _ = _PARSERS[parser]
    return "" if importlib.util.find_spec(module) else package


def _main() -> None:
    """Answer the questions of standard input: texts, each with robots and URLs."""
    module, _, parse = _PARSERS[sys.argv[1]]
    library = importlib.import_module(module)
    for text, questions in json.load(sys.stdin):
        answer = parse(library, text)
        for agent, url in questions:
            try:
                found = ALLOWED if answer(agent, url) else DISALLOWED
            except Exception:
                found = FAILED
            sys.stdout.write(found)
            sys.stdout.flush()  # a process that is stopped has given the answers before


if __name__ == "__main__":
    _main()
