"""The links of every page that was read, in the order they were read: a file that only grows.

Links are gathered in memory and written as one chunk when the crawl commits; the commit says how long the file is, and
what lies past that length is cut off after a crash. A chunk is columns, not rows: a link takes eight bytes for the
fingerprint of its target, one for what kind of link it is and one for the length of its anchor, before zstandard.
The targets have no names here: whoever asks who points to a page knows its name, and the sources have theirs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from errno import ENOSPC
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer import files
from gossamer.errors import Damaged, StorageError
from gossamer.graph import lookup
from gossamer.model import URL, Link
from gossamer.outlinks import targets
from gossamer.urls import keys

ANCHOR_MOST = 255
"""Bytes of an anchor that are kept: its length is one byte."""
NOFOLLOW, AROUND, STANDS_FOR, COPIED = 1, 2, 4, 8
"""Kinds of links: not vouched for; not in the main content; the target stands for the source, which is but a redirect
to it or a copy of it; in the second case the last is there, too."""
_KINDS = {(False, True): 0, (True, True): NOFOLLOW, (False, False): AROUND, (True, False): NOFOLLOW | AROUND}
"""By whether it is not vouched for, and whether it is in the content."""
_HEAD = 8
_MARK = b"GSL1"
_PACK = zstandard.ZstdCompressor(level=1, write_checksum=True)
CHUNK_MOST = 64 << 20
"""Bytes of a chunk when it is unpacked. What a page adds is 5,000 links at the most, a little over a megabyte."""
_CHUNK_ENOUGH = 4 << 20
"""Bytes after which a chunk is packed and another begun; a commit may write several."""
_FRAME_MOST = CHUNK_MOST + (CHUNK_MOST >> 7)
"""The same when it is packed: what cannot be made smaller gets a little larger."""
_UNREADABLE = "{} cannot be read at byte {:,}; `gossamer verify DIR --repair` makes the links again"


class Chunk(NamedTuple):
    """The links of some pages."""

    sources: list[URL]
    sites: NDArray[np.uint64]
    """For each source a hash of the site it is on."""
    counts: NDArray[np.uint32]
    """For each source how many links follow."""
    targets: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    lengths: NDArray[np.uint8]
    """Of the anchors."""
    anchors: bytes
    """UTF-8, one after the other."""


class _Written(msgspec.Struct, frozen=True, array_like=True):
    sources: msgspec.Raw
    """A list of strings, which is unpacked when the columns agree with its length."""
    sites: bytes
    counts: bytes
    targets: bytes
    kinds: bytes
    lengths: bytes
    anchors: bytes


class LinkLog:
    """Appends to the log of a shard."""

    def __init__(self, path: Path, length: int) -> None:
        """It is opened, or made, by the first `write`; what lies past `length` was never committed."""
        self._path = path
        self._length = length
        self._file: BinaryIO | None = None
        self._packed: list[bytes] = []
        self._clear()

    def add(self, source: URL, site: str, links: Sequence[Link]) -> None:
        """Note what a page points to. Later links of a page replace those it had before."""
        self._add(source, site, links)
        self._pack_enough()

    def _add(self, source: URL, site: str, links: Sequence[Link]) -> None:
        self._sources.append(source)
        self._sites.append(keys.digest(site.encode()))
        self._counts.append(len(links))
        anchors = [_cut(link.anchor) for link in links]
        prints = {url: keys.fingerprint(url) for url in targets(links).urls}
        self._targets += [prints[link.url] for link in links]
        self._kinds += bytes([_KINDS["nofollow" in link.rel, link.content] for link in links])
        self._lengths += bytes(map(len, anchors))
        self._anchors += anchors
        self._size += len(source) + 10 * len(links) + sum(map(len, anchors))

    def fold(self, source: URL, site: str, target: URL, *, copied: bool = False) -> None:
        """Note that another address stands for this one, which redirects there or is a copy."""
        self._add(source, site, [Link(target)])
        self._kinds[-1] = STANDS_FOR | COPIED * copied
        self._pack_enough()

    def write(self) -> int:
        """Put what was gathered into the file, for good; how long it is now."""
        self._pack()
        if self._packed:
            try:
                self._append(b"".join(self._packed))
            except OSError as error:
                reason = "the disk is full; free some space and go on" if error.errno == ENOSPC else str(error.strerror)
                raise StorageError(f"{self._path}: {reason}, nothing committed is lost") from error
            self._packed.clear()
        return self._length

    def _pack_enough(self) -> None:
        if self._size >= _CHUNK_ENOUGH:
            self._pack()

    def _pack(self) -> None:
        """What was gathered becomes a chunk; it waits for `write`."""
        if self._sources:
            data = _PACK.compress(msgspec.msgpack.encode(self._chunk()))
            self._packed.append(_MARK + len(data).to_bytes(_HEAD - len(_MARK), "big") + data)
            self._clear()

    def _append(self, data: bytes) -> None:
        file = self._opened()
        view, at = memoryview(data), 0
        while at < len(view):
            at += file.write(view[at:])
        os.fdatasync(file.fileno())
        self._length += len(data)

    def close(self) -> None:
        """No more; what was not written is forgotten."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            files.make_folder(self._path.parent)
            self._file = files.open(self._path, "ab", buffering=0)
            if self._file.tell() > self._length:
                self._file.truncate(self._length)
                self._file.seek(0, os.SEEK_END)
        return self._file

    def _chunk(self) -> _Written:
        return _Written(
            msgspec.Raw(msgspec.msgpack.encode(self._sources)),
            np.array(self._sites, np.uint64).tobytes(),
            np.array(self._counts, np.uint32).tobytes(),
            np.array(self._targets, np.uint64).tobytes(),
            bytes(self._kinds),
            bytes(self._lengths),
            b"".join(self._anchors),
        )

    def _clear(self) -> None:
        self._sources: list[str] = []
        self._sites: list[int] = []
        self._counts: list[int] = []
        self._targets: list[int] = []
        self._kinds = bytearray()
        self._lengths = bytearray()
        self._anchors: list[bytes] = []
        self._size = 0


def chunks(path: Path, length: int, start: int = 0) -> Iterator[Chunk]:
    """What is in the log of a shard up to a committed length, from where another reader stopped."""
    if start >= length:
        return
    if not files.is_file(path) or files.size(path) < length:
        raise Damaged(_UNREADABLE.format(path, 0))
    with files.open(path) as file:
        file.seek(start)
        while (at := file.tell()) < length:
            head = file.read(_HEAD)
            if not _is_head(head, at, length):
                raise Damaged(_UNREADABLE.format(path, at))
            yield _read(file.read(int.from_bytes(head[len(_MARK) :], "big")), path, at)


def splits(path: Path, length: int, at: int) -> bool:
    """Does a place lie within a chunk, or past the end? Nothing is known of a log that is not there."""
    if at >= length or not files.is_file(path) or files.size(path) < length:
        return at > length
    with files.open(path) as file:
        file.seek(at)
        return not _is_head(file.read(_HEAD), at, length)


def _is_head(head: bytes, at: int, length: int) -> bool:
    size = int.from_bytes(head[len(_MARK) :], "big")
    return head[: len(_MARK)] == _MARK and at + _HEAD + size <= length and size <= _FRAME_MOST


def _read(data: bytes, path: Path, at: int) -> Chunk:
    try:
        return _checked(msgspec.msgpack.decode(_unpacked(data), type=_Written))
    except (zstandard.ZstdError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Damaged(_UNREADABLE.format(path, at)) from error


def _unpacked(data: bytes) -> bytes:
    """A frame says how much is in it, and gets no more room than that."""
    if zstandard.get_frame_parameters(data).content_size > CHUNK_MOST:  # or does not say it
        raise ValueError("it would be too large")
    return zstandard.ZstdDecompressor().decompress(data)  # a new one: none may be used by two threads at once


def _checked(found: _Written) -> Chunk:
    """Everybody counts on it that the columns belong together."""
    counts, targets = np.frombuffer(found.counts, np.uint32), np.frombuffer(found.targets, np.uint64)
    sites, lengths = np.frombuffer(found.sites, np.uint64), np.frombuffer(found.lengths, np.uint8)
    kinds = np.frombuffer(found.kinds, np.uint8)
    links = int(counts.sum(dtype=np.uint64))
    if not len(sites) == len(counts) == _items(memoryview(found.sources)) or not links == len(targets) == len(kinds):
        raise ValueError("its columns are not of one length")
    if len(lengths) != links or not _are_texts(found.anchors, lengths):
        raise ValueError("its anchors are no texts")
    sources = msgspec.msgpack.decode(found.sources, type=list[str])
    if not all(map(keys.is_shaped, sources)):
        raise ValueError("its sources are no addresses")
    return Chunk(sources, sites, counts, targets, kinds, lengths, found.anchors)


def _are_texts(anchors: bytes, lengths: NDArray[np.uint8]) -> bool:
    if int(lengths.sum(dtype=np.int64)) != len(anchors):
        return False
    return lookup.are_whole(anchors, np.cumsum(lengths, dtype=np.int64))


def _items(data: memoryview) -> int:
    """How many items a list in msgpack claims to have."""
    kind, wide = data[0], {0xDC: 2, 0xDD: 4}.get(data[0], 0)
    return int.from_bytes(data[1 : 1 + wide], "big") if wide else kind - 0x90


def _cut(anchor: str) -> bytes:
    """Whole characters only."""
    data = anchor.encode()
    return data if len(data) <= ANCHOR_MOST else data[:ANCHOR_MOST].decode(errors="ignore").encode()
