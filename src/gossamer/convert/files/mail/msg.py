"""Letters as Outlook saves them (MSG): [MS-OXMSG], a compound file with a stream for each property.

The text of a letter may be there as HTML, as RTF that was made of HTML, as RTF, and plain; the first of these that is
there is read. A letter that is attached lies within as a storage, and is read the same way.
"""

from __future__ import annotations

from datetime import UTC, datetime
from struct import iter_unpack

from gossamer.convert.files.mail.letter import Attached, Letter, page_of_letter
from gossamer.convert.files.mail.lzfu import unpacked
from gossamer.convert.files.ole import properties
from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, page_of
from gossamer.convert.files.rtf.html import html_within
from gossamer.convert.files.rtf.rtf import SIGNATURE
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
_FOR, _FOR_ADDRESS = 0x0042, 0x0065
_SENT, _DELIVERED = 0x0039, 0x0E06
_BODY, _HTML, _RTF, _CODE_PAGE, _MESSAGE_CODE_PAGE = 0x1000, 0x1013, 0x1009, 0x3FDE, 0x3FFD
_NAME, _ADDRESS, _SMTP, _KIND = 0x3001, 0x3003, 0x39FE, 0x0C15
_FILE, _SHORT_FILE, _DATA, _TYPE = 0x3707, 0x3704, 0x3701, 0x370E
_CONTENT_ID, _LOCATION, _HIDDEN = 0x3712, 0x3713, 0x7FFE
_RECIPIENTS = {1: "To", 2: "Cc"}
_SHOWN = {"To": 0x0E04, "Cc": 0x0E03}
_MANY = 500
"""Recipients and attachments that are looked at."""
_TEXT_MOST = 16 << 20
_NUMBERS = frozenset({0x0003, 0x000B, 0x0040})
"""Types whose values stand in the list of properties itself."""


class _Part:
    """A letter, a recipient or an attachment: something with properties."""

    def __init__(self, compound: Compound, path: tuple[str, ...], header: int, codec: str = "cp1252") -> None:
        self.compound = compound
        self.path = path
        data = compound.stream(*path, "__properties_version1.0", most=1 << 20)[header:]
        rows = iter_unpack("<HHIQ", data[: len(data) // 16 * 16])
        self._numbers = {name: value for kind, name, _, value in rows if kind in _NUMBERS}
        page = self.number(_CODE_PAGE) or self.number(_MESSAGE_CODE_PAGE)
        self.codec = properties.codec_of(page) if page else codec

    def number(self, name: int) -> int:
        return int(self._numbers.get(name, 0))

    def data(self, name: int, kind: str = "0102") -> bytes:
        return self.compound.stream(*self.path, f"__substg1.0_{name:04X}{kind}", most=_TEXT_MOST)

    def text(self, name: int) -> str:
        if wide := self.data(name, "001F"):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        return self.data(name, "001E").decode(self.codec, "replace").rstrip("\0")

    def has(self, name: int, kind: str) -> bool:
        return self.compound.has(*self.path, f"__substg1.0_{name:04X}{kind}")

    def parts(self, name: str) -> list[_Part]:
        """The recipients or attachments of a letter, in order."""
        names = sorted(each for each in self.compound.storage(*self.path) if each.startswith(f"__{name}_version1.0_#"))
        return [_Part(self.compound, (*self.path, each), 8, self.codec) for each in names[:_MANY]]


def read(source: Source) -> Page:
    """What a letter says."""
    try:
        return _read(source, _Part(Compound(source.data), (), 32))
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))


def _read(source: Source, part: _Part) -> Page:
    date = properties.seconds(part.number(_SENT)) or properties.seconds(part.number(_DELIVERED))
    sender = _sender(part)
    fields = (
        ("From", sender),
        *((name, _recipients(part, name)) for name in _SHOWN),
        ("Subject", part.text(_SUBJECT)),
        ("Date", datetime.fromtimestamp(date, UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if date else ""),
    )
    attached = tuple(each for inner in part.parts("attach") if (each := _attached(source, inner)))
    about = About(part.text(_SUBJECT), sender, date)
    return page_of_letter(source, Letter(fields, _body(source, part), attached, about))


def _sender(part: _Part) -> str:
    address = part.text(_SENDER_SMTP) or part.text(_SENDER_ADDRESS) or part.text(_FOR_ADDRESS)
    return _person(part.text(_SENDER) or part.text(_FOR), address)


def _recipients(part: _Part, name: str) -> str:
    people = [
        _person(each.text(_NAME), each.text(_SMTP) or each.text(_ADDRESS))
        for each in part.parts("recip")
        if _RECIPIENTS.get(each.number(_KIND) & 0xF) == name
    ]
    return "; ".join(filter(None, people)) or part.text(_SHOWN[name])


def _person(name: str, address: str) -> str:
    """The address, and the name where it says more. Within one organisation addresses are paths, which say nothing."""
    if "@" not in address:
        return name or address
    return f"{address} ({name})" if name and name.strip("' ") != address else address


def _body(source: Source, part: _Part) -> Page:
    codec = part.codec
    html = part.data(_HTML) or part.data(_HTML, "001F").decode("utf-16-le", "replace").encode()
    rtf = b"" if html else unpacked(part.data(_RTF), _TEXT_MOST)
    if not html and (within := html_within(rtf)):
        html, codec = within.encode(), "utf-8"
    if html:
        return read_within(source, html, "", f"text/html; charset={_label(codec)}")
    if rtf.startswith(SIGNATURE):
        return read_within(source, rtf, "", "application/rtf")
    return read_within(source, part.text(_BODY).encode(), "", "text/plain; charset=utf-8")


def _label(codec: str) -> str:
    """What the web calls an encoding."""
    return codec.replace("cp", "windows-") if codec.startswith("cp125") else codec


def _attached(source: Source, part: _Part) -> Attached | None:
    """A file; nothing for the pictures of a page."""
    name = part.text(_FILE) or part.text(_SHORT_FILE) or part.text(_NAME)
    kind = part.text(_TYPE)
    if kind.startswith("image/") and (part.number(_HIDDEN) or part.text(_CONTENT_ID) or part.text(_LOCATION)):
        return None
    if part.has(_DATA, "000D"):
        letter = _Part(part.compound, (*part.path, f"__substg1.0_{_DATA:04X}000D"), 24, part.codec)
        return Attached(name, _enclosed(source, letter), "text/html; charset=utf-8")
    return Attached(name, part.data(_DATA), kind)


def _enclosed(source: Source, letter: _Part) -> bytes:
    """A letter that lies within, handed on as the tagged text that it has become."""
    if letter.path.count(letter.path[-1]) > 3 or not letter.compound.has(*letter.path, "__properties_version1.0"):
        return b""
    return _read(source, letter).html.encode(errors="replace")
