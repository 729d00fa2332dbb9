"""`comity history`: the versions of a robots.txt that were stored, and what changed between them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import EvidenceError, InvalidURL, UnusableInput
from ...protocol import counted, printable, rfc3339
from .. import options
from ..inputs import lines_of_log, unreadable
from ..option_types import WholeNumber
from ..render.table import show_table
from ..terminal import bounded, echo, echo_body, echo_json
from .watch import store_option

if TYPE_CHECKING:
    from ...stores import Version

#: Number of digits of a digest that are shown, and the fewest that --show takes.
_DIGITS, _FEWEST = 12, 6


class _Stored(NamedTuple):
    """The versions of all sites, the oldest first, and the function that returns their bodies."""

    versions: "Sequence[Version]"
    body_of: "Callable[[Version], bytes]"


@click.command("history")
@click.argument("site", required=False, metavar="[SITE]")
@store_option
@click.option("--log", "log_file", metavar="FILE", shell_complete=options.complete_files,
              help="Read this decision log of a robot instead of the versions of comity watch.")  # fmt: skip
@click.option("--show", "shown", metavar="VERSION", help="Print the robots.txt of this version.")
@click.option("--compare", "pair", metavar="OLD NEW", nargs=2,
              help="Compare two versions by meaning, as comity diff does.")  # fmt: skip
@click.option("--last", "limit", metavar="N", type=WholeNumber(1), default=50, show_default=True,
              help="Number of versions that are listed, the newest ones.")  # fmt: skip
@options.json_option("One object for each version.")
def command(
    site: str | None,
    folder: Path,
    log_file: str | None,
    shown: str | None,
    pair: Sequence[str] | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the stored versions of the robots.txt of SITE.

    SITE is any URL of the site; without it, the sites are listed. VERSION, OLD and NEW are numbers of the
    list, or the first digits of digests, at least six.

    Exit status: 0 if there are versions, 1 if there are none, or if --compare finds a change, 2 for wrong
    usage, or for a version that is missing or damaged.
    """
    if site is None and (shown or pair):
        raise click.UsageError("--show and --compare need a SITE")
    if shown and pair:
        raise click.UsageError("--show and --compare cannot be combined")
    stored = _from_store(folder) if log_file is None else _from_log(log_file, folder)
    if site is None:
        _list_sites(stored, as_json=as_json)
        return
    origin = _origin(site)
    versions = [version for version in stored.versions if version.origin == origin]
    if shown:
        echo_body(_body(stored, _chosen(versions, shown, "--show")))
    elif pair:
        _compare(stored, *(_chosen(versions, name, "--compare") for name in pair), as_json=as_json)
    elif not versions:
        echo(f"no version of {origin} is stored", err=True)
        sys.exit(1)
    else:
        _list_versions(stored, versions, limit, as_json=as_json)


def _origin(site: str) -> str:
    from ...protocol import Origin

    try:
        return str(Origin.of(site))
    except InvalidURL as error:
        raise click.UsageError(printable(str(error))) from None


def _from_store(folder: Path) -> _Stored:
    """Return the versions of a folder, and report damaged lines."""
    from ...politeness.log_files import VERSIONS
    from ...stores import VersionStore

    if not folder.is_dir():
        raise UnusableInput(f"{printable(str(folder))}: not a folder")
    store = VersionStore(folder)
    try:
        versions = store.read()
    except OSError as error:
        raise unreadable(str(store.path), error) from None
    for line, why in store.damaged.items():
        echo(f"Error: {folder / VERSIONS}:{line}: {why}; the line is skipped", err=True)
    return _Stored(versions, store.body)


def _from_log(log_file: str, folder: Path) -> _Stored:
    """Return the versions that a decision log names, with the bodies next to it."""
    from ...politeness.log_files import evidence_folder, stored_body
    from ...stores import Version

    path = folder / log_file
    evidence = evidence_folder(path)

    def body_of(version: Version) -> bytes:
        if version.sha256 is None:
            return b""
        if not version.kept:
            raise EvidenceError(f"the body of version {version.number:,} was not stored")
        return stored_body(evidence, version.sha256)

    return _Stored(list(_logged(path)), body_of)


def _logged(path: Path) -> "Iterator[Version]":
    """Yield each robots.txt of a decision log that differs from the one before of its site."""
    from ...politeness.log_files import version_of
    from ...study.decision_log import read_records

    last: dict[str, object] = {}
    for _, record in read_records(lines_of_log(str(path))):
        if record is None or record.get("robots") is None:
            continue
        try:
            version = version_of(record)
        except (ValueError, KeyError, TypeError):
            continue
        if last.get(version.origin) != version.answer:
            last[version.origin] = version.answer
            yield version


def _list_sites(stored: _Stored, *, as_json: bool) -> None:
    last = {version.origin: version for version in stored.versions}
    counts = dict.fromkeys(last, 0)
    for version in stored.versions:
        counts[version.origin] += 1
    if as_json:
        for origin, version in sorted(last.items()):
            echo_json({"origin": origin, "versions": counts[origin], "last": version.record()})
    elif last:
        rows = [
            [
                (origin, "bold"),
                (f"{counts[origin]:,}", ""),
                (rfc3339(version.time), ""),
                (_answer(version), ""),
            ]
            for origin, version in sorted(last.items())
        ]
        show_table(["site", "versions", "last change", "answer"], rows)
    else:
        echo("no version is stored", err=True)
        sys.exit(1)


def _list_versions(stored: _Stored, versions: "Sequence[Version]", limit: int, *, as_json: bool) -> None:
    from ..watch.journal import Journal

    journal = Journal(stored.body_of, [versions[0].origin])
    rows = []
    for transition in journal.add(versions)[-limit:]:
        version, change = transition.after, journal.change(transition)
        if as_json:
            reasons = [reason.code for reason in change.reasons]
            echo_json({**version.record(), "reasons": reasons, "headline": change.headline})
            continue
        rows.append(
            [
                (f"{version.number}", "bold"),
                (rfc3339(version.time), ""),
                (_answer(version), ""),
                ("" if version.size is None else f"{version.size:,}", ""),
                ((version.sha256 or "")[:_DIGITS], ""),
                (change.headline, "dim" if change.quiet else ""),
            ]
        )
    if not as_json:
        show_table(["version", "since", "answer", "bytes", "sha256", "change"], rows)
        if len(versions) > limit:
            echo(f"and {counted(len(versions) - limit, 'earlier version')}; --last shows more")


def _answer(version: "Version") -> str:
    return version.outcome.code if version.status is None else f"{version.outcome.code} ({version.status})"


def _chosen(versions: "Sequence[Version]", name: str, option: str) -> "Version":
    """Return the version with a number or a digest. Raises `UnusableInput`."""
    wanted = name.lower()
    by_number = [version for version in versions if str(version.number) == wanted]
    by_digest = [
        version
        for version in versions
        if len(wanted) >= _FEWEST and version.sha256 is not None and version.sha256.startswith(wanted)
    ]
    if not by_number and len({version.sha256 for version in by_digest}) > 1:
        raise UnusableInput(f"{option} {printable(name)}: several versions begin with it; give more digits")
    found = by_number or by_digest
    if not found:
        raise UnusableInput(f"{option} {printable(name)!r:.100}: no such version; comity history lists them")
    return found[-1]


def _body(stored: _Stored, version: "Version") -> bytes:
    try:
        return stored.body_of(version)
    except EvidenceError as error:
        raise UnusableInput(str(error)) from None


def _compare(stored: _Stored, old: "Version", new: "Version", *, as_json: bool) -> None:
    from ...site import diff
    from ..render.difference import show_difference

    found = diff(_body(stored, old), _body(stored, new))
    if as_json:
        echo_json(bounded({"old": old.record(), "new": new.record(), **found.record()}))
    else:
        show_difference(found)
    sys.exit(1 if found or not found.exact else 0)
