"""What lies where on this machine? As the system itself tells (proc(5), mountinfo); nothing where it does not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

_TABLE = "/proc/self/mountinfo"
_PSEUDO = frozenset({"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs"})
_LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs", "overlay", "vfat"})
_ESCAPED = re.compile(rb"\\([0-7]{3})")


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
