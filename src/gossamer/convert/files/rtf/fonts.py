"""In which encoding is the text of an RTF file? In that of its font, or else in that of the file."""

from __future__ import annotations

from gossamer.convert.files.ole.properties import codec_of
from gossamer.convert.files.word import symbol

_CHARSETS = {
    77: 10000,
    78: 932,
    79: 949,
    80: 936,
    81: 950,
    128: 932,
    129: 949,
    130: 1361,
    134: 936,
    136: 950,
    161: 1253,
}
_CHARSETS |= {162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850}
"""Code pages by the number that a font has for its characters."""
_SYMBOL = 2


class Fonts:
    """The fonts that the file lists, and its own code page."""

    def __init__(self) -> None:
        self._codecs: dict[int, str] = {}
        self._usual = "cp1252"
        self._now: int | None = None

    def code_page(self, number: int) -> None:
        """The code page of the file."""
        if number:
            self._usual = codec_of(number)

    def begin(self, number: int) -> None:
        """What is said next is about this font."""
        self._now = number

    def charset(self, number: int) -> None:
        """The characters of the font."""
        if self._now is not None and number == _SYMBOL:
            self._codecs[self._now] = "symbol"
        elif self._now is not None and number in _CHARSETS:
            self._codecs[self._now] = codec_of(_CHARSETS[number])

    def page(self, number: int) -> None:
        """The code page of the font."""
        if self._now is not None and number:
            self._codecs[self._now] = codec_of(number)

    def decode(self, data: bytes, font: int | None) -> str:
        """Text in a font. Where it is not valid in the encoding of its font, that of the file may be meant."""
        if data.isascii() and self._codecs.get(font or 0) != "symbol":
            return data.decode("ascii")
        codec = self._codecs.get(font if font is not None else -1, self._usual)
        if codec == "symbol":
            return "".join(map(symbol, data))
        for each in (codec, self._usual):
            try:
                return data.decode(each)
            except UnicodeDecodeError:
                continue
        return data.decode(codec, "replace")
