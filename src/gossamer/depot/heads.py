"""What is the state of a shard, and who works on it? A numbered line of heads; the last one counts.

To publish a checkpoint and to take over a shard are the same: head n + 1 is created, which succeeds for one. Whoever
fails, or finds that others have gone on since, has lost the shard, and nothing that it does later counts. So no clock
and no lock decides whose a shard is. Objects have the number of their owner's first head in their names: files of a
table have numbers that come again after a disk was lost, and must not be taken for those that were kept before.

Old heads are deleted, so a machine that slept for long may create one that was there before. Hence the look at the
others after each: the last head is never deleted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, TypeAlias

import msgspec

from gossamer.depot.objects import Objects
from gossamer.errors import Damaged, Fenced

FORMAT = 1
_NUMBER = re.compile("[0-9]{10,15}")


Octets: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
"""Bytes: a store may be anybody's, and what cannot be is refused when a head is read."""


PIECE_MOST = 64 << 20
"""Bytes of a piece, which is read at once; ours have half as many."""


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """Bytes of an object that are bytes of a file."""

    object: Annotated[str, msgspec.Meta(pattern=r"\Ashards/[0-9]+/objects/[0-9A-Za-z.-]+\Z")]
    offset: Octets
    length: Annotated[int, msgspec.Meta(ge=0, le=PIECE_MOST)]
    digest: str


class KeptFile(msgspec.Struct, frozen=True, array_like=True):
    """Where the bytes of a file are, one piece after the other."""

    pieces: tuple[Piece, ...] = ()
    mark: str = ""
    """Tells a file that grows from another one that had its name before."""

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return sum(piece.length for piece in self.pieces)


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """One state of a shard."""

    number: int
    life: int
    """The number of its owner's first head."""
    claim: str
    """Drawn by its owner, so that it knows its own."""
    term: int
    """Who was sent to do this, and by whom: an owner of a lower term may not claim."""
    files: Mapping[str, KeptFile] = {}
    packs: Mapping[str, int] = {}
    """Bytes of the objects that hold several files."""
    marks: tuple[tuple[int, int], ...] = ()
    """How far this shard has come with each other one: batches for it, and batches from it."""
    counts: Mapping[str, float] = {}
    """For whoever asks how it goes."""
    sequence: int = 0
    """Changes of the table up to here."""
    published: float = 0.0
    """Seconds since 1970."""
    travelled: int = 0
    """Bytes of objects that this and all heads before it have cost."""
    at_rest: bool = False
    """Its owner has ended in good order."""
    format: int = FORMAT


def digest_of(data: bytes | memoryview) -> str:
    """Of a piece, or of a head."""
    return blake2b(data, digest_size=16).hexdigest()


def encode(head: Head) -> bytes:
    """As it is kept: JSON, and a line that shows damage."""
    data = msgspec.json.encode(head)
    return data + b"\n" + digest_of(data).encode() + b"\n"


def decode(data: bytes, name: str) -> Head:
    """The other way."""
    text, _, digest = data.rstrip(b"\n").rpartition(b"\n")
    if digest_of(text).encode() != digest:
        raise Damaged(f"{name}: is damaged in the store; delete it there, and the checkpoint before it counts")
    try:
        head = msgspec.json.decode(text, type=Head)
    except msgspec.DecodeError as error:
        raise Damaged(f"{name}: is no head of ours ({error}); was it written by a later version?") from error
    if head.format != FORMAT:
        raise Damaged(f"{name}: was written by a later version of Gossamer; take that one")
    return head


class Line:
    """The heads of one shard."""

    def __init__(self, objects: Objects, shard: int) -> None:
        self.shard = shard
        self.folder = f"shards/{shard:02}"
        self._objects = objects
        self._heads = f"{self.folder}/heads/"

    def numbers(self) -> list[int]:
        """Those of all heads that are there, in order."""
        found = (name.removeprefix(self._heads) for name in self._objects.names(self._heads))
        # NFS keeps a file that is deleted while somebody reads it under a name of its own
        return sorted(int(name) for name in found if _NUMBER.fullmatch(name))

    def at(self, number: int) -> Head:
        """One of them; FileNotFoundError when it is gone."""
        name = self._name(number)
        head = decode(self._objects.get(name), name)
        self._require_own(head, name)
        return head

    def _require_own(self, head: Head, name: str) -> None:
        """Folders of a store that were moved would give a shard the pages of another one."""
        lies = next((piece.object for file in head.files.values() for piece in file.pieces), self.folder)
        folder = lies.partition("/objects/")[0]
        if folder != self.folder:
            cure = "give the folders in the store their names back"
            raise Damaged(f"{name}: is a checkpoint of {folder}, and not of {self.folder}; {cure}")

    def newest(self) -> Head | None:
        """The one that counts; None where nothing was ever kept."""
        while numbers := self.numbers():
            try:
                return self.at(numbers[-1])
            except FileNotFoundError:  # it has become an old one meanwhile, and is gone
                continue
        return None

    def claim(self, before: Head | None, claim: str, term: int) -> Head:
        """Take over the shard as `before` left it. Fenced where somebody else was faster, or was sent later."""
        if before is not None and before.term > term:
            raise Fenced(f"shard {self.shard}: has been given to another machine")
        number = before.number + 1 if before else 1
        if before is None:
            head = Head(number=number, life=number, claim=claim, term=term)
        else:
            head = msgspec.structs.replace(before, number=number, life=number, claim=claim, term=term, at_rest=False)
        self.create(head)
        return head

    def create(self, head: Head) -> None:
        """From now on it counts. Fenced where another one does. After `StoreAway` it may be tried again."""
        name, data = self._name(head.number), encode(head)
        if not self._objects.create(name, data) and not self._is_ours(name, data):
            raise self._lost()
        if self.numbers()[-1:] != [head.number]:
            self._objects.delete(name)  # it was an old one, and would be in the way of nobody
            raise self._lost()

    def forget(self, number: int) -> None:
        """An old one is not needed any more."""
        self._objects.delete(self._name(number))

    def _is_ours(self, name: str, data: bytes) -> bool:
        """It was created by us, and we did not hear of it."""
        try:
            return self._objects.get(name) == data
        except FileNotFoundError:
            return False

    def _lost(self) -> Fenced:
        return Fenced(
            f"shard {self.shard}: another machine has taken it over and goes on from the last checkpoint; this crawl"
            " ends, and what it fetched since then does not count"
        )

    def _name(self, number: int) -> str:
        return f"{self._heads}{number:010}"
