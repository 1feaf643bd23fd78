"""A Markdown file for each page, with front matter in YAML: for people, for sites made of files, for language models.

https://example.org/guide/keys.html is example.org/guide/keys.md; /keys beside it has digits at its end (`file_names`).

Links to pages that are in the folder lead to their files. Which are there is known when all are, so files are gone
through once more.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache
from functools import partial as given
from pathlib import Path

from gossamer.collection.ask import file_names
from gossamer.collection.ask.new_folder import new_folder
from gossamer.collection.documents import Document, last_modified
from gossamer.errors import StorageError
from gossamer.markdown import titled, written
from gossamer.printable import timestamp
from gossamer.store.warc.warc import date

_FILES_KNOWN = 100_000
"""Addresses whose files are remembered while links are made relative."""
_BACKTICKS = re.compile("`+")
_MARK = re.compile(r"(?s)\\.|(`+)|\]\((https?://(?:[^()\s\\]|\\.)+)\)")
"""What is escaped, what may begin code, and the address of a link."""
_ESCAPED = re.compile(r"\\(.)")
_LINK = re.compile(r"</?a\b[^>]*>")
_NOT_PRINTABLE = re.compile(
    '[^\x20-\x7e\xa1-\u200a\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0001ffff]|["\\\\]'
)


def write(pages: Iterable[Document], folder: Path, *, links: bool = True) -> int:
    """Fill a new or an empty folder, which appears when all is there. Gives the number of files."""
    with new_folder(folder) as partial:
        files = _fill(pages, partial, links=links)
        if links:
            _link_files(partial)
    return files


def file_name(url: str) -> str:
    """Where the page of an address goes, below the folder, unless another page is there."""
    return file_names.file_name(url, ".md", ".html")


def own_name(url: str) -> str:
    """The same with digits, where no other page can be."""
    return file_names.own_name(url, ".md", ".html")


def text_of(page: Document, *, links: bool = True) -> str:
    """Front matter and main content under its title, as `gossamer show` has it; all words of a page without any."""
    body = written(titled(_linked(page, links=links), page.title)) if page.html else page.text
    fields = {
        "url": page.url,
        "title": page.title,
        "date": timestamp(_own_date(page)),
        "last_modified": timestamp(last_modified(page.capture)),
        "fetched": date(page.version.began),
        "language": page.language,
    }
    front = "".join(f"{name}: {_quoted(value)}\n" for name, value in fields.items() if value is not None)
    return f"---\n{front}---\n\n{body}".rstrip() + "\n"


def _own_date(page: Document) -> float | None:
    """When it was written, or else changed, as the page says. A server tells the time of a file, often the moment that
    it made one."""
    return page.page.modified if page.page.published is None else page.page.published


def markdown(page: Document, *, links: bool = True) -> str:
    """Its main content, with its links or with their words alone."""
    return written(_linked(page, links=links))


def _linked(page: Document, *, links: bool) -> str:
    return page.html if links else _LINK.sub("", page.html)


def _fill(pages: Iterable[Document], folder: Path, *, links: bool) -> int:
    count = 0
    for page in pages:
        path = folder / file_name(page.url)
        if path.exists():
            path = folder / own_name(page.url)
        _put(path, text_of(page, links=links))
        count += 1
    return count


def _put(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}; nothing was left there") from error


def _link_files(folder: Path) -> None:
    """Make links between pages that are there lead from file to file."""

    @lru_cache(_FILES_KNOWN)
    def file_of(url: str) -> Path | None:
        own = folder / own_name(url)
        path = own if own.exists() else folder / file_name(url)
        return path if _is_of(path, url) else None

    for path in folder.rglob("*.md"):
        front, end, body = path.read_text(encoding="utf-8").partition("---\n\n")
        linked = linked_again(body, given(_relative, path.parent, file_of))
        if linked != body:
            _put(path, f"{front}{end}{linked}")


def linked_again(body: str, other: Callable[[str], str]) -> str:
    """The same text with `other` addresses in its links. Code stays as it is: it ends at the next run of as many
    backticks as it begins with, and where all of these are is looked up once."""
    runs: dict[int, list[int]] = {}
    for run in _BACKTICKS.finditer(body):
        runs.setdefault(len(run[0]), []).append(run.start())
    parts, done, at = [], 0, 0
    while found := _MARK.search(body, at):
        at = found.end()
        if found[1]:
            ends = runs.get(len(found[1]), [])
            place = bisect_left(ends, at)
            at = ends[place] + len(found[1]) if place < len(ends) else at
        elif found[2]:
            parts += [body[done : found.start(2)], other(found[2])]
            done = found.end(2)
    return "".join((*parts, body[done:]))


def _relative(place: Path, file_of: Callable[[str], Path | None], link: str) -> str:
    address, begins, fragment = link.partition("#")
    url = _ESCAPED.sub(r"\1", address)
    path = file_of(url) if url.count("/") > 2 else None
    return link if path is None else f"{os.path.relpath(path, place)}{begins}{fragment}"


def _is_of(path: Path, url: str) -> bool:
    """Is this the file of that page? It says so in its second line."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            return file.readline() == "---\n" and file.readline() == f"url: {_quoted(url)}\n"
    except OSError:
        return False


def _quoted(value: str) -> str:
    """A double-quoted scalar of YAML, on one line, whatever the value is."""
    return f'"{_NOT_PRINTABLE.sub(_escaped, value)}"'


def _escaped(found: re.Match[str]) -> str:
    if found[0] in '"\\':
        return f"\\{found[0]}"
    code = ord(found[0])
    return "\ufffd" if 0xD800 <= code < 0xE000 else f"\\U{code:08x}"
