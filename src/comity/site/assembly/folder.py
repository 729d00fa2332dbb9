"""Read all files of a folder of fragments; an entry that is not read is a problem.

A fragment that is left out closes nothing, and its owner does not notice. So the folder may have
nothing else: no file with another suffix, no hidden file, no folder, and no link that leads nowhere or out of
the folder. A volume of Kubernetes, such as a ConfigMap, is the exception: its files are links into a hidden
folder, to which the link `..data` leads.
"""

import os
import stat
import unicodedata
from collections.abc import Collection, Iterable
from os import stat_result
from pathlib import Path

from ...files.owner_files import read_regular
from ...protocol.text import printable

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
