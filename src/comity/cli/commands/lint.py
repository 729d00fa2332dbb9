"""`comity lint`: what in a robots.txt does not do what it says, or probably not what was meant."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InvalidArgument, InvalidURL
from ...protocol.text import printable
from .. import options
from ..atomic_write import replace_file
from ..exit_status import UnreachableSite, UnusableInput

if TYPE_CHECKING:
    from ...site.lint.settings import Settings
    from ..render.findings import Report

__all__ = ["command"]


@click.command("lint")
@click.argument("files", nargs=-1, metavar="[FILE|URL]...")
@click.option("--fix", is_flag=True, help="Apply the safe fixes, which change no answer to any robot.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply the other fixes too. Needs --fix or --diff.")
@options.diff_option("as_diff", "Exit with status 1 if there is something to fix.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    help="The output format of findings. Default: text.",
)
@options.json_option("The same as --format json: one object per finding.")
@click.option(
    "--select", multiple=True, metavar="CODES", help="The rules to run: codes such as C301,C4, names, or ALL."
)
@click.option(
    "--ignore", multiple=True, metavar="CODES", help="Rules to skip, in addition to those of the settings."
)
@click.option(
    "--config", metavar="FILE", help="The settings file. Default: the nearest comity.toml or pyproject.toml."
)
@click.option("--explain-rule", "explain", metavar="CODE", help="Explain a rule, and exit.")
@click.option("--rules", is_flag=True, help="List the rules, and exit.")
@options.policy_option
@options.user_agent_option
def command(
    files: Sequence[str],
    fix: bool,
    unsafe_fixes: bool,
    as_diff: bool,
    form: str | None,
    as_json: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    config: str | None,
    explain: str | None,
    rules: bool,
    policy: str,
    user_agent: str,
) -> None:
    """Find mistakes in robots.txt files.

    Each FILE is a file, a URL whose site is asked for its robots.txt, or - for standard input; without
    any it is robots.txt. With --fix a file is written anew if there is something to fix, and standard
    input goes to standard output.

    Settings are read from the nearest comity.toml ([lint]) or pyproject.toml ([tool.comity.lint]).

    Exit status: 0 if there is no error and no warning, 1 if there is one (with --diff: if there is
    something to fix), 2 if a file cannot be read or a setting is none, 3 if a site's robots.txt is
    unreachable. The other files are read nevertheless.
    """
    if explain is not None:
        _explain(explain)
        return
    if rules:
        _list()
        return
    _check_form(form, as_json, as_diff)
    if unsafe_fixes and not (fix or as_diff):
        raise click.UsageError("--unsafe-fixes goes with --fix or --diff")
    if list(files).count("-") > 1:
        raise click.UsageError("standard input can be read once")
    names = files or ("robots.txt",)
    if fix and any("://" in name for name in names):
        raise click.UsageError("--fix changes files; a site's own robots.txt cannot be changed from here")
    try:
        chosen = _settings(config, select, ignore)
    except InvalidArgument as fault:
        raise UnusableInput(printable(str(fault))) from None
    changes = False
    reports: list[Report] = []
    failures: list[click.ClickException] = []
    for name in names:
        try:
            name, body, url = _body(name, policy, user_agent)
            if fix or as_diff:
                body, changed = _fixed(name, body, url, chosen, unsafe_fixes, as_diff)
                changes = changes or changed
            if not as_diff:
                reports.append(_without_fixes(_report(name, body, url, chosen), fix, unsafe_fixes))
        except click.ClickException as failure:  # the others are still worth reading
            failures.append(failure)
            click.echo(f"Error: {failure.format_message()}", err=True)
    if not as_diff and (reports or not failures):
        told = [failure.format_message() for failure in failures]
        _show(reports, told, "json" if as_json else form or "text", aside=fix and "-" in names)
    if failures:
        sys.exit(min(failure.exit_code for failure in failures))
    severities = {finding.severity for report in reports for finding in report.findings}
    sys.exit(int(changes if as_diff else not severities <= {"information"}))


def _check_form(form: str | None, as_json: bool, as_diff: bool) -> None:
    """Complain of a format that contradicts another option."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json contradicts --format {form}")
    if as_diff and (as_json or form is not None):
        raise click.UsageError(f"--diff prints no findings; leave {'--json' if as_json else '--format'} out")


def _settings(config: str | None, select: Sequence[str], ignore: Sequence[str]) -> "Settings":
    from ...site.lint.settings import Settings, settings_for, settings_in

    try:
        found = settings_in(Path(config)) if config is not None else settings_for(Path.cwd())
    except OSError as error:
        raise UnusableInput(f"cannot read {printable(str(error.filename))!r}: {error.strerror}") from None
    if not all(map(_codes, ([said] for said in select))):
        raise click.UsageError("--select names no code, such as C301, C3, ALL or DEFAULT")
    return Settings(_codes(select) or found.select, found.ignore + _codes(ignore), found.severity)


def _codes(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for codes in said for code in codes.split(",") if code.strip())


def _body(name: str, policy: str, user_agent: str) -> tuple[str, bytes, str | None]:
    """Give a file's name and octets, and its address if it has one."""
    if "://" in name:
        return _asked(name, policy, user_agent)
    try:
        with click.open_file(name, "rb") as stream:
            return name, stream.read(), None
    except OSError as error:
        raise UnusableInput(f"cannot read {printable(name)!r}: {error.strerror or error}") from None


def _asked(url: str, policy: str, user_agent: str) -> tuple[str, bytes, str]:
    from ...protocol.access.outcome import Outcome
    from ..site_client import SiteClient  # loads the HTTP client

    try:
        with SiteClient(user_agent, policy, cached=False) as client:
            access = client.access(url)
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    if access.outcome is Outcome.UNREACHABLE:
        raise UnreachableSite(printable(f"{access.url}: {access.explain()}"))
    if access.outcome is not Outcome.RULES:
        click.echo(f"Note: {printable(access.url)}: {printable(access.explain())}", err=True)
        return access.url, b"", access.url
    return access.url, access.body, access.url


def _fixed(
    name: str, body: bytes, url: str | None, settings: "Settings", unsafe: bool, as_diff: bool
) -> tuple[bytes, bool]:
    """Fix a file where it stands, or show what would change; give the octets, and whether they changed."""
    from ...site.lint.fixing import fixed

    after = fixed(body, settings=settings, url=url, unsafe=unsafe)
    if as_diff:
        _show_diff(name, body, after)
    elif name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(after)
        sys.stdout.buffer.flush()
    elif after != body:
        try:
            replace_file(name, after)
            click.echo(f"{printable(name)}: fixed", err=True)
        except OSError as error:
            raise UnusableInput(f"cannot write {printable(name)!r}: {error.strerror or error}") from None
    return after, after != body


def _show_diff(name: str, before: bytes, after: bytes) -> None:
    from ..line_diff import align_fixed, unified_diff

    for line in unified_diff(_title(name), "fixed", align_fixed(before, after)):
        click.echo(line)


def _report(name: str, body: bytes, url: str | None, settings: "Settings") -> "Report":
    from ...site.lint.linting import lint
    from ..render.findings import Report

    return Report(_title(name), body, lint(body, settings=settings, url=url))


def _without_fixes(report: "Report", fix: bool, unsafe: bool) -> "Report":
    """Tell of the fixes that were asked for and could not be applied, and that they are none."""
    left = [fix and found.fix is not None and (found.fix.safe or unsafe) for found in report.findings]
    count = sum(1 + finding.more for finding, is_left in zip(report.findings, left, strict=True) if is_left)
    if not count:
        return report
    reason = "robots would read the file otherwise, or it is larger than 500 KiB"
    click.echo(f"{printable(report.name)}: {count:,} not fixed: {reason}", err=True)
    pairs = zip(report.findings, left, strict=True)
    return report._replace(
        findings=[found.replace(fix=None) if is_left else found for found, is_left in pairs]
    )


def _title(name: str) -> str:
    return "standard input" if name == "-" else name


def _show(reports: "Sequence[Report]", failures: Sequence[str], form: str, *, aside: bool) -> None:
    from ..render.findings import FORMATS, summary

    for line in FORMATS[form](reports, failures):
        click.echo(line, err=aside)
    if form == "text":
        click.echo(summary(reports), err=aside)


def _explain(code: str) -> None:
    from ...site.lint.rules import RULES

    wanted = code.strip().lower()
    rule = next((rule for rule in RULES if wanted in (rule.code.lower(), rule.name)), None)
    if rule is None:
        raise click.UsageError(f"no rule {printable(code)!r}; comity lint --rules lists them")
    asked = "" if rule.default else ", asked only when it is selected"
    click.echo(f"{rule.code} {rule.name} ({rule.severity}{asked})\n")
    click.echo(rule.documentation.strip())


def _list() -> None:
    from ...site.lint.rules import RULES
    from ..render.table import show_table

    rows = [
        [
            (rule.code, "bold"),
            (rule.name, ""),
            (rule.severity, ""),
            ("" if rule.default else "no", ""),
            (rule.explanation.summary, ""),
        ]
        for rule in RULES
    ]
    show_table(["code", "name", "severity", "default", "finds"], rows)
