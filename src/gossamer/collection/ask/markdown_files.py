"""A Markdown file for each page, with front matter in YAML: for people, for sites made of files, for language models.

A file is named after its address, so that the next export gives it the same name: what can be read of the path, then
some digits that no other address has. Hosts are folders. Strangers choose addresses: a name has letters, digits, dots
and dashes, does not begin with a dot, and is short.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from gossamer.collection.documents import Document
from gossamer.errors import StorageError, UsageError
from gossamer.markdown import written
from gossamer.shown import timestamp
from gossamer.store.warc.warc import date
from gossamer.urls import keys

_NAME_MOST = 80
_DIGITS = 16
_ODD_IN_NAME = re.compile(r"[^A-Za-z0-9.-]+")
_LINK = re.compile(r"</?a\b[^>]*>")
_NOT_PRINTABLE = re.compile(
    '[^\x20-\x7e\xa1-\u200a\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0001ffff]|["\\\\]'
)


def write(pages: Iterable[Document], folder: Path, *, links: bool = True) -> int:
    """Fill a new or an empty folder, which appears when all is there. Gives the number of files."""
    if not folder.name:
        raise UsageError(f"{folder}: the directory would be replaced; name a new one, as in {folder / 'pages'}")
    _require_empty(folder)
    partial = folder.with_name(f"{folder.name}.partial")
    try:
        partial.mkdir()
    except FileExistsError:
        raise UsageError(f"{partial}: is there already, perhaps from an export that was killed; remove it") from None
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        count = _fill(pages, partial, links=links)
        _rename(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return count


def file_name(url: str) -> str:
    """Where the page of an address goes, below the folder."""
    host, path = keys.host(url), url.split("/", 3)[3]
    digits = sha256(url.encode()).hexdigest()[:_DIGITS]
    stem = _plain(path.removesuffix("/").removesuffix(".html")) or "index"
    return f"{_plain(host) or 'host'}/{stem}-{digits}.md"


def text_of(page: Document, *, links: bool = True) -> str:
    """Front matter and main content; all words of a page without any."""
    body = markdown(page, links=links) or page.text
    fields = {
        "url": page.url,
        "title": page.title,
        "date": timestamp(page.page.published) or date(page.version.began),
        "fetched": date(page.version.began),
        "language": page.language,
    }
    front = "".join(f"{name}: {_quoted(value)}\n" for name, value in fields.items() if value is not None)
    return f"---\n{front}---\n\n{body}".rstrip() + "\n"


def markdown(page: Document, *, links: bool = True) -> str:
    """Its main content, with its links or with their words alone."""
    return page.markdown if links else written(_LINK.sub("", page.html))


def _fill(pages: Iterable[Document], folder: Path, *, links: bool) -> int:
    count = 0
    for page in pages:
        path = folder / file_name(page.url)
        try:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text_of(page, links=links), encoding="utf-8", errors="replace", newline="\n")
        except OSError as error:
            raise StorageError(f"{path}: cannot be written: {error.strerror}; nothing was left there") from error
        count += 1
    return count


def _rename(partial: Path, folder: Path) -> None:
    try:
        os.rename(partial, folder)
    except OSError as error:  # somebody has put something there meanwhile, or it is a disk of its own
        raise StorageError(f"{folder}: cannot be written: {error.strerror}; nothing was left there") from error


def _require_empty(folder: Path) -> None:
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: is there already, and no empty directory; remove it, or name another")


def _plain(name: str) -> str:
    return _ODD_IN_NAME.sub("-", name)[:_NAME_MOST].strip(".-")


def _quoted(value: str) -> str:
    """A double-quoted scalar of YAML, on one line, whatever the value is."""
    return f'"{_NOT_PRINTABLE.sub(_escaped, value)}"'


def _escaped(found: re.Match[str]) -> str:
    if found[0] in '"\\':
        return f"\\{found[0]}"
    code = ord(found[0])
    return "\ufffd" if 0xD800 <= code < 0xE000 else f"\\U{code:08x}"
