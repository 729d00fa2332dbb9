"""Find and read the sources of a result: the plan, its hosts, and the folders of fragments."""

import os
import stat
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike, fspath, stat_result
from pathlib import Path

from ...errors import InvalidPlan
from ...files import parse_toml, read_path, read_regular
from ...protocol import printable
from .fragments import Fragment, read_fragment
from .group import Note
from .hosts import HostPlan, checked_host, read_hosts, unknown_host
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


#: The suffix of the fragments.
SUFFIX = ".txt"

#: The name of the result, which may be in the folder of its fragments.
RESULT = "robots.txt"

#: The link to the hidden folder with the files of a volume.
_VOLUME = "..data"


def read_folder(folder: Path, shown: Path, skipped: Collection[str], problems: list[str]) -> dict[str, bytes]:
    """Return the content of each fragment in a folder, by name and in order of names.

    `shown` is the folder in messages. `skipped` are names that belong in the folder and are not fragments.
    `problems` receives a message for each other entry that cannot be read. Raises `OSError` if the folder
    itself cannot be read.
    """
    files = _files_of_volume(folder)
    skipped = {*skipped, _VOLUME, files.name} if files else skipped
    names = _names(folder, skipped)
    bodies: dict[str, bytes] = {}
    spellings: dict[str, str] = {}
    for name in names:
        place = printable((shown / name).as_posix())
        other = spellings.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if other != name:
            problems.append(
                f"{place}: the same name as {printable(other)} on many systems; rename one of them"
            )
            continue
        try:
            bodies[name] = _read(folder, name, files)
        except OSError as error:
            problems.append(f"{place}: cannot be read: {error.strerror or error}")
        except ValueError as error:
            problems.append(f"{place}: {error}")
    for name in sorted({*os.listdir(files)}.difference(names, skipped)) if files else ():
        problems.append(
            f"{printable((shown / name).as_posix())}: a file of the volume, to which no link leads"
        )
    if _names(folder, skipped) != names or _files_of_volume(folder) != files:
        where = printable(shown.as_posix())
        problems.append(f"{where}: files were added or removed while it was read; run the build again")
    return bodies


def fragment_names(folder: Path) -> list[str]:
    """Return the sorted names of the files in a folder that have the name of a fragment."""
    return [name for name in _names(folder, (RESULT,)) if name.endswith(SUFFIX) and not name.startswith(".")]


def _names(folder: Path, skipped: Collection[str]) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in skipped)


def _files_of_volume(folder: Path) -> Path | None:
    """Return the hidden folder in a folder that has the files of a mounted volume, or None."""
    link = folder / _VOLUME
    target = os.readlink(link) if link.is_symlink() else ""
    files = folder / target
    is_hidden = target.startswith("..") and Path(target).name == target and target != ".."
    return files if is_hidden and files.is_dir() and not files.is_symlink() else None


def _read(folder: Path, name: str, files: Path | None) -> bytes:
    """Return the content of a fragment, which may be a link to one in the folder or in `files`.

    Raises `ValueError` for another entry.
    """
    path = folder / name
    if name.startswith("."):
        raise ValueError("a hidden file, which is not read; rename or remove it")
    if path.is_symlink():
        _check_link(path, [folder, files] if files else [folder])
    before = path.stat()
    if stat.S_ISDIR(before.st_mode):
        raise ValueError("a folder, which is not read; move its files one level up")
    if stat.S_ISREG(before.st_mode):
        if not name.endswith(SUFFIX):
            raise ValueError(f"its name does not end with {SUFFIX}, so it is not read; rename or remove it")
        if name == RESULT:
            raise ValueError("the name of the result, so it is not read; rename or remove it")
    body = read_regular(path)
    if _state(before) != _state(path.stat()) or len(body) != before.st_size:
        raise ValueError("it changed while it was read; run the build again")
    return body


def _check_link(path: Path, folders: Iterable[Path]) -> None:
    """Raise `ValueError` for a link that leads to no file in the folders."""
    try:
        target = path.resolve(strict=True)
    except FileNotFoundError:
        raise ValueError("a link that leads nowhere; correct or remove it") from None
    except (OSError, RuntimeError):  # a loop is a RuntimeError before Python 3.13
        raise ValueError("a link that cannot be followed; correct or remove it") from None
    if target.parent not in [folder.resolve() for folder in folders]:
        raise ValueError("a link out of the folder, which is not followed; copy the file")


def _state(found: stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns
