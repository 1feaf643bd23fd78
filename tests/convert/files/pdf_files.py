"""Makes small PDF files: text at places, links, notes, an outline, attached files."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

Text = tuple[float, float, float, str]
"""From the left, from below, size, words."""


@dataclass
class PdfFile:
    """Objects by number; the first is the catalogue."""

    objects: list[bytes] = field(default_factory=lambda: [b""])

    def add(self, content: bytes) -> int:
        self.objects.append(content)
        return len(self.objects)

    def stream(self, data: bytes, extra: bytes = b"") -> int:
        return self.add(b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(data), extra, data))

    def packed(self, trailer: bytes = b"") -> bytes:
        out, places = b"%PDF-1.7\n", []
        for number, content in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        size = len(self.objects) + 1
        end = b"trailer <</Size %d/Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF" % (size, trailer, len(out))
        return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def drawn(texts: Sequence[Text]) -> bytes:
    """The content of a page."""
    parts = []
    for left, base, size, words in texts:
        escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")
        parts.append(b"BT /F1 %g Tf %g %g Td (%s) Tj ET" % (size, left, base, escaped))
    return b"\n".join(parts)


def pdf(
    *pages: Sequence[Text],
    annotations: Sequence[bytes] = (),
    outline: Sequence[str] = (),
    info: bytes = b"",
    contents: bytes | None = None,
) -> bytes:
    """A file of these pages; annotations lie on the first, `contents` takes the place of its text."""
    file = PdfFile()
    font = file.add(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    notes = b" ".join(b"%d 0 R" % file.add(each) for each in annotations)
    kids, parent = [], len(file.objects) + 2 * len(pages) + 1
    for number, texts in enumerate(pages):
        packed = zlib.compress(drawn(texts) if contents is None or number else contents)
        content = file.stream(packed, b"/Filter/FlateDecode")
        extra = b"/Annots[%s]" % notes if not number else b""
        kids.append(
            file.add(
                b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 %d 0 R>>>>/Contents %d 0 R%s>>"
                % (parent, font, content, extra)
            )
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    assert file.add(b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), listed)) == parent
    marks = _outline(file, outline, kids[0]) if outline else b""
    file.objects[0] = b"<</Type/Catalog/Pages %d 0 R%s>>" % (parent, marks)
    about = b"/Info %d 0 R" % file.add(b"<<%s>>" % info) if info else b""
    return file.packed(about)


def _outline(file: PdfFile, titles: Sequence[str], page: int) -> bytes:
    root = len(file.objects) + len(titles) + 1
    first = len(file.objects) + 1
    for number, title in enumerate(titles):
        following = b"/Next %d 0 R" % (first + number + 1) if number + 1 < len(titles) else b""
        file.add(b"<</Title(%s)/Parent %d 0 R/Dest[%d 0 R/Fit]%s>>" % (title.encode(), root, page, following))
    file.add(b"<</First %d 0 R/Last %d 0 R/Count %d>>" % (first, root - 1, len(titles)))
    return b"/Outlines %d 0 R" % root


def link(box: tuple[float, float, float, float], uri: str) -> bytes:
    """A link that lies on a place of a page: left, low, right, high."""
    place = b"%g %g %g %g" % box
    return b"<</Type/Annot/Subtype/Link/Rect[%s]/A<</S/URI/URI(%s)>>>>" % (place, uri.encode())


def column(left: float, lines: Sequence[str], *, top: float = 700, step: float = 12, size: float = 10) -> list[Text]:
    """Lines below each other."""
    return [(left, top - step * number, size, line) for number, line in enumerate(lines)]
