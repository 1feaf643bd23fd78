"""How is a page that is not trusted dressed, if it may load nothing? What it needs becomes a part of it, as data URLs.

Pictures, stylesheets with all that they import, and fonts are put into the page itself, as far as they were kept. So
the browser needs no address from which it might load anything, not even one of ours, and the policy that forbids it
stays. What all of it may add to a page is bounded: the rest is left out, as it was before.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from gossamer.convert import stylesheet
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode
from gossamer.convert.type import mime
from gossamer.urls import resolve

ALL_MOST = 24 << 20
"""Bytes that are put into a page, like the next."""
ONE_MOST = 4 << 20
READ_MOST = 96 << 20
"""Bytes that are looked at, also those of what is too large in the end: somebody waits for the page."""
NUMBER_MOST = 2_000
"""Pictures, fonts and stylesheets, each as often as it stands there."""
DEEPEST = 5
"""Stylesheets that import each other."""
_SHOWN = re.compile(
    r"image/(?:apng|avif|bmp|gif|jpeg|png|svg\+xml|webp|x-icon|vnd\.microsoft\.icon)"
    r"|font/(?:otf|sfnt|ttf|woff2?)|application/(?:x-)?font-[a-z0-9-]{1,30}"
)
_MEDIA = re.compile(r"[\w\s(),.:/<>=-]{1,200}")
CSS = "text/css"


class Held(NamedTuple):
    """What an address has answered."""

    url: str
    """Where it was in the end: redirects are followed."""
    data: bytes
    media_type: str
    said: str
    """Its Content-Type as it came."""


Holder: TypeAlias = Callable[[str], Held | None]
"""What was kept of an address; None where nothing was."""


class Dress:
    """Of one page."""

    def __init__(self, held: Holder = lambda url: None) -> None:
        self._held = held
        self._room = ALL_MOST
        self._unread = READ_MOST
        self._number = NUMBER_MOST

    def picture(self, address: str, base: str) -> str:
        """A picture or a font as a data URL; nothing where there is none."""
        found = self._find(address, base)
        if found is None or not _SHOWN.fullmatch(found.media_type) or not self._has_room(len(found.data) * 4 // 3):
            return ""
        return f"data:{found.media_type};base64,{b64encode(found.data).decode('ascii')}"

    def sheet(self, address: str, base: str, media: str = "") -> str:
        """A stylesheet, with all that it imports."""
        return _for_media(self._sheet(address, base, ()), media)

    def style(self, css: str, base: str, above: tuple[str, ...] = ()) -> str:
        """A style with its pictures in it. What it imports stands in the place of the rule; what follows there, for
        which screens it is meant, is passed over."""

        def means(asked: stylesheet.Asked) -> str:
            if asked.address[:5].lower() == "data:":
                return css[asked.start : asked.end]
            if asked.place == stylesheet.IMPORT:
                imports.append(self._sheet(asked.address, base, above))
                return '""'
            found = self.picture(asked.address, base)
            return f'url("{found}")' if found else "none"

        imports: list[str] = []
        put = stylesheet.rewritten(css, means)
        return "\n".join((*imports, put))

    def _sheet(self, address: str, base: str, above: tuple[str, ...]) -> str:
        found = self._find(address, base) if len(above) < DEEPEST else None
        if found is None or found.url in above or found.media_type != CSS or not self._has_room(len(found.data)):
            return ""
        css = decode(found.data, judged(found.data, mime.parse(found.said)).used)
        return self.style(css, found.url, (*above, found.url))

    def _find(self, address: str, base: str) -> Held | None:
        (url,) = resolve([address], base) if address.strip() else (None,)
        if url is None or self._number <= 0 or self._room <= 0 or self._unread <= 0:
            return None
        self._number -= 1
        found = self._held(url)
        self._unread -= len(found.data) if found is not None else 0
        return found

    def _has_room(self, octets: int) -> bool:
        fits = octets <= min(self._room, ONE_MOST)
        self._room -= octets if fits else 0
        return fits


def _for_media(css: str, media: str) -> str:
    return f"@media {media} {{{css}\n}}" if css and media.strip() and _MEDIA.fullmatch(media) else css
