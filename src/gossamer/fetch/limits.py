"""How much of anything a server may have of us: seconds, bytes, lines and layers, always on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gossamer.model import HTML, Kind

_MIB = 1024 * 1024

_TEXT = frozenset({"", "application/xml", "application/json", "application/javascript"})
_TEXT_ENDINGS = ("+xml", "+json")
MEDIA = (
    "image/*",
    "audio/*",
    "video/*",
    "font/*",
    "application/font-*",
    "application/vnd.ms-fontobject",
    "application/ogg",
)
SOFTWARE = (
    "application/x-iso9660-image",
    "application/x-apple-diskimage",
    "application/x-msdownload",
    "application/x-rpm",
    "application/vnd.debian.binary-package",
    "application/vnd.android.package-archive",
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The defaults are those of a polite crawler of the open web."""

    connect: float = 10.0
    """Seconds until a connection stands, TLS included: libcurl has one timer for both."""
    first_byte: float = 20.0
    """Seconds from the request to the first line of the answer."""
    idle: float = 20.0
    """Seconds without a new header line or a new byte of the body."""
    total: float = 120.0
    """Seconds for one request, connection and body included."""
    slow_rate: int = 500
    """Bytes a second; an answer that stays below it for `slow_seconds` is given up."""
    slow_seconds: float = 30.0

    head_bytes: int = 64 * 1024
    head_lines: int = 200
    interim: int = 10
    """Answers of the 1xx kind before the real one."""

    html: int = 5 * _MIB
    """Decoded bytes of an HTML page."""
    text: int = 10 * _MIB
    """Decoded bytes of other text, and of what is coded and came without a media type."""
    document: int = 64 * _MIB
    """Decoded bytes of everything else."""
    requisite: int = 32 * _MIB
    """Decoded bytes of what a page needs, whatever it is."""
    sitemap: int = 50 * _MIB
    """Decoded bytes of a sitemap, as sitemaps.org allows."""
    robots: int = 512_000
    """Decoded bytes of robots.txt; RFC 9309 asks for at least 500 KiB."""
    framing: int = _MIB
    """Bytes that chunk sizes, trailers and coding headers may add on the wire."""

    ratio: int = 200
    """A body may grow this many times when decoded, once it is longer than `ratio_after`."""
    ratio_after: int = _MIB
    layers: int = 2
    """Content codings one upon the other."""

    bandwidth: int = 0
    """Bytes a second for each request; 0 is no limit. With one request at a time for a host, as
    is the default, this is the limit of the site."""
    kept_connections: int = 256
    """Idle connections held open for the next request."""

    skip_types: tuple[str, ...] = (*MEDIA, *SOFTWARE)
    """Media types whose body is not downloaded: the transfer ends after the head. A `*` at the
    end stands for anything. robots.txt and sitemaps are read whatever they are called."""

    def cap(self, kind: Kind, media_type: str) -> int:
        """Decoded bytes that are kept of a body."""
        if kind is Kind.RESOURCE:
            return min(self._page_cap(media_type), self.requisite)
        if kind in (Kind.PAGE, Kind.PROBE):
            return self._page_cap(media_type)
        return self.robots if kind is Kind.ROBOTS else self.sitemap

    def _page_cap(self, media_type: str) -> int:
        if media_type in HTML:
            return self.html
        if media_type.startswith("text/") or media_type in _TEXT or media_type.endswith(_TEXT_ENDINGS):
            return self.text
        return self.document

    def skips(self, kind: Kind, media_type: str) -> bool:
        """Whether the body stays where it is."""
        return kind in (Kind.PAGE, Kind.PROBE) and _listed(media_type, self.skip_types)


@lru_cache(maxsize=1024)
def _listed(media_type: str, patterns: tuple[str, ...]) -> bool:
    return any(
        media_type.startswith(pattern[:-1]) if pattern.endswith("*") else media_type == pattern for pattern in patterns
    )
