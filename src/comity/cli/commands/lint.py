"""`comity lint`: find mistakes in robots.txt files."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InvalidArgument, InvalidURL, SiteUnavailable, UnusableInput
from ...files import replace_file
from ...protocol import counted, printable
from .. import options
from ..inputs import read_file, sites_named, unreadable, unwritable
from ..terminal import echo, echo_body, echo_lines

if TYPE_CHECKING:
    from ...desk import SiteClient
    from ...site import Baseline, Finding, Settings
    from ..render.findings import Report

#: RFC 9309 2.3.1.3; Google, on HTTP status codes; draft-koster-robots-00 3.1.
_REFUSED = (
    ". RFC 9309 and Google read the refusal like a missing file; robots of 1996 stay out. To close the site, "
    "send a robots.txt with `Disallow: /`"
)

#: RFC 9309 2.3; "A Standard for Robot Exclusion" (1994) and its guides: "all lower case".
_NAME_HINT = "robots request only robots.txt, in lower case"


@click.command("lint")
@click.argument("files", nargs=-1, metavar="[FILE|URL]...", shell_complete=options.complete_files)
@click.option("--fix", is_flag=True, help="Apply the safe fixes, which change no answer for any robot.")
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
    "--config",
    metavar="FILE",
    shell_complete=options.complete_files,
    help="The settings file. Default: the nearest comity.toml or pyproject.toml.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    shell_complete=options.complete_files,
    help="Known findings, which are neither reported nor fixed.",
)
@click.option(
    "--write-baseline", is_flag=True, help="Write all findings to the file of --baseline, and exit."
)
@click.option("--explain-rule", "explain", metavar="CODE", help="Explain a rule, and exit.")
@click.option("--rules", is_flag=True, help="List the rules, and exit.")
@options.policy_option
@options.user_agent_option
@options.login_options
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
    baseline: str | None,
    write_baseline: bool,
    explain: str | None,
    rules: bool,
    policy: str,
    user_agent: str,
    login: options.LoginOptions,
) -> None:
    """Find mistakes in robots.txt files, or fix them with --fix.

    The default for FILE is robots.txt. A URL means the robots.txt of its site. With --fix, standard input is
    written to standard output.

    The settings are in the section [lint] of the nearest comity.toml, or [tool.comity.lint] of the nearest
    pyproject.toml.

    Exit status: 0 if there is no error or warning, 1 if there is one (with --diff, if there is something to
    fix), 2 if a file or the settings cannot be read, 3 if the robots.txt of a site is unreachable. The
    other files are still checked.
    """
    if explain is not None:
        _explain(explain)
        return
    if rules:
        _list()
        return
    names = sites_named(files) or ["robots.txt"]
    _check_usage(names, fix, unsafe_fixes, as_diff, form, as_json)
    if write_baseline and (baseline is None or fix or as_diff or as_json or form is not None):
        raise click.UsageError("--write-baseline needs --baseline, and no option for fixes or formats")
    settings = _settings(config, select, ignore)
    known = _baselines(baseline, may_be_new=write_baseline)
    open_client = _opener([name for name in names if "://" in name], policy, user_agent, login)
    changes = False
    reports: list[Report] = []
    failures: list[UnusableInput | SiteUnavailable] = []
    for name in names:
        try:
            name, body, url = _body(name, open_client)
            if body is None:
                continue
            known_here = known.get(_key(name)) if baseline is not None else None
            if write_baseline:
                known[_key(name)] = _known(body, url, settings)
                continue
            if fix or as_diff:
                body, changed = _fix(name, body, url, settings, unsafe_fixes, as_diff, known_here)
                changes = changes or changed
            if not as_diff:
                report = _report(name, body, url, settings, known_here)
                reports.append(_without_fixes(report, fix, unsafe_fixes))
        except (UnusableInput, SiteUnavailable) as failure:
            failures.append(failure)
            echo(f"Error: {failure}", err=True)
    if write_baseline and baseline is not None:
        _write_baseline(baseline, known)
    elif not as_diff and (reports or not failures):
        messages = [str(failure) for failure in failures]
        _show(reports, messages, "json" if as_json else form or "text", to_stderr=fix and "-" in names)
    if failures:
        sys.exit(3 if all(isinstance(failure, SiteUnavailable) for failure in failures) else 2)
    severities = {finding.severity for report in reports for finding in report.findings}
    sys.exit(int(changes if as_diff else not severities <= {"information"}))


def _check_usage(
    names: Sequence[str], fix: bool, unsafe_fixes: bool, as_diff: bool, form: str | None, as_json: bool
) -> None:
    """Raise `click.UsageError` for options that contradict each other."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json contradicts --format {form}; leave one out")
    if as_diff and (as_json or form is not None):
        raise click.UsageError(f"--diff prints no findings; leave {'--json' if as_json else '--format'} out")
    if unsafe_fixes and not (fix or as_diff):
        raise click.UsageError("--unsafe-fixes needs --fix or --diff")
    if list(names).count("-") > 1:
        raise click.UsageError("standard input can be read only once")
    if fix and any("://" in name for name in names):
        raise click.UsageError("--fix changes files; it cannot change the robots.txt of a site")


def _settings(config: str | None, select: Sequence[str], ignore: Sequence[str]) -> "Settings":
    """Return the settings of the file, changed by the options."""
    from ...site import Settings
    from ...site.linter import settings_for, settings_in

    if not all(map(_codes, ([codes] for codes in select))):
        raise click.UsageError("--select: no code given; write one such as C301, C3, ALL or DEFAULT")
    try:
        found = settings_in(Path(config)) if config is not None else settings_for(Path.cwd())
    except OSError as error:
        raise unreadable(str(error.filename or "the working directory"), error) from None
    except InvalidArgument as error:
        raise UnusableInput(printable(str(error))) from None
    try:
        return Settings(_codes(select) or found.select, found.ignore + _codes(ignore), found.severity)
    except InvalidArgument as error:
        raise click.UsageError(f"--{printable(str(error))}; comity lint --rules lists them") from None


def _baselines(file: str | None, *, may_be_new: bool) -> "dict[str, Baseline]":
    """Return the baselines of a file by the names of the checked files; a new file has none."""
    from ...site import parse_baselines

    if file is None or (may_be_new and not Path(file).exists()):
        return {}
    try:
        return parse_baselines(read_file(file))
    except InvalidArgument as error:
        raise UnusableInput(f"{printable(file)}: {error}") from None


def _key(name: str) -> str:
    """Return the name of a file in a baseline, which is the same on all systems; URLs stay."""
    return name if "://" in name else Path(os.path.normpath(name)).as_posix()


def _known(body: bytes, url: str | None, settings: "Settings") -> "Baseline":
    from ...site import baseline_of

    return baseline_of(body, settings=settings, url=url)


def _write_baseline(file: str, known: "Mapping[str, Baseline]") -> None:
    from ...site import format_baselines

    try:
        replace_file(file, format_baselines(known).encode())
    except OSError as error:
        raise unwritable(file, error) from None
    count = sum(number for baseline in known.values() for _, _, number in baseline.entries)
    echo(f"{printable(file)}: {counted(count, 'finding')}", err=True)


def _codes(lists: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for codes in lists for code in codes.split(",") if code.strip())


def _opener(
    urls: Sequence[str], policy: str, user_agent: str, login: options.LoginOptions
) -> "Callable[[], SiteClient] | None":
    """Return a function that creates an HTTP client for the URLs, or None if there are none."""
    if not urls:
        return None
    from .. import session
    from ..contact import identity_of
    from ..session import credentials_of

    identity = identity_of(user_agent, None, needs_contact=False)
    credentials = credentials_of(login, urls)
    return partial(session.open_client, identity, policy, credentials, cached=False)


def _body(name: str, open_client: "Callable[[], SiteClient] | None") -> tuple[str, bytes | None, str | None]:
    """Return the name, the body and the URL of a robots.txt. A file has no URL; a site may have no body."""
    if open_client is not None and "://" in name:
        return _fetched(name, open_client)
    path = Path(name)
    try:
        body = read_file(name)
    except UnusableInput as error:
        other = next((file for file in _files_beside(path) if _is_miscased(file)), None)
        hint = (
            f"; there is {printable(other)}, but {_NAME_HINT}" if other and path.name == "robots.txt" else ""
        )
        raise UnusableInput(f"{error}{hint}") from None
    if _is_miscased(path.name):
        echo(f"Warning: {printable(name)}: {_NAME_HINT}; rename the file", err=True)
    return name, body, None


def _is_miscased(name: str) -> bool:
    return name.lower() == "robots.txt" != name


def _files_beside(path: Path) -> list[str]:
    """Return the names of the files in a folder, sorted; none if they cannot be listed."""
    try:
        return sorted(os.listdir(path.parent))
    except OSError:
        return []


def _fetched(url: str, open_client: "Callable[[], SiteClient]") -> tuple[str, bytes | None, str]:
    from ...protocol.access import Cause, Outcome

    try:
        with open_client() as client:
            access = client.access(url, warns=False)
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    if access.outcome is Outcome.UNREACHABLE:
        raise SiteUnavailable(printable(f"{access.url}: {access.explain()}"))
    if access.outcome is not Outcome.RULES:
        meaning = _REFUSED if access.cause is Cause.FORBIDDEN else ""
        echo(f"Note: {access.url}: {access.explain()}{meaning}", err=True)
        return access.url, None, access.url
    return access.url, access.body, access.url


def _fix(
    name: str,
    body: bytes,
    url: str | None,
    settings: "Settings",
    unsafe: bool,
    as_diff: bool,
    known: "Baseline | None",
) -> tuple[bytes, bool]:
    """Fix a file, or print the changes with --diff. Return the new body, and whether it is changed."""
    from ...site.linter import fixed

    after = fixed(body, settings=settings, url=url, unsafe=unsafe, baseline=known)
    if as_diff:
        _show_diff(name, body, after)
    elif name == "-":
        echo_body(after)
    elif after != body:
        try:
            replace_file(name, after)
            echo(f"{name}: fixed", err=True)
        except OSError as error:
            raise unwritable(name, error) from None
    return after, after != body


def _show_diff(name: str, before: bytes, after: bytes) -> None:
    from ..line_diff import align_fixed, unified_diff

    for line in unified_diff("standard input" if name == "-" else name, "fixed", align_fixed(before, after)):
        echo(line)


def _report(
    name: str, body: bytes, url: str | None, settings: "Settings", known: "Baseline | None"
) -> "Report":
    from ...site import lint
    from ..render.findings import Report

    findings = lint(body, settings=settings, url=url, baseline=known)
    return Report("standard input" if name == "-" else name, findings)


def _without_fixes(report: "Report", fix: bool, unsafe: bool) -> "Report":
    """Report the fixes that could not be applied, and remove them from their findings."""
    from ...site import Findings

    def is_unfixed(found: "Finding") -> bool:
        return fix and found.fix is not None and (found.fix.safe or unsafe)

    count = sum(1 + found.more for found in report.findings if is_unfixed(found))
    if not count:
        return report
    reason = "the fix would change an answer to a robot, or the file is too large for it"
    echo(f"{report.name}: {count:,} not fixed: {reason}", err=True)
    found = report.findings
    without = (finding.replace(fix=None) if is_unfixed(finding) else finding for finding in found)
    return report._replace(findings=Findings(without, found.body, found.only_new))


def _show(reports: "Sequence[Report]", failures: Sequence[str], form: str, *, to_stderr: bool) -> None:
    from ..render.findings import FORMATS

    FORMATS[form](reports, failures, to_stderr)


def _explain(code: str) -> None:
    from ...protocol.robotstxt.diagnostics import KINDS
    from ...site.linter import RULES

    wanted = code.strip().lower()
    own = (
        rule
        for rule in RULES
        if wanted.upper() in (rule.code, rule.name.upper(), *map(str.upper, rule.aliases))
    )
    rule = next(own, None)
    kind = next((kind for kind in KINDS.values() if wanted in (kind.code.lower(), kind.name)), None)
    if rule is None and kind is not None:
        echo_lines(f"{kind.code} {kind.name} ({kind.severity}, only a diagnostic)\n\n{kind.about}.")
        return
    if rule is None:
        raise click.UsageError(
            f"--explain-rule: unknown rule {printable(code)!r}; comity lint --rules lists them"
        )
    selected = "" if rule.default else ", only if selected"
    echo_lines(f"{rule.code} {rule.name} ({rule.severity}{selected})\n\n{rule.documentation.strip()}")


def _list() -> None:
    from ...site.linter import RULES
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
