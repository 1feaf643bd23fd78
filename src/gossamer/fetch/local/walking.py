"""Which files are there? The folders that were named are walked, and each file is told with its validator.

No link is followed, so a walk ends and stays within its roots. A root itself may be a link: it is resolved when it is
named. Folders that are no place for files (/proc, /sys) are passed over, and so is the collection itself.

Where a folder cannot be listed because of a fault that may pass, or a root is not there (a disk that is not mounted),
nobody knows what became of its files. They are not gone: see `Walk.unsure`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from errno import EACCES, ENOENT, ENOTDIR, EPERM
from typing import NamedTuple

from gossamer.fetch.local.ignoring import Ignoring
from gossamer.printable import log

_TABLE = "/proc/self/mountinfo"
_PSEUDO = frozenset({"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs"})
_LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs", "overlay", "vfat"})
_ESCAPED = re.compile(rb"\\([0-7]{3})")
GONE = frozenset({ENOENT, ENOTDIR})
CLOSED = frozenset({EACCES, EPERM})


class FoundFile(NamedTuple):
    """A regular file."""

    path: bytes
    validator: str


def validator(about: os.stat_result) -> str:
    """Another one after each change, in the form of an ETag. The date of the inode changes too when contents are
    changed and their date is set back, and when somebody may read the file no more."""
    return f'"{about.st_mtime_ns:x}-{about.st_ctime_ns:x}-{about.st_size:x}-{about.st_ino:x}"'


class Walk:
    """One walk over some folders. What it met is known when it has ended."""

    def __init__(self, ignoring: Ignoring, *, without: tuple[bytes, ...] = ()) -> None:
        """`without` are folders that are passed over."""
        self._ignoring = ignoring
        self._without = {*without, *shown_by_the_system()}
        self.unsure: list[bytes] = []
        """Folders and roots of which nobody knows what is in them now."""

    def files(self, start: bytes, root: bytes) -> Iterator[FoundFile]:
        """All files of a folder at or below a root, or the one file that it is; in the order of their names."""
        if start != root and self._ignoring.reason_for(root, start):
            return
        try:
            about = os.stat(start, follow_symlinks=False)
        except OSError as error:
            if start == root:
                self._cannot_list(start, error)
            return
        if _is_file(about):
            yield FoundFile(start, validator(about))
            return
        folders = [start]
        while folders:
            folder = folders.pop()
            if folder in self._without:
                continue
            below: list[bytes] = []
            for entry in self._listed(folder, is_root=folder == root):
                is_folder = entry.is_dir(follow_symlinks=False)
                if not is_folder and not entry.is_file(follow_symlinks=False):
                    continue
                if self._ignoring.reason(folder, entry.name, is_folder=is_folder):
                    continue
                if is_folder:
                    below.append(entry.path)
                elif (found := _found(entry)) is not None:
                    yield found
            folders += reversed(below)

    def _listed(self, folder: bytes, *, is_root: bool) -> list[os.DirEntry[bytes]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if is_root or error.errno not in GONE:
                self._cannot_list(folder, error)
            return []

    def _cannot_list(self, folder: bytes, error: OSError) -> None:
        if error.errno not in CLOSED:
            self.unsure.append(folder)
        log.warning("%s: cannot be listed (%s)", os.fsdecode(folder), error.strerror)


def _found(entry: os.DirEntry[bytes]) -> FoundFile | None:
    try:
        return FoundFile(entry.path, validator(entry.stat(follow_symlinks=False)))
    except OSError:  # gone since it was listed
        return None


def _is_file(about: os.stat_result) -> bool:
    return about.st_mode & 0o170000 == 0o100000


def shown_by_the_system() -> Iterator[bytes]:
    """Folders in which the system shows itself as files."""
    return (place for place, kind in _mounts() if kind in _PSEUDO)


def is_at_hand(root: bytes) -> bool:
    """Do all files below a root lie on disks of this machine? Any other may hang for minutes."""
    mounts = list(_mounts())
    above = [(place, kind) for place, kind in mounts if _is_below(root, place)]
    _, here = max(above, key=lambda mount: len(mount[0]), default=(b"", ""))
    return here in _LOCAL and all(kind in _LOCAL | _PSEUDO for place, kind in mounts if _is_below(place, root))


def _is_below(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _mounts() -> Iterator[tuple[bytes, str]]:
    try:
        with open(_TABLE, "rb") as lines:
            for line in lines:
                before, _, after = line.partition(b" - ")
                place = _ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), before.split(b" ")[4])
                yield os.path.normpath(place), after.split(b" ", 1)[0].decode("ascii", "replace")
    except (OSError, IndexError):
        return
