"""A file for each page with the bytes that came, as wget would leave them: hosts and paths are folders (`file_names`).

What was kept besides, since pages need it, is there too: images, styles, scripts. A page that has no ending which says
what it is gets one, so that a browser shows it: /guide/ is guide/index.html. Links in pages are as they were.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from gossamer.collection.ask.file_names import file_name, own_name
from gossamer.collection.ask.new_folder import new_folder
from gossamer.errors import StorageError
from gossamer.model import HTML

_OF_HTML = (".html", ".htm", ".xhtml", ".shtml")
_ENDING_MOST = 10


class Kept(NamedTuple):
    """What there is of an address."""

    url: str
    media_type: str
    body: bytes


def write(kept: Iterable[Kept], folder: Path) -> int:
    """Fill a new or an empty folder, which appears when all is there. Gives the number of files."""
    count = 0
    with new_folder(folder) as partial:
        for each in kept:
            _put(partial, each)
            count += 1
    return count


def names(url: str, media_type: str) -> tuple[str, str]:
    """Where an address goes, below the folder; and where, if something else is there."""
    name = url.rpartition("/")[2]
    stem, dot, rest = name.rpartition(".")
    has = f".{rest}" if stem and dot and rest.isascii() and rest.isalnum() and len(rest) < _ENDING_MOST else ""
    if media_type in HTML and has.lower() not in _OF_HTML:
        drop, ending = "", ".html"
    else:
        drop, ending = has, has or mimetypes.guess_extension(media_type) or ""
    return file_name(url, ending, drop), own_name(url, ending, drop)


def _put(folder: Path, kept: Kept) -> None:
    first, own = names(kept.url, kept.media_type)
    path = folder / first
    try:
        if path.exists() or not _made(path.parent):
            path = folder / own
            path.parent.mkdir(exist_ok=True)
        path.write_bytes(kept.body)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}; nothing was left there") from error


def _made(folder: Path) -> bool:
    """Another page may be a file where this one wants a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return False
    return True
