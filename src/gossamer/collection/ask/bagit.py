"""A bag: files in a folder with their digests, as repositories take them in and check them (BagIt 1.0, RFC 8493).

    data/archive/*.warc.gz      what was fetched
    data/texts/*.warc.gz        what it says
    data/indexes/index.cdxj     where each capture lies
    bagit.txt, bag-info.txt, manifest-sha256.txt, tagmanifest-sha256.txt

The plan stays at home: it may hold the password of a proxy, and bags are handed on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gossamer import printable
from gossamer.collection.ask import export
from gossamer.collection.ask.new_folder import new_folder
from gossamer.store.archive import Archive
from gossamer.store.repair.completeness import pieces

_DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


def write(archives: Sequence[Archive], folder: Path, title: str, software: str) -> int:
    """Fill a new or an empty folder. Gives the number of files that are in the bag."""
    warcs = export.warcs(archives)
    texts = [file for archive in archives for file in archive.texts.files()]
    with new_folder(folder) as place:
        bag = _Bag(place)
        for below, files in (("archive", warcs), ("texts", texts)):
            for path, length in files:
                bag.put(f"data/{below}/{path.name}", partial(_copy, path, length))
        bag.put("data/indexes/index.cdxj", lambda out: export.cdxj(archives, out))
        bag.close(title, software)
    return len(bag.payload)


def _copy(path: Path, length: int, out: BinaryIO) -> int:
    out.writelines(pieces(path, length))
    return length


class _Bag:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.payload: dict[str, _File] = {}

    def put(self, name: str, write: Callable[[BinaryIO], int]) -> None:
        self.payload[name] = self._written(name, write)

    def close(self, title: str, software: str) -> None:
        """All that is said of the files."""
        octets = sum(file.length for file in self.payload.values())
        told = {
            "External-Description": f"Web pages of the collection {title}",
            "Bagging-Date": time.strftime("%Y-%m-%d", time.gmtime()),
            "Bag-Software-Agent": software,
            "Bag-Size": printable.size(octets),
            "Payload-Oxum": f"{octets}.{len(self.payload)}",
        }
        about = "".join(f"{name}: {printable.line(value)}\n" for name, value in told.items())
        tags = {"bagit.txt": _DECLARATION, "bag-info.txt": about, "manifest-sha256.txt": _manifest(self.payload)}
        said = {name: self._written(name, partial(_put, text)) for name, text in tags.items()}
        self._written("tagmanifest-sha256.txt", partial(_put, _manifest(said)))

    def _written(self, name: str, write: Callable[[BinaryIO], int]) -> _File:
        """Its digest is that of what lies there then."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        export.to_path(write, path)
        with path.open("rb") as file:
            return _File(file_digest(file, "sha256").hexdigest(), path.stat().st_size)


class _File(NamedTuple):
    digest: str
    length: int


def _put(text: str, out: BinaryIO) -> int:
    return out.write(text.encode())


def _manifest(files: dict[str, _File]) -> str:
    return "".join(f"{file.digest}  {name}\n" for name, file in sorted(files.items()))
