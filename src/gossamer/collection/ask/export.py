"""The collection in other people's formats. Each writer streams, and gives the number of what it wrote."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import Any, BinaryIO

from gossamer import printable
from gossamer.collection.ask import markdown_files
from gossamer.collection.ask.new_folder import partial_of
from gossamer.collection.documents import Document
from gossamer.errors import Damaged, StorageError, UsageError
from gossamer.files.walk import named
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.cdxj import Entry, line, write_sorted
from gossamer.store.foreign import trec, wacz
from gossamer.store.repair.completeness import pieces, whole_files
from gossamer.store.versions import Version
from gossamer.store.warc.reader import http_fields, read_head
from gossamer.store.warc.warc import RESOURCE, Place, date
from gossamer.urls.seeds import address

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""File systems that have one name for each file."""
_OPTIONAL = ("language", "author", "published", "modified", "last_modified", "copy_of", "near_copy_of")


def rows(pages: Iterable[Document], *, links: bool = True, names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """What is told of each page, or of that what is named; without links, its Markdown has their words alone."""
    for page in pages:
        row = page.as_json(names)
        if not links and "links" in row:
            row["links"] = []
        if not links and "markdown" in row:
            row["markdown"] = markdown_files.markdown(page, links=False)
        yield row


def jsonl(pages: Iterable[Document], out: BinaryIO, *, links: bool = True, names: Sequence[str] = ()) -> int:
    """One object for each page."""
    count = 0
    for each in lines(pages, links=links, names=names):
        out.write(each)
        count += 1
    return count


def lines(pages: Iterable[Document], *, links: bool = True, names: Sequence[str] = ()) -> Iterator[bytes]:
    """The same, line by line."""
    return (printable.json(_of_one_type(row)).encode() + b"\n" for row in rows(pages, links=links, names=names))


def passage_rows(pages: Iterable[Document], words: int) -> Iterator[dict[str, Any]]:
    """What is told of each passage. Copies are left out: who searches by meaning would find each of them."""
    for page in pages:
        if page.version.copy_of or page.version.near_copy_of:
            continue
        for number, each in enumerate(page.passages(words)):
            yield {
                "url": page.url,
                "address": each.url or page.url,
                "title": page.title,
                "headings": list(each.headings),
                "number": number,
                "words": each.words,
                "text": each.text.strip(),
                "language": page.language or "",
                "kind": page.kind,
                "fetched": date(page.version.began),
            }


def passages(pages: Iterable[Document], out: BinaryIO, words: int) -> int:
    """One object for each passage of each page."""
    count = 0
    for row in passage_rows(pages, words):
        out.write(printable.json(row).encode() + b"\n")
        count += 1
    return count


def _of_one_type(row: dict[str, Any]) -> dict[str, Any]:
    """For readers that guess the types of columns by the first lines, as Hugging Face's does. What is not known is an
    empty text and not null; dates have milliseconds, since one without is taken for a timestamp, which "" is not."""
    known = {name: row[name] or "" for name in _OPTIONAL if name in row}
    dates = {name: f"{known[name][:-1]}.000Z" for name in ("published", "modified", "last_modified") if known.get(name)}
    return row | known | dates


def trec_web(pages: Iterable[Document], out: BinaryIO) -> int:
    """One document for each page. Its number is that of the collection it was imported from, or else the UUID of the
    WARC record."""
    count = 0
    for page in pages:
        version, capture = page.version, page.capture
        trec.write(
            trec.Doc(
                (capture.provenance and capture.provenance.docno) or version.record,
                page.url,
                capture.address,
                version.began,
                version.media_type,
                capture.head,
                capture.body,
            ),
            out,
        )
        count += 1
    return count


def graph(pages: Iterable[Document], out: BinaryIO) -> int:
    """Source, tab, target: each link of each page once, but for those that nobody vouches for."""
    count = 0
    for page in pages:
        targets = dict.fromkeys(link.url for link in page.links if "nofollow" not in link.rel)
        out.writelines(f"{page.url}\t{target}\n".encode() for target in targets)
        count += len(targets)
    return count


def warc(found: Sequence[tuple[Path, int]], out: BinaryIO) -> int:
    """All records of these files in one: members of gzip may simply follow each other."""
    for path, length in found:
        out.writelines(pieces(path, length))
    return len(found)


def warc_files(found: Sequence[tuple[Path, int]], folder: Path) -> int:
    """The files as they are, one by one; all of them or none."""
    with ExitStack() as undoing:
        for path, length in found:

            def write(out: BinaryIO, path: Path = path, length: int = length) -> int:
                out.writelines(pieces(path, length))
                return 1

            to_path(write, folder / path.name)
            undoing.callback((folder / path.name).unlink, missing_ok=True)
        undoing.pop_all()
    return len(found)


def cdxj(archives: Sequence[Archive], out: BinaryIO) -> int:
    """The index that replay tools read, sorted."""
    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for each in _index(archives):
            count += 1
            yield each

    write_sorted(counted(), out)
    return count


def web_archive(
    found: Sequence[tuple[Path, int]],
    archives: Sequence[Archive],
    pages: Iterable[tuple[str, Version, str]],
    title: str,
    plan: Plan,
    out: BinaryIO,
) -> int:
    """All in one ZIP file that replays in a browser; `pages` are those that it lists, with their words."""
    identity = plan.as_identity()
    seed = address(plan.seeds[0]) if plan.seeds else None
    about = wacz.About(title, f"{identity.product}/{identity.version}", time.time(), seed)
    listed = (wacz.Listed(version.record, url, version.began, version.title, text) for url, version, text in pages)
    return wacz.write(out, found, _index(archives), listed, about)


def warcs(archives: Sequence[Archive]) -> list[tuple[Path, int]]:
    """All WARC files with their committed lengths; an error when one is missing, cut or unreadable."""
    return [file for archive in archives for file in whole_files(archive)]


def _index(archives: Sequence[Archive]) -> Iterator[str]:
    for archive in archives:
        yield from _index_of_asides(archive)
    every = ((archive, *row) for archive in archives for row in archive.versions.all())
    for archive, url, version in every:
        place = Place(archive.path(version).name, version.offset, version.length, version.record)
        yield line(
            Entry(
                url,
                version.began,
                _served(archive, place),
                version.media_type,
                version.status,
                version.payload,
                place,
                revisit=version.original is not None,
            )
        )


def _index_of_asides(archive: Archive) -> Iterator[str]:
    """What others captured and is no version of a page: an answer to POST, a picture that a browser has made of one."""
    for row in archive.asides.all():
        replayed = row.lookup != row.url or row.type == RESOURCE
        if replayed and row.url:
            place = Place(archive.folder.joinpath(row.file).name, row.offset, row.length, row.record)
            kind, status = row.media_type, row.status or 200
            entry = Entry(row.url, row.began, kind, kind, status, row.digest, place, lookup=row.lookup)
            yield line(entry)


def _served(archive: Archive, place: Place) -> str:
    """The media type that the server named, without parameters. A damaged record is in the index all the same."""
    try:
        fields = http_fields(read_head(archive.folder, place))
    except Damaged:
        return ""
    named = next((value for name, value in fields if name == "content-type"), "")
    return named.partition(";")[0].strip().lower()


def to_path(write: Callable[[BinaryIO], int], path: Path) -> int:
    """Write beside the target first, so that a half-written file never has its name. What is there stays."""
    _require_free(path)
    partial = partial_of(path)
    try:
        target = BufferedWriter(_Target(str(partial), "xb"))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with target as out:
            count = write(out)
            out.flush()
            with named(partial):
                os.fsync(out.fileno())
        _name(partial, path)
    except OSError as error:
        _discard(partial)
        if error.filename != str(partial):  # what was to be read is to blame, and has said so
            raise
        raise _unwritable(path, error) from error
    except BaseException:
        _discard(partial)
        raise
    return count


def _require_free(path: Path) -> None:
    """A name that no file can have is told before all is written."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unwritable(path, error) from error
    raise UsageError(f"{path}: is there already; remove it, or name another file")


def _name(partial: Path, path: Path) -> None:
    """What somebody else has put there meanwhile stays: another export has said that it is written."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise UsageError(f"{path}: is there now, and was not before; name another file") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        partial.replace(path)
    else:
        _discard(partial)


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path}: cannot be written: {error.strerror or error}; nothing was left there")


class _Target(FileIO):
    """The file that is written; its faults have its name, so that those of other files are not taken for them."""

    def write(self, data: Any, /) -> int:
        with named(Path(str(self.name))):
            return super().write(data)


def _discard(partial: Path) -> None:
    """Also where somebody has taken it away."""
    with suppress(OSError):
        partial.unlink(missing_ok=True)
