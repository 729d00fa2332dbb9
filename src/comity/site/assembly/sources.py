"""Find and read the sources of a result: the plan, its hosts, and the folders of fragments."""

import os
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path

from ...errors import InvalidPlan
from ...files.owner_files import parse_toml, read_path, read_regular
from ...protocol.text import printable
from .folder import RESULT, SUFFIX, fragment_names, read_folder
from .fragments import Fragment, read_fragment
from .hosts import HostPlan, checked_host, read_hosts, unknown_host
from .note import Note
from .plan import Plan, closest_match, read_plan

#: The default names of the plan and of the folder of fragments.
PLAN = "robots.toml"
FOLDER = "robots.d"


class Sources:
    """A plan with its hosts and fragments; each folder is read once.

    `name` is the plan in messages. `hosts` are the parts of the plan that are for one host. `problems` and
    `notes` are those of the plan.
    """

    def __init__(self, source: str | PathLike[str] | Mapping[str, object], environment: str | None) -> None:
        data, self.name, self._base, self._is_plan = _plan_of(source)
        self.problems: list[str] = []
        self.notes: list[Note] = []
        self._plan = read_plan(data, self.name, environment, self.problems, self.notes)
        self.hosts: dict[str, HostPlan] = read_hosts(data, self.name, self.problems)
        self._read_folders = _folders_of(data)
        self._folders: dict[Path, dict[str, bytes]] = {}
        self._folder_problems: dict[Path, list[str]] = {}

    def plan_of(self, host: str | None) -> Plan:
        """Return the plan of a host, or the only one."""
        return self._plan if host is None else self.hosts[host].joined_to(self._plan)

    def fragments(self, plan: Plan, problems: list[str]) -> Iterator[Fragment]:
        """Yield the fragments in order of their names, and add their problems."""
        setting = plan.fragments
        name = setting.text if setting else FOLDER
        if setting is None and self._base is None:
            return
        folder = (self._base or Path()) / name
        # Messages and the public file name the folder as the plan does, without the folders above.
        shown = Path(Path(name).name) if Path(name).is_absolute() else Path(name)
        if setting is None and (other := _other_spelling(folder.parent, FOLDER)):
            problems.append(f"{printable(other)}: not read, because the name is {FOLDER}; rename it")
        if setting and self._is_default_unread():
            problems.append(
                f"{FOLDER}: not read, because {setting.source} names {printable(name)}; move or remove it"
            )
        if not folder.is_dir():
            if setting:
                problems.append(f"{setting.source}: no folder {printable(name)}")
            elif os.path.lexists(folder):
                problems.append(
                    f"{printable(name)}: not a folder, so no fragment is read; correct or remove it"
                )
            return
        if folder not in self._folders:
            found = self._folder_problems.setdefault(folder, [])
            self._folders[folder] = read_folder(folder, shown, self._skipped(folder), found)
        bodies = self._folders[folder]
        if name == "." and not self._is_plan and any(entry.is_dir() for entry in folder.iterdir()):
            # Probably the folder of a project, and not one of fragments.
            problems.append(
                f"{self.name}: no {PLAN} and no {FOLDER} in it, so each file in it is read as a fragment; "
                f"move the fragments into {FOLDER}"
            )
        problems += self._folder_problems[folder]
        if not bodies and not self._folder_problems[folder] and (setting or not self._is_plan):
            problems.append(f"{printable(shown.as_posix())}: an empty folder, so there is nothing to build")
        names = sorted(os.listdir(folder))
        for owner, _ in plan.owners:
            if owner.text not in names:
                similar = closest_match(owner.text, names)
                hint = f"; did you mean {similar}?" if similar else ""
                problems.append(f"{owner.source}: no such fragment in {printable(shown.as_posix())}{hint}")
        owners = {owner.text: folders for owner, folders in plan.owners}
        for one, body in bodies.items():
            fragment = read_fragment(body, one, (shown / one).as_posix(), owners)
            problems += fragment.problems
            yield self._with_checked_hosts(fragment, problems)

    def _is_default_unread(self) -> bool:
        """Return whether something in the default folder is read for no host and no environment.

        Beside a `robots.toml`, the default folder does not belong to a plan with another name.
        """
        base = self._base
        if base is None or (self.name != PLAN and os.path.lexists(base / PLAN)):
            return False
        read = [Path(os.path.realpath(base / name)) for name in self._read_folders]
        default = base / FOLDER
        if Path(os.path.realpath(default)) in read or Path(os.path.realpath(base)) in read:
            return False
        if not default.is_dir():
            return os.path.lexists(default)
        above = {path for folder in read for path in (folder, *folder.parents)}
        return any(Path(os.path.realpath(entry)) not in above for entry in default.iterdir())

    def _skipped(self, folder: Path) -> tuple[str, ...]:
        """Return the names that belong in a folder of fragments because it is that of the plan too."""
        if self._base is None or folder.resolve() != self._base.resolve():
            return ()
        return (RESULT, self.name) if self._is_plan else (RESULT,)

    def _with_checked_hosts(self, fragment: Fragment, problems: list[str]) -> Fragment:
        """Return a fragment with its hosts as the plan has them, and report unknown ones."""
        found = []
        for name in fragment.hosts:
            try:
                host = checked_host(name.text)
            except ValueError as error:
                problems.append(f"{name.source}: {error}")
                continue
            if host not in self.hosts:
                problems.append(f"{name.source}: {unknown_host(host, self.hosts)}")
            found.append(name.replace(text=host))
        return fragment.replace(hosts=tuple(found))


def _plan_of(
    source: str | PathLike[str] | Mapping[str, object],
) -> tuple[Mapping[str, object], str, Path | None, bool]:
    """Return the plan, its name, the folder of its fragments (None for a table), and whether it is written.

    The name is relative to the folder of the plan, so that the built file does not depend on the caller's
    path.
    """
    if isinstance(source, Mapping):
        return source, "plan", None, True
    path = Path(fspath(source))
    if not path.is_dir():
        return parse_plan(read_path(path), str(path)), path.name, path.parent, True
    if os.path.lexists(path / PLAN):  # a link that leads nowhere is an error, and not a missing plan
        return parse_plan(read_regular(path / PLAN), str(path / PLAN)), PLAN, path, True
    if other := _other_spelling(path, PLAN):
        raise InvalidPlan([f"{path / other}: not read, because the name is {PLAN}; rename it"])
    if os.path.lexists(path / FOLDER) or _other_spelling(path, FOLDER):
        return {}, str(path), path, False
    if not fragment_names(path):
        raise InvalidPlan([f"{path}: nothing to build; add {PLAN}, {FOLDER} or a fragment such as shop.txt"])
    return {"fragments": "."}, str(path), path, False


def _folders_of(data: Mapping[str, object]) -> set[str]:
    """Return the folders of fragments of a plan, for all its hosts and environments. Problems are skipped."""

    def tables(key: str) -> list[Mapping[str, object]]:
        found = data.get(key)
        values = found.values() if isinstance(found, Mapping) else ()
        return [table for table in values if isinstance(table, Mapping)]

    own = data.get("fragments", FOLDER)
    names = [own, *(table.get("fragments", own) for table in tables("environments"))]
    if hosts := tables("hosts"):
        inherited = names if any("fragments" not in table for table in hosts) else []
        names = [*inherited, *(table["fragments"] for table in hosts if "fragments" in table)]
    return {name for name in names if isinstance(name, str) and "\0" not in name}


def _other_spelling(folder: Path, name: str) -> str | None:
    """Return the name of an entry that differs only in case, or None; some systems would find it."""
    names = (path.name for path in folder.iterdir())
    return next((other for other in names if other != name and other.casefold() == name), None)


def parse_plan(body: bytes, name: str) -> Mapping[str, object]:
    """Return the table of a plan in a file; raise `InvalidPlan` if it is not valid, or has no key.

    A plan without a key was probably emptied by mistake, and would open the whole site.
    """
    try:
        found = parse_toml(body)
    except ValueError as error:
        hint = f"; a fragment is read from its folder, such as {FOLDER}" if name.endswith(SUFFIX) else ""
        raise InvalidPlan([f"{name}: {error}{hint}"]) from None
    if not found:
        raise InvalidPlan(
            [f"{name}: no key in it, so it would open the whole site; keep_out = false says so on purpose"]
        )
    return found
