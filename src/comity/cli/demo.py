"""`comity demo`: the main job on example files that come with the package."""

import shlex
from importlib.resources import as_file, files

import click

from .check import command as check

__all__ = ["command"]

#: What is shown: a heading, the example file, the words after `comity check --robots FILE`.
_SCENES = (
    (
        "The recipes of the standard, asked for three robots",
        "recipes.txt",
        "/cgi-bin/x /~joe/ /~joe/welcome.html --agent BadBot --agent GoodBot --agent ExampleBot",
    ),
    (
        "Wildcards: which pattern wins, and what it overrules",
        "wildcards.txt",
        "/a.php /a.php?x=1 /shop?sort=price /private-view/photo /private-notes/photo /price$list --explain",
    ),
    (
        "Percent-encoding: the same path in other spellings",
        "escapes.txt",
        "/%7Ejoe/index.html /café/menu /caf%c3%a9/menu /a/b /a%2fb /file-with-a-*.html "
        "/find?url=https%3A%2F%2Fexample.org",
    ),
    (
        "Named robots: by token, by header, or by tokens in order of preference",
        "robots.txt",
        "https://www.example.com/shop/1 https://www.example.com/cart/ --agent ExampleBot "
        "--agent 'Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)' "
        "--agent ExampleBot-Images,ExampleBot --agent OtherBot",
    ),
    (
        "One file, four dialects: the 1994 standard knows neither Allow nor wildcards",
        "recipes.txt",
        "/~joe/welcome.html --dialect 1994 --explain",
    ),
    ("The same answer for a program", "wildcards.txt", "/a.php --json"),
)


@click.command("demo")
def command() -> None:
    """Show `comity check` on example files, with its answers and their reasons."""
    shown: set[str] = set()
    for heading, name, words in _SCENES:
        with as_file(files("comity") / "examples" / name) as path:
            click.secho(f"\n{heading}\n", bold=True)
            if name not in shown:
                click.secho(f"{path.read_text(encoding='utf-8').strip()}\n", dim=True)
                shown.add(name)
            click.secho(f"$ comity check --robots {name} {words}", fg="cyan")
            arguments = ["--robots", str(path), *shlex.split(words)]
            try:
                check.main(arguments, prog_name="comity check", standalone_mode=False)
            except SystemExit as stopped:
                click.secho(f"[exit status {stopped.code}]", dim=True)
