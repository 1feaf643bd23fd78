"""Makes compound files (OLE2), and Word, PowerPoint and Outlook files in them, each with what a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from struct import pack

END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
SECTOR, MINI, CUTOFF = 512, 64, 4096


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file; a name with slashes lies in storages."""
    entries: list[list[object]] = [["Root Entry", 5, FREE, FREE, FREE, 0, 0]]
    folders: dict[tuple[str, ...], int] = {(): 0}
    children: dict[int, list[int]] = {0: []}
    data: dict[int, bytes] = {}
    for name, content in streams.items():
        *path, leaf = name.split("/")
        for depth in range(len(path)):
            key = tuple(path[: depth + 1])
            if key not in folders:
                folders[key] = len(entries)
                children[folders[key[:-1]]].append(len(entries))
                children[len(entries)] = []
                entries.append([key[-1], 1, FREE, FREE, FREE, 0, 0])
        children[folders[tuple(path)]].append(len(entries))
        data[len(entries)] = content
        entries.append([leaf, 2, FREE, FREE, FREE, 0, len(content)])
    for parent, members in children.items():  # a chain to the right is a search tree too
        entries[parent][4] = members[0] if members else FREE
        for one, following in pairwise(members):
            entries[one][3] = following
    return _laid_out(entries, data)


def _laid_out(entries: list[list[object]], data: dict[int, bytes]) -> bytes:
    small, mini_table = bytearray(), list[int]()
    sectors: list[bytes] = []
    table: list[int] = []

    def store(content: bytes) -> int:
        if not content:
            return END
        first = len(sectors)
        parts = [content[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(content), SECTOR)]
        table.extend([*range(first + 1, first + len(parts)), END])
        sectors.extend(parts)
        return first

    for number, content in data.items():
        if len(content) >= CUTOFF:
            entries[number][5] = store(content)
        elif content:
            entries[number][5] = len(mini_table)
            count = -(-len(content) // MINI)
            mini_table += [*range(len(mini_table) + 1, len(mini_table) + count), END]
            small += content.ljust(count * MINI, b"\0")
    entries[0][5], entries[0][6] = store(bytes(small)), len(small)
    mini_start = store(pack(f"<{len(mini_table)}I", *mini_table).ljust(SECTOR, b"\xff")) if mini_table else END
    directory = b"".join(map(_entry, entries))
    directory_start = store(directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0"))
    count, further = 1, 0
    while count * 128 < len(table) + count + further:
        count += 1
        further = max(-(-(count - 109) // 127), 0)
    places = list(range(len(sectors), len(sectors) + count))
    lists = len(sectors) + count
    table += [TABLE] * (count + further)
    packed = pack(f"<{len(table)}I", *table).ljust(count * SECTOR, b"\xff")
    for at in range(further):
        part = places[109 + 127 * at : 109 + 127 * (at + 1)]
        packed += pack("<128I", *part, *[FREE] * (127 - len(part)), lists + at + 1 if at + 1 < further else END)
    signature = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    numbers = (
        0,
        count,
        directory_start,
        0,
        CUTOFF,
        mini_start,
        -(-len(mini_table) // 128),
        lists if further else END,
        further,
    )
    header = pack("<8s16x5H6x9I", signature, 62, 3, 0xFFFE, 9, 6, *numbers)
    listed = pack("<109I", *places[:109], *[FREE] * (109 - count))
    return (header + listed).ljust(SECTOR, b"\0") + b"".join(sectors) + packed


def _entry(entry: list[object]) -> bytes:
    name, kind, left, right, child, start, size = entry
    raw = str(name).encode("utf-16-le")
    return pack("<64sHBBIII16xI16xIQ", raw, len(raw) + 2, kind, 1, left, right, child, 0, start, size)


def properties(**values: str | int) -> bytes:
    """A SummaryInformation stream: title, author as text, created, saved as seconds since 1970."""
    numbers = {"title": 2, "author": 4, "created": 12, "saved": 13}
    body, places = b"", []
    start = 8 + 8 * (len(values) + 1)
    for number, value in ((1, b""), *((numbers[name], value) for name, value in values.items())):
        places.append(pack("<II", number, start + len(body)))
        if number == 1:
            body += pack("<HHI", 2, 0, 65001)
        elif isinstance(value, str):
            raw = value.encode() + b"\0"
            body += pack("<HHI", 30, 0, len(raw)) + raw.ljust(-(-len(raw) // 4) * 4, b"\0")
        else:
            body += pack("<HHQ", 64, 0, (int(value) + 11_644_473_600) * 10_000_000)
    section = pack("<II", start + len(body), len(places)) + b"".join(places) + body
    return pack("<HHI16xI16xI", 0xFFFE, 0, 2, 1, 48) + section


# ---------------------------------------------------------------------- Word


@dataclass
class Paragraph:
    """Runs of text with what is changed in their look, and what is changed in the paragraph."""

    runs: Sequence[tuple[str, bytes]]
    shape: bytes = b""
    style: int = 0
    end: str = "\r"


def paragraph(text: str, shape: bytes = b"", *, look: bytes = b"", style: int = 0, end: str = "\r") -> Paragraph:
    return Paragraph([(text, look)], shape, style, end)


BOLD, ITALIC = b"\x35\x08\x01", b"\x36\x08\x01"
HIDDEN, DELETED, SPECIAL = b"\x3c\x08\x01", b"\x00\x08\x01", b"\x55\x08\x01"
IN_TABLE, ROW_ENDS = b"\x16\x24\x01", b"\x16\x24\x01\x17\x24\x01"


def in_list(number: int, level: int = 0) -> bytes:
    return b"\x0b\x46" + pack("<H", number) + b"\x0a\x26" + bytes([level])


@dataclass
class Level:
    """How a level of a list is numbered."""

    text: str
    format: int = 0
    start: int = 1

    def packed(self) -> bytes:
        fixed = pack("<iBB9xB4x4xBBBB", self.start, self.format, 0, 0, 0, 0, 0, 0)
        return fixed + pack("<H", len(self.text)) + self.text.encode("utf-16-le")


@dataclass
class Word:
    """A Word 97 file: main text, then the other stories in their order."""

    main: Sequence[Paragraph]
    footnotes: Sequence[Sequence[Paragraph]] = ()
    headers: Sequence[Sequence[Paragraph]] = ()
    lists: Sequence[Sequence[Level]] = ()
    headings: Mapping[int, int] = field(default_factory=dict)
    """Numbers of styles, and the level of the heading that they are."""
    flags: int = 0

    def packed(self, **streams: bytes) -> bytes:
        return compound({**self.streams(), **streams})

    def streams(self) -> dict[str, bytes]:
        stories = [list(self.main), *([] for _ in range(7))]
        stories[1] = [each for note in self.footnotes for each in note]
        stories[2] = [each for header in self.headers for each in header]
        lengths = [sum(_length(each) for each in story) for story in stories]
        everything = [each for story in stories for each in story]
        text, base = "".join(_text(each) for each in everything), 2048
        raw = text.encode("utf-16-le", "surrogatepass")
        looks, shapes, at = [], [], base
        for each in everything:
            first = at
            for words, look in each.runs:
                size = len(words.encode("utf-16-le", "surrogatepass"))
                looks.append((at, at + size, look))
                at += size
            looks.append((at, at + 2, b""))
            at += 2
            shapes.append((first, at, pack("<H", each.style) + each.shape))
        body = raw.ljust(-(-len(raw) // 512) * 512, b"\0")
        pages, table = b"", _Table()
        for part, runs, pack_page in ((12, looks, _look_page), (13, shapes, _shape_page)):
            groups = [runs[at : at + 8] for at in range(0, len(runs), 8)]
            first = (base + len(body) + len(pages)) // 512
            pages += b"".join(map(pack_page, groups))
            places = [*(group[0][0] for group in groups), at]
            numbers = range(first, first + len(groups))
            table.add(part, pack(f"<{len(places)}I", *places) + pack(f"<{len(groups)}I", *numbers))
        count = len(text.encode("utf-16-le", "surrogatepass")) // 2
        table.add(33, b"\x02" + pack("<I", 16) + pack("<II", 0, count) + pack("<HIH", 0, base, 0))
        table.add(1, _styles(self.headings))
        table.add(3, _starts(self.footnotes))
        table.add(11, _starts(self.headers, more=0))
        self._add_lists(table)
        fib = pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0x409, 0, 0x0200 | self.flags).ljust(0x4C, b"\0") + pack("<8i", *lengths)
        fib = fib.ljust(0x9A, b"\0") + table.pairs()
        return {"WordDocument": fib.ljust(base, b"\0") + body + pages, "1Table": table.data}

    def _add_lists(self, table: _Table) -> None:
        if self.lists:
            heads = b"".join(pack("<ii18xBB", 100 + at, 0, len(levels) == 1, 0) for at, levels in enumerate(self.lists))
            table.add(73, pack("<H", len(self.lists)) + heads)
            table.data += b"".join(level.packed() for levels in self.lists for level in levels)
            uses = b"".join(pack("<i8xBBBB", 100 + at, 0, 0, 0, 0) for at in range(len(self.lists)))
            table.add(74, pack("<I", len(self.lists)) + uses + pack("<I", 0xFFFFFFFF) * len(self.lists))


class _Table:
    def __init__(self) -> None:
        self.data = b"\0" * 16
        self._places: dict[int, tuple[int, int]] = {}

    def add(self, part: int, content: bytes) -> None:
        self._places[part] = (len(self.data), len(content))
        self.data += content

    def pairs(self) -> bytes:
        return b"".join(pack("<II", *self._places.get(number, (0, 0))) for number in range(93))


def _text(each: Paragraph) -> str:
    return "".join(words for words, _ in each.runs) + each.end


def _length(each: Paragraph) -> int:
    return len(_text(each).encode("utf-16-le", "surrogatepass")) // 2


def _starts(parts: Sequence[Sequence[Paragraph]], *, more: int = 1) -> bytes:
    if not parts:
        return b""
    places = [0]
    for part in parts:
        places.append(places[-1] + sum(map(_length, part)))
    return pack(f"<{len(places) + more}I", *places, *[places[-1]] * more)


def _look_page(runs: Sequence[tuple[int, int, bytes]]) -> bytes:
    page, at = bytearray(512), 510
    places = [*(first for first, _, _ in runs), runs[-1][1]]
    page[: 4 * len(places)] = pack(f"<{len(places)}I", *places)
    for number, (_, _, look) in enumerate(runs):
        if look:
            at = (at - len(look) - 1) & ~1
            page[at : at + len(look) + 1] = bytes([len(look)]) + look
            page[4 * len(places) + number] = at // 2
    page[511] = len(runs)
    return bytes(page)


def _shape_page(runs: Sequence[tuple[int, int, bytes]]) -> bytes:
    page, at = bytearray(512), 510
    places = [*(first for first, _, _ in runs), runs[-1][1]]
    page[: 4 * len(places)] = pack(f"<{len(places)}I", *places)
    for number, (_, _, shape) in enumerate(runs):
        packed = shape.ljust(len(shape) + len(shape) % 2, b"\0")
        at = (at - len(packed) - 2) & ~1
        page[at : at + len(packed) + 2] = bytes([0, len(packed) // 2]) + packed
        page[4 * len(places) + 13 * number] = at // 2
    page[511] = len(runs)
    return bytes(page)


def _styles(headings: Mapping[int, int]) -> bytes:
    made = b""
    for number in range(max(headings, default=0) + 1):
        name = f"style {number}".encode("utf-16-le")
        fixed = pack("<5H", headings.get(number, 0xFFF), 1 | 0xFFF0, 2, 0, 0)
        style = fixed + pack("<H", len(name) // 2) + name + b"\0\0" + pack("<HH", 2, 0) + pack("<H", 0)
        made += pack("<H", len(style)) + style + b"\0" * (len(style) % 2)
    return pack("<HHH14x", 18, max(headings, default=0) + 1, 10) + made


# ---------------------------------------------------------------------- PowerPoint


def record(kind: int, data: bytes = b"", *inner: bytes, instance: int = 0) -> bytes:
    """A record; with inner records it is a container."""
    body = data + b"".join(inner)
    version = 0xF if inner else 0
    return pack("<HHI", instance << 4 | version, kind, len(body)) + body


def box(kind: int, text: str, *more: bytes) -> bytes:
    """A box with text: 0 for a title, 1 for a body, 2 for notes, 4 for others."""
    words = record(0x0FA0, text.replace("\n", "\r").encode("utf-16-le"))
    return record(0xF004, b"", record(0xF00D, b"", record(0x0F9F, pack("<I", kind)), words, *more))


def slide(*boxes: bytes) -> bytes:
    return record(0x03EE, b"", record(0x040C, b"", record(0xF002, b"", record(0xF003, b"", *boxes))))


def notes(of: int, *boxes: bytes) -> bytes:
    drawing = record(0x040C, b"", record(0xF002, b"", record(0xF003, b"", *boxes)))
    return record(0x03F0, b"", record(0x03F1, pack("<IHH", of, 0, 0)), drawing)


def ppt(
    slides: Sequence[bytes], spoken: Mapping[int, bytes] | None = None, *, links: bytes = b"", **streams: bytes
) -> bytes:
    """A presentation. Slides have the numbers 256, 257...; they lie in the file from the last to the first."""
    spoken = spoken or {}
    places: dict[int, int] = {}
    stream = b""
    numbered = [*enumerate(slides, 2), *((100 + at, made) for at, made in enumerate(spoken.values()))]
    for number, made in reversed(numbered):
        places[number] = len(stream)
        stream += made
    listed = b"".join(record(0x03F3, pack("<IIiII", at + 2, 0, 0, 256 + at, 0)) for at in range(len(slides)))
    listed_notes = b"".join(record(0x03F3, pack("<IIiII", 100 + at, 0, 0, 0, 0)) for at in range(len(spoken)))
    lists = [record(0x0FF0, b"", listed, instance=0), record(0x0FF0, b"", listed_notes, instance=2)]
    places[1] = len(stream)
    stream += record(0x03E8, b"", *([links] if links else []), *lists)
    directory = len(stream)
    stream += record(0x1772, b"".join(pack("<II", 1 << 20 | number, place) for number, place in places.items()))
    edit = len(stream)
    stream += record(0x0FF5, pack("<IHBBIIIIHH", 256, 0, 0, 3, 0, directory, 1, 1000, 1, 0))
    user = pack("<HHIIII", 0, 0x0FF6, 20, 20, 0xE391C05F, edit)
    return compound({"PowerPoint Document": stream, "Current User": user, **streams})


# ---------------------------------------------------------------------- Outlook


def message(
    texts: Mapping[int, str | bytes],
    *,
    dates: Mapping[int, int] | None = None,
    parts: Mapping[str, bytes] | None = None,
) -> bytes:
    """A letter: properties by number. Parts are further streams by their paths."""
    return compound(message_streams(texts, dates=dates, header=32) | dict(parts or {}))


def message_streams(
    texts: Mapping[int, str | bytes], *, dates: Mapping[int, int] | None = None, header: int = 8, path: str = ""
) -> dict[str, bytes]:
    """The streams of a letter, a recipient or an attachment. Numbers go into `dates` too, as they are."""
    rows = b"".join(
        pack("<HHIQ", 0x40 if value > 1 << 32 else 3, number, 6, value) for number, value in (dates or {}).items()
    )
    streams = {f"{path}__properties_version1.0": b"\0" * header + rows}
    for number, value in texts.items():
        kind, raw = ("001F", value.encode("utf-16-le")) if isinstance(value, str) else ("0102", value)
        streams[f"{path}__substg1.0_{number:04X}{kind}"] = raw
    return streams


def filetime(seconds: int) -> int:
    return (seconds + 11_644_473_600) * 10_000_000
