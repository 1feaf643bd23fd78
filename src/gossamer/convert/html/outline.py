"""The outline of a page: its body as a flat tree, in document order, in arrays.

An element is a number, and its subtree is a slice; so the sum of anything over every subtree of a page is one
cumulative sum and two look-ups, and what is asked of a page is answered in a few operations on whole arrays instead
of a walk. Text is in runs: the words between two tags. Only what can be read counts: scripts, styles and the like are
no elements here, and drawings and films are elements without inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.defuse import tame
from gossamer.convert.html.links import LINKS_MOST, POINTING, pointers
from gossamer.convert.html.text import BLOCKS, LEFT_OUT, PRE, SILENT
from gossamer.convert.html.tree import TEXT, Node, parse, tag_id, tag_ids

_TAGS = """
    other a abbr address article aside audio b blockquote body br button canvas caption center cite code col colgroup dd
    del details dfn dialog dir div dl dt em fieldset figcaption figure font footer form frameset h1 h2 h3 h4 h5 h6
    header hgroup hr i iframe img input ins kbd label legend li main mark menu nav object ol optgroup option p picture
    pre q s samp search section select small span strike strong sub summary sup svg table tbody td textarea tfoot th
    thead time tr tt u ul var video math
"""
TAGS = tuple(_TAGS.split())
"""An element's number is its place here. A link without href is 0, as all that is not named."""
NUMBER = {name: number for number, name in enumerate(TAGS)}
NAMES_MOST = 32
"""Words of an element's names."""
NOTE_MOST = 2_000
"""Bytes. What is longer is not noted."""
WORDS, CHARACTERS, COMMAS, SENTENCES, DIGITS, CAPITALS = range(6)
"""The columns of `Outline.counts`."""


class Outline(NamedTuple):
    """The body of a page: n elements, m runs of text, k words of names, p links."""

    tags: NDArray[np.uint8]
    """[n] number of its name in `TAGS`."""
    parents: NDArray[np.int32]
    """[n] the element it stands in; -1 for the body, which is element 0."""
    ends: NDArray[np.int32]
    """[n] one past its last descendant."""
    text: bytes
    """All runs in UTF-8, one after the other, white space as it came.

    White space alone is no run: it begins the next run, or is left out where a block begins or ends before that.
    """
    starts: NDArray[np.int32]
    """[m + 1] where in `text` a run begins."""
    owners: NDArray[np.int32]
    """[m] the element a run stands in, with no other between."""
    befores: NDArray[np.int32]
    """[m] how many elements begin before the run. No two runs in a row have the same owner and the same here."""
    counts: NDArray[np.int32]
    """[m, 6] words, characters that are not white space, commas, ends of sentences, digits 0-9, capitals A-Z."""
    names: NDArray[np.uint32]
    """[k] hashes of the words of class, id, role, itemprop and itemtype; see `name_hash`."""
    named: NDArray[np.int32]
    """[k] the element with that word, in ascending order."""
    points: NDArray[np.int32]
    """[p] for each link of the scan the element it is or stands in; -1 for those in no body."""
    notes: bytes = b""
    """What q attributes say that are needed to write elements down, one after the other; see `Note`."""
    note_starts: NDArray[np.int32] = np.zeros(0, np.int32)
    """[q] where in `notes` each begins."""
    noted: NDArray[np.int32] = np.zeros(0, np.int32)
    """[q] the element that says it, in ascending order."""


SCORED = Outline._fields.index("points")
"""The fields before it are what main content is found by."""


class Note(StrEnum):
    """What is noted of an element: the first letter of the note; the rest is what the attribute says."""

    ALTERNATIVE = "a"
    """Of a picture, like the next."""
    SOURCE = "s"
    START = "n"
    """The number of the first item of a list."""
    COLUMNS = "c"
    """How many a cell spans, like the next."""
    ROWS = "r"
    CHECKED = "x"
    """A box to tick, like the next."""
    UNCHECKED = "o"
    FORMULA = "m"
    TEX = "t"
    """A formula as it was written, within one."""


_HREF = tag_id("a")
_BODY = tag_id("body")
_NOSCRIPT = tag_id("noscript")
_NO_ELEMENTS = (SILENT - tag_ids("iframe textarea")) | tag_ids("link meta base template noscript")
_SHUT = LEFT_OUT | tag_ids("iframe textarea")
"""Elements without inside."""
_BEGIN_A_BLOCK = BLOCKS | PRE
_INPUT, _MATH, _OL = map(tag_id, ("input", "math", "ol"))
_CELLS = tag_ids("td th")
_PICTURES = tag_ids("img image")
_FIRST_ELEMENT = 6
"""Lexbor's numbers below it are for text, comments and the like."""
_BY_ID = {tag_id(name): number for number, name in enumerate(TAGS) if number}

SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WIDE = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3100-\u318f\u31a0-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Ideographs and kana, which are written without spaces: each is a word."""
_WORD = re.compile(f"[{WIDE}]|[^{SPACE}{WIDE}]+")
_COUNTED = tuple(
    re.compile(f"[{characters}]+")
    for characters in (
        f"^{SPACE}",
        ",;:\u060c\u061b\u3001\uff0c\uff1a\uff1b",
        ".!?\u061f\u0964\u2026\u3002\uff01\uff1f",
        "0-9",
        "A-Z",
    )
)
_BLANK = re.compile(f"[{SPACE}]*\\Z")

_NAME_KINDS = {"class": b"c", "id": b"c", "role": b"r", "itemprop": b"i", "itemtype": b"i"}
_NAME_WORD = re.compile(rb"[A-Z]*[a-z\x80-\xff]+|[A-Z]+")
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def name_hash(kind: bytes, word: bytes) -> int:
    """32-bit FNV-1a of a word of a name, in lower case, after one letter that says which name it is of.

    `c` is for class and id, `r` for role, `i` for itemprop and the last part of itemtype. What is not to be seen
    has the word `hidden` of the kind `h`.
    """
    value = 2_166_136_261
    for byte in kind + word.lower():
        value = ((value ^ byte) * 16_777_619) & 0xFFFFFFFF
    return value


def by_tree(page: bytes) -> Outline | None:
    """The outline of a page in UTF-8, as it is made where there is no twin; None if it has no body."""
    return of_pieces(tame(page))


def of_pieces(pieces: Sequence[bytes]) -> Outline | None:
    """The same of a page that is safe to parse."""
    draft = _Draft()
    for piece in pieces:
        root = parse(piece).root
        if root is not None:
            draft.add(root.traverse(include_text=True))
    return draft.outline() if draft.tags else None


def from_bytes(fields: Sequence[bytes]) -> Outline:
    """The outline that the twin has made."""
    tags, parents, ends, text, starts, owners, befores, counts, names, named, points, notes, *noted = fields
    return Outline(
        np.frombuffer(tags, np.uint8),
        np.frombuffer(parents, np.int32),
        np.frombuffer(ends, np.int32),
        text,
        np.frombuffer(starts, np.int32),
        np.frombuffer(owners, np.int32),
        np.frombuffer(befores, np.int32),
        np.frombuffer(counts, np.int32).reshape(-1, 6),
        np.frombuffer(names, np.uint32),
        np.frombuffer(named, np.int32),
        np.frombuffer(points, np.int32),
        notes,
        *(np.frombuffer(each, np.int32) for each in noted),
    )


def count(text: str) -> list[int]:
    """A row of `Outline.counts`."""
    return [len(_WORD.findall(text)), *(sum(map(len, pattern.findall(text))) for pattern in _COUNTED)]


@dataclass(slots=True)
class _Draft:
    """An outline that is being made, from one tree after the other; bodies after the first stand in the first."""

    tags: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    befores: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    notes: list[tuple[int, bytes]] = field(default_factory=list)
    places: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """By the address of a node: the element it is or stands in, and whether that is shut."""
    tops: list[int] = field(default_factory=list)
    """For each element the block it is or stands in."""
    blocks: int = 0
    blank: tuple[str, int, int] = ("", 0, 0)
    """White space that waits for words, its block, and how many blocks had begun."""

    def add(self, nodes: Iterator[Node]) -> None:
        """All nodes of a tree, in document order."""
        self.places.clear()
        for node in nodes:
            tag = node.tag_id
            parent, shut = self._place(node)
            if tag == TEXT:
                if parent >= 0 and not shut:
                    self._add_text(node.text_content or "", parent)
            elif tag >= _FIRST_ELEMENT:
                self._add_element(node, tag, parent, shut)
                self._add_points(node, tag)

    def _place(self, node: Node) -> tuple[int, bool]:
        parent = node.parent
        return (-1, False) if parent is None else self.places.get(parent.mem_id, (-1, False))

    def _add_element(self, node: Node, tag: int, parent: int, shut: bool) -> None:
        if tag == _BODY:
            parent = 0 if self.tags else -1
        elif parent < 0:
            return
        elif shut or tag in _NO_ELEMENTS:
            self.places[node.mem_id] = (parent, True)
            return
        number = len(self.tags)
        attributes = node.attributes
        self.tags.append(0 if tag == _HREF and "href" not in attributes else _BY_ID.get(tag, 0))
        self.parents.append(parent)
        self.places[node.mem_id] = (number, tag in _SHUT)
        if tag in _BEGIN_A_BLOCK:
            self.blocks += 1
        self.tops.append(number if tag in _BEGIN_A_BLOCK or parent < 0 else self.tops[parent])
        self.notes += [(number, note) for note in _notes(node, tag, attributes) if len(note) <= NOTE_MOST + 1]
        for value in _names(attributes):
            self.names.append(value)
            self.named.append(number)

    def _add_text(self, text: str, owner: int) -> None:
        top, before = self.tops[owner], len(self.tags)
        if self.blank[1:] == (top, self.blocks):
            text = self.blank[0] + text
        if _BLANK.match(text):
            self.blank = (text, top, self.blocks)
            return
        self.blank = ("", 0, 0)
        if self.owners and (self.owners[-1], self.befores[-1]) == (owner, before):
            self.runs[-1] += text
            return
        self.runs.append(text)
        self.owners.append(owner)
        self.befores.append(before)

    def _add_points(self, node: Node, tag: int) -> None:
        if tag in POINTING:
            found = len(pointers([node], 1)[0])
        elif tag == _NOSCRIPT and "<a" in (markup := node.text()).lower():
            found = len(pointers(parse(markup.encode()).tags("a"), LINKS_MOST)[0])
        else:
            return
        room = LINKS_MOST - len(self.points)
        self.points += [self.places.get(node.mem_id, (-1, False))[0]] * min(found, room)

    def outline(self) -> Outline:
        """What was gathered, in arrays."""
        runs = [run.encode() for run in self.runs]
        counts = [count(run) for run in self.runs]
        return Outline(
            tags=np.array(self.tags, np.uint8),
            parents=np.array(self.parents, np.int32),
            ends=_ends(self.parents),
            text=b"".join(runs),
            starts=np.cumsum([0, *map(len, runs)], dtype=np.int32),
            owners=np.array(self.owners, np.int32),
            befores=np.array(self.befores, np.int32),
            counts=np.array(counts, np.int32).reshape(len(runs), 6),
            names=np.array(self.names, np.uint32),
            named=np.array(self.named, np.int32),
            points=np.array(self.points, np.int32),
            notes=b"".join(note for _, note in self.notes),
            note_starts=np.cumsum([0, *(len(note) for _, note in self.notes)], dtype=np.int32)[:-1],
            noted=np.array([element for element, _ in self.notes], np.int32),
        )


def _ends(parents: Sequence[int]) -> NDArray[np.int32]:
    ends = list(range(1, len(parents) + 1))
    for number in range(len(parents) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    return np.array(ends, np.int32)


def _names(attributes: dict[str, str | None]) -> list[int]:
    """In the order of the attributes."""
    found: list[int] = []
    for name, value in attributes.items():
        if kind := _NAME_KINDS.get(name):
            said = (value or "").encode()
            words = _NAME_WORD.findall(said.rstrip(b"/").rpartition(b"/")[2] if name == "itemtype" else said)
            found += [name_hash(kind, word) for word in words if len(word) > 1]
        elif _hides(name, value or ""):
            found.append(name_hash(b"h", b"hidden"))
    return found[:NAMES_MOST]


def _notes(node: Node, tag: int, attributes: dict[str, str | None]) -> Iterator[bytes]:
    """What an element says beside its names."""
    if tag in _PICTURES:
        address = attributes.get("src") or ""
        lazy = not address or address[:5].lower() == "data:"
        yield from _said(attributes, (Note.ALTERNATIVE, "alt"), (Note.SOURCE, "data-src" if lazy else "src"))
    elif tag == _INPUT and (attributes.get("type") or "").lower() == "checkbox":
        yield (Note.CHECKED if "checked" in attributes else Note.UNCHECKED).encode()
    elif tag == _OL:
        yield from _said(attributes, (Note.START, "start"))
    elif tag in _CELLS:
        yield from _said(attributes, (Note.COLUMNS, "colspan"), (Note.ROWS, "rowspan"))
    elif tag == _MATH:
        yield Note.FORMULA.encode()
    elif tag not in _BY_ID and node.tag == "annotation":
        yield Note.TEX.encode()


def _said(attributes: dict[str, str | None], *wanted: tuple[Note, str]) -> Iterator[bytes]:
    for note, name in wanted:
        if said := attributes.get(name):
            yield note.encode() + said.encode()


def _hides(name: str, value: str) -> bool:
    if name == "style":
        return _HIDDEN.search(value) is not None
    return name == "hidden" or (name == "aria-hidden" and value.strip().lower() == "true")
