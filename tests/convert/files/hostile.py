"""Documents that were made to do harm, or were harmed: made at test time, the same ones every time.

Bombs, loops, deep nesting, huge counts, and honest files of every format that were cut off, damaged or given the wrong
name. Each is small; what it would become is not.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from itertools import islice
from struct import pack, pack_into
from typing import NamedTuple

from biff_files import xls
from compound_files import Level, Word, box, compound, in_list, message, message_streams, paragraph, ppt, record, slide
from office_files import docx, epub, odf, pptx, shape, xlsx, zipped
from pdf_files import PdfFile, column, drawn, link, pdf

WORDS = "The quick brown fox jumps over the lazy dog"
TYPES = {
    "pdf": "application/pdf",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "msg": "application/vnd.ms-outlook",
    "rtf": "application/rtf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
    "zip": "application/zip",
    "eml": "message/rfc822",
    "ipynb": "application/x-ipynb+json",
}


class Hostile(NamedTuple):
    """A document and what it is said to be."""

    name: str
    media_type: str
    data: bytes


def corpus(count: int) -> list[Hostile]:
    """So many of them: all that were made by hand first, then honest ones that were harmed."""
    return list(islice(_all(), count))


def _all() -> Iterator[Hostile]:
    yield from _bombs()
    yield from _pdfs()
    yield from _compounds()
    yield from _texts()
    honest = honest_files()
    draw = random.Random(4)
    for percent in _mixed(range(1, 100), draw):
        for kind, data in honest.items():
            yield Hostile(f"cut-{percent}.{kind}", TYPES[kind], data[: len(data) * percent // 100])
            if percent % 3 == 0:
                yield Hostile(f"damaged-{percent}.{kind}", TYPES[kind], _damaged(data, draw))
            if percent % 9 == 0:
                yield Hostile(f"misnamed-{percent}.{kind}", draw.choice(list(TYPES.values())), data)
                yield Hostile(
                    f"random-{percent}.{kind}", TYPES[kind], data[:8] + draw.randbytes(draw.randrange(20_000))
                )


def _mixed(numbers: range, draw: random.Random) -> list[int]:
    return draw.sample(list(numbers), len(numbers))


def _damaged(data: bytes, draw: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 8, 64))):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    return bytes(damaged)


def honest_files() -> dict[str, bytes]:
    """A file of every format, by its ending."""
    notebook = {"nbformat": 4, "cells": [{"cell_type": "markdown", "source": WORDS}] * 20}
    levels = [Level(f"{chr(number)}.") for number in range(9)]
    return {
        "pdf": pdf(
            *[column(72, [WORDS] * 20) for _ in range(5)], annotations=[link((72, 690, 200, 710), "http://a.example/")]
        ),
        "doc": Word([paragraph(WORDS, in_list(1, number % 3)) for number in range(60)], lists=[levels]).packed(),
        "xls": xls({"One": [[WORDS, 1.5, "x"]] * 30, "Two": [[2.5]]}),
        "ppt": ppt([slide(box(0, f"Slide {number}"), box(1, f"{WORDS}\n{WORDS}")) for number in range(20)]),
        "msg": message(
            {0x0037: WORDS, 0x1000: WORDS * 200},
            parts=message_streams({0x3707: "a.txt", 0x3701: b"x" * 9_000}, path="__attach_version1.0_#00000000/"),
        ),
        "rtf": b"{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}" + b"\\pard {\\b The} quick \\u8364? fox\\par" * 200 + b"}",
        "docx": docx(f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>" * 200),
        "xlsx": xlsx({"S": "<sheetData>" + "<row><c><v>1</v></c></row>" * 200 + "</sheetData>"}),
        "pptx": pptx([shape(WORDS) for _ in range(20)]),
        "odt": odf("text", f"<text:p>{WORDS}</text:p>" * 200),
        "epub": epub({"a": f"<p>{WORDS}</p>" * 100, "b": "<p>End</p>"}),
        "zip": zipped({f"{number}.txt": WORDS for number in range(20)}),
        "eml": b"From: a@example.org\nSubject: x\nDate: Sun, 9 Sep 2001 01:46:40 +0000\n\n" + WORDS.encode() * 100,
        "ipynb": json.dumps(notebook).encode(),
    }


# ---------------------------------------------------------------------- archives and XML


def _bombs() -> Iterator[Hostile]:
    zeros = zipped({"zeros.txt": b"\0" * (16 << 20)})
    yield Hostile("bomb.zip", TYPES["zip"], zeros)
    nested = zeros
    for _ in range(5):
        nested = zipped({f"{number}.zip": nested for number in range(8)})
    yield Hostile("nested.zip", TYPES["zip"], nested)
    yield Hostile("many.zip", TYPES["zip"], zipped({f"{number}": b"" for number in range(6_000)}))
    for number, name in enumerate(("../../etc/passwd", "/etc/passwd", "a/../../b", "C:\\x", "..\\..\\x", "con\0.txt")):
        yield Hostile(f"names-{number}.zip", TYPES["zip"], zipped({name: "bad", "good.txt": "good"}))
    made = bytearray(zipped({"a.txt": "aaaa", "b.txt": "bbbb"}))
    second = made.index(b"PK\x01\x02", made.index(b"PK\x01\x02") + 4)
    pack_into("<I", made, second + 42, 2)
    yield Hostile("overlapping.zip", TYPES["zip"], bytes(made))
    body = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
    yield Hostile("nodes.docx", TYPES["docx"], docx(body * 50_000))
    yield Hostile("deep.docx", TYPES["docx"], docx("<w:tbl><w:tr><w:tc>" * 50_000))
    yield Hostile("million.xml", "application/xml", b"<?xml version='1.0'?><x>" + b"<y/>" * 1_000_000 + b"</x>")
    yield Hostile("deep.xml", "application/xml", b"<?xml version='1.0'?>" + b"<y>" * 500_000)
    entities = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 12))
    laughs = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><x>&e11;</x>'.encode()
    yield Hostile("laughs.xml", "application/xml", laughs)
    yield Hostile("laughs.docx", TYPES["docx"], docx("", parts={"word/document.xml": laughs.decode()}))
    outside = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    yield Hostile("outside.xml", "application/xml", outside)
    cells = '<row><c t="s"><v>0</v></c></row>' * 20_000
    strings = f"<si><t>{'x' * 30_000}</t></si>"
    yield Hostile("string.xlsx", TYPES["xlsx"], xlsx({"S": f"<sheetData>{cells}</sheetData>"}, strings=strings))
    repeated = (
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384">'
    )
    repeated += "<text:p>x</text:p></table:table-cell></table:table-row>"
    yield Hostile("repeated.ods", "", odf("spreadsheet", f"<table:table>{repeated}</table:table>"))


# ---------------------------------------------------------------------- PDF


def _pdfs() -> Iterator[Hostile]:
    yield from (Hostile(f"{name}.pdf", TYPES["pdf"], data) for name, data in _loops())
    yield from (Hostile(f"{name}.pdf", TYPES["pdf"], data) for name, data in _floods())


def _page(file: PdfFile, content: int, extra: bytes = b"") -> int:
    font = b"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
    return file.add(b"<</Type/Page/MediaBox[0 0 600 800]/Resources<<%s%s>>/Contents %d 0 R>>" % (font, extra, content))


def _document(file: PdfFile, page: int, extra: bytes = b"") -> bytes:
    pages = file.add(b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % page)
    file.objects[0] = b"<</Type/Catalog/Pages %d 0 R%s>>" % (pages, extra)
    return file.packed()


def _loops() -> Iterator[tuple[str, bytes]]:
    yield (
        "tree",
        PdfFile([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 999999/Kids[2 0 R 2 0 R]>>"]).packed(),
    )
    file = PdfFile()
    text = drawn([(72, 700, 10, WORDS)])
    form = len(file.objects) + 1
    file.stream(b"/X Do " + text, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>" % form)
    yield "forms", _document(file, _page(file, file.stream(text + b" /X Do"), b"/XObject<</X %d 0 R>>" % form))
    file = PdfFile()
    mark = len(file.objects) + 1
    file.add(b"<</Title(loop)/Parent %d 0 R/Next %d 0 R/First %d 0 R>>" % (mark, mark, mark))
    outlines = b"/Outlines<</First %d 0 R/Last %d 0 R>>" % (mark, mark)
    yield "outline", _document(file, _page(file, file.stream(text)), outlines)
    file = PdfFile()
    page = _page(file, file.stream(text))
    yield "tables", _document(file, page).replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev 20")
    file = PdfFile()
    own = len(file.objects) + 1
    file.add(b"<</Length %d 0 R>>\nstream\nBT ET\nendstream" % own)
    yield "length", _document(file, _page(file, own))
    yield "references", PdfFile([b"<</Type/Catalog/Pages 2 0 R>>", b"3 0 R", b"2 0 R"]).packed()
    yield "arrays", PdfFile([b"<</Type/Catalog/Pages 2 0 R>>", b"[" * 200_000]).packed()


def _floods() -> Iterator[tuple[str, bytes]]:
    text = drawn([(72, 700, 10, WORDS)])
    packed = text * 20
    for _ in range(30):
        packed = zlib.compress(packed, 9)
    file = PdfFile()
    yield "stacked", _document(file, _page(file, file.stream(packed, b"/Filter[%s]" % (b"/FlateDecode" * 30))))
    file = PdfFile()
    bomb = zlib.compress(zlib.compress(b" " * (256 << 20), 9), 9)
    yield "bomb", _document(file, _page(file, file.stream(bomb, b"/Filter[/FlateDecode/FlateDecode]")))
    file = PdfFile()
    many = zlib.compress(drawn([(72, 700, 10, "x")]) * 40_000)
    yield "glyphs", _document(file, _page(file, file.stream(many, b"/Filter/FlateDecode")))
    file = PdfFile()
    saved = zlib.compress(b"q " * 2_000_000 + text)
    yield "states", _document(file, _page(file, file.stream(saved, b"/Filter/FlateDecode")))
    file = PdfFile()
    content = file.stream(text)
    page = _page(file, content)
    file.add(b"<</Type/Pages/Count 1000000/Kids[%s]>>" % (b"%d 0 R " % page * 50_000))
    file.objects[0] = b"<</Type/Catalog/Pages %d 0 R>>" % len(file.objects)
    yield "pages", file.packed()
    yield (
        "notes",
        pdf(
            [(72, 700, 10, WORDS)],
            annotations=[link((72, 690, 200, 710), f"http://a.example/{at}") for at in range(20_000)],
        ),
    )
    file = PdfFile()
    huge = b"<</Type/Page/MediaBox[0 0 1e30 -1e30]/Contents %d 0 R>>" % file.stream(text)
    yield "huge", _document(file, file.add(huge))
    picture = b"/Type/XObject/Subtype/Image/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB"
    file = PdfFile()
    image = file.stream(zlib.compress(b"\0" * 10_000_000), picture + b"/Filter/FlateDecode")
    yield "picture", _document(file, _page(file, file.stream(b"/I Do"), b"/XObject<</I %d 0 R>>" % image))


# ---------------------------------------------------------------------- compound files and others


def _compounds() -> Iterator[Hostile]:
    made = bytearray(Word([paragraph(WORDS) for _ in range(500)]).packed())
    for at in range(len(made) - 1024, len(made) - 4, 4):
        if made[at : at + 4] not in (b"\xff\xff\xff\xff", b"\xfe\xff\xff\xff", b"\xfd\xff\xff\xff"):
            pack_into("<I", made, at, 0)
    yield Hostile("chain.doc", TYPES["doc"], bytes(made))
    streams = Word([paragraph("x" * 10_000)]).streams()
    stream = bytearray(streams["WordDocument"])
    pack_into("<8i", stream, 0x4C, *[0x7FFFFFFF] * 8)
    yield Hostile("counts.doc", TYPES["doc"], compound({**streams, "WordDocument": bytes(stream)}))
    pack_into("<93Q", stream, 0x9A, *[0x00100000_00000000] * 93)
    yield Hostile("places.doc", TYPES["doc"], compound({**streams, "WordDocument": bytes(stream)}))
    yield Hostile("fields.doc", TYPES["doc"], Word([paragraph("\x13 HYPERLINK " * 20_000 + "\x15" * 20_000)]).packed())
    inner = record(0x0FA0, b"x")
    for _ in range(3_000):
        inner = record(0x03EE, b"", inner)
    yield Hostile("records.ppt", TYPES["ppt"], compound({"PowerPoint Document": inner}))
    many = record(0x0FF0, b"", record(0x03F3, pack("<IIiII", 2, 0, 0, 256, 0)) * 50_000)
    yield Hostile("slides.ppt", TYPES["ppt"], ppt([slide(box(1, WORDS * 1_000)), many]))
    packed = pack("<II4sI", 1 << 20, 0xFFFFFFFF, b"LZFu", 0) + b"\xff" * (1 << 20)
    yield Hostile("packed.msg", TYPES["msg"], message({0x1009: packed, 0x0037: "x"}))
    parts: dict[str, bytes] = {}
    for at in range(300):
        parts |= message_streams(
            {0x3707: f"{at}.zip", 0x3701: zipped({"x": b"\0" * 100_000})}, path=f"__attach_version1.0_#{at:08X}/"
        )
    yield Hostile("attached.msg", TYPES["msg"], message({0x0037: "x"}, parts=parts))
    yield Hostile(
        "corner.xls", TYPES["xls"], xls({f"S{at}": [[], *[[]] * 65_000, [*[""] * 255, "x"]] for at in range(1)})
    )


def _texts() -> Iterator[Hostile]:
    yield Hostile("braces.rtf", TYPES["rtf"], b"{\\rtf1 " + b"{" * 300_000)
    yield Hostile("fields.rtf", TYPES["rtf"], b"{\\rtf1 " + b'{\\field{\\*\\fldinst HYPERLINK "' * 20_000)
    yield Hostile("binary.rtf", TYPES["rtf"], b"{\\rtf1 x\\bin9999999999 y}")
    yield Hostile("cells.rtf", TYPES["rtf"], b"{\\rtf1 " + b"\\cell" * 100_000 + b"\\row}")
    yield Hostile("notes.rtf", TYPES["rtf"], b"{\\rtf1 x" + b"{\\footnote " * 20_000)
    yield Hostile("parts.eml", TYPES["eml"], _letter(500))
    yield Hostile("deep.json", "application/json", b"[" * 500_000)
    yield Hostile("deep.ipynb", TYPES["ipynb"], b'{"nbformat":4,"cells":' + b"[" * 500_000)
    yield Hostile("empty", "", b"")
    yield Hostile("random", "", random.Random(1).randbytes(50_000))


def _letter(depth: int) -> bytes:
    made = b"From: a\nContent-Type: text/plain\n\nx"
    for number in range(depth):
        head = b'From: a\nContent-Type: multipart/mixed; boundary="b%d"\n\n' % number
        made = head + b"--b%d\n" % number + made + b"\n--b%d--\n" % number
    return made
