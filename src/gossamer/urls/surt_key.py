"""The key under which archives file an address: SURT, as CDX indexes have it.

Replay tools look captures up by this key, so it must equal theirs, and theirs goes further than our
canonical form: it folds case, drops `www`, session ids and trailing slashes, and sorts parameters.
It is made in three steps, each a published convention:
1. `split` cuts the address up, and mends what people get wrong before the host;
2. `unfold` undoes the disguises listed in Google's Safe Browsing documentation ("URLs and Hashing");
3. `fold` merges what the Internet Archive holds for one page.
It is one-way and lossy, good for look-up only; `keys.row` is the exact one.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from gossamer.errors import InvalidURL
from gossamer.lazy import pattern
from gossamer.urls.normalize import LONGEST
from gossamer.urls.rules import SESSION_SEGMENT

DEFAULT_PORTS = {"http": 80, "https": 443}

_LONGEST_NAME = 512  # bytes; no host has more, and the codec takes seconds for what is far longer
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
_BREAKS = pattern(r"[\t\r\n]")
_NESTED = pattern(r"^(?:https?:/*)+(?=https?:/)")
_PARTS = pattern(r"(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_AUTHORITY = pattern(r"(?:.*@)?(?:\[([^\]]*)\]|([^:@]*))(?::([0-9]{0,5}))?", re.DOTALL)
_UNSAFE = pattern(rb"[^!-~]|[#%]")
_DOTS = pattern(rb"\.{2,}")
_IPV4 = pattern(r"[0-9]{1,20}(?:\.[0-9]{1,20}){0,3}")
_WWW = pattern(r"^www[0-9]*\.")
_SESSION_PATH = pattern(rf"/(?:{SESSION_SEGMENT})(?=/)")
_SESSION_QUERY = pattern(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    r"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)",
    re.IGNORECASE,
)


class Parts(NamedTuple):
    """An address cut up. An empty query (`?` at the end) differs from none; so does a fragment."""

    scheme: str
    host: str
    port: int
    path: str
    query: str | None = None
    fragment: str | None = None

    def __str__(self) -> str:
        path = self.path or ("/" if self.host and (self.query or self.fragment) else "")
        query = f"?{self.query}" if self.query or (self.query == "" and self.fragment is None) else ""
        fragment = f"#{self.fragment}" if self.fragment else ""
        place = f"//{self.host}{_colon(self.port)}" if self.host else ""
        return f"{self.scheme}:{place}{path}{query}{fragment}"


def surt(url: str | None, *, with_scheme: bool = False, trailing_comma: bool = False, host_massage: bool = True) -> str:
    """The key of an address in a CDX index: `com,example)/path?query`.

    Records that are about no host (`dns:`, `warcinfo:`, `mailto:`) keep their shape; nothing is `-`.
    """
    if not url:
        return "-"
    if url.startswith(("filedesc:", "warcinfo:")):
        return url
    parts = fold(unfold(split(url)), host_massage=host_massage)
    tail = parts.path + ("" if parts.query is None else f"?{parts.query}")
    if not parts.host:
        return f"{parts.scheme}:{tail}"
    before = f"{parts.scheme}://(" if with_scheme else ""
    place = ",".join(reversed(parts.host.split("."))) + _colon(parts.port)
    return f"{before}{place}{',' if trailing_comma else ''}){tail}"


def split(url: str) -> Parts:
    """Cut an address up; a missing or doubled scheme and a wrong number of slashes are mended."""
    if len(url) > LONGEST:
        raise InvalidURL(f"the address has {len(url)} characters; the limit is {LONGEST}")
    scheme, rest = _scheme(_NESTED.sub("", _BREAKS.sub("", url.strip())))
    mended = scheme.lower() in DEFAULT_PORTS and (rest[:2] != "//" or rest[2:3] == "/")
    cut = _PARTS.fullmatch(f"//{rest.lstrip('/')}" if mended else rest)
    place = _AUTHORITY.fullmatch(cut[1] or "") if cut else None
    if not cut or not place or int(place[3] or 0) > 65_535:
        raise InvalidURL(f"{url[:100]!r} has no usable port; write host:port with a number up to 65535")
    path = cut[2] or ("/" if mended else "")
    return Parts(scheme, place[1] or place[2] or "", int(place[3] or 0), path, cut[3], cut[4])


def unfold(parts: Parts) -> Parts:
    """Undo nested escapes, dot segments, doubled slashes and odd spellings of IPv4 addresses."""
    path = unescape(parts.path)
    return parts._replace(
        host=_plain_host(parts.host),
        path=_escape(_plain_path(path) if parts.host else path),
        # An escaped ampersand is part of a value; unescaped it would begin a new parameter.
        query=parts.query and "%26".join(_escape(unescape(value)) for value in parts.query.split("%26")),
        fragment=None,
    )


def fold(parts: Parts, *, host_massage: bool = True, query_lowercase: bool = True) -> Parts:
    """Merge the addresses under which one page is usually archived."""
    host = parts.host.lower()
    query = strip_query_session(parts.query or "")
    return parts._replace(
        host=strip_www(host) if host_massage else host,
        port=0 if parts.port == DEFAULT_PORTS.get(parts.scheme.lower()) else parts.port,
        path=_strip_slash(strip_path_session(parts.path).lower()),
        query=sort_query(query.lower() if query_lowercase else query) or None,
    )


def unescape(text: str) -> bytes:
    """Undo percent-encoding until nothing is left to undo."""
    data = text.encode("utf-8", "replace")
    while b"%" in data and (plain := unquote_to_bytes(data)) != data:
        data = plain
    return data


def dotted(host: str) -> str | None:
    """The usual spelling of an IPv4 address given as one to four numbers, decimal or octal."""
    if not _IPV4.fullmatch(host):
        return None
    try:
        *heads, last = (int(part, 8 if part.startswith("0") else 10) for part in host.split("."))
    except ValueError:
        return None
    if any(head > 255 for head in heads) or (len(heads) == 3 and last > 255):
        return None
    last_bytes = (last % (1 << 32)).to_bytes(4, "big")[len(heads) :]
    return ".".join(map(str, (*heads, *last_bytes)))


def sort_query(query: str) -> str:
    """Parameters by name, then by value."""
    return "&".join(sorted(query.split("&"), key=lambda piece: piece.partition("=")))


def strip_www(host: str) -> str:
    """A host without `www.`, `www2.` and the like."""
    return _WWW.sub("", host)


def strip_path_session(path: str) -> str:
    """A path without the session ids that ASP.NET keeps there."""
    head, aspx, tail = path.rpartition(".aspx")
    return f"{_SESSION_PATH.sub('', head)}{aspx}{tail}"


def strip_query_session(query: str) -> str:
    """A query without the session ids of the usual servers."""
    return _SESSION_QUERY.sub("", query)


def _scheme(text: str) -> tuple[str, str]:
    found = _SCHEME.match(text)
    return (found[1], text[found.end() :]) if found else ("http", f"//{text.lstrip(':/')}")


def _colon(port: int) -> str:
    return f":{port}" if port else ""


def _strip_slash(path: str) -> str:
    return path[:-1] if len(path) > 1 and path.endswith("/") else path


@lru_cache(maxsize=4_096)
def _plain_host(host: str) -> str:
    name = unescape(host)
    if len(name) <= _LONGEST_NAME:
        with suppress(UnicodeError):  # what is no name in any script stays as it is
            name = name.decode().encode("idna")
    name = _DOTS.sub(b".", name).strip(b".").lower()
    return dotted(name.decode("latin-1")) or _escape(name)


def _plain_path(path: bytes) -> bytes:
    """Dot segments resolved; one that would climb above the root stays, as archives have it."""
    segments = path.split(b"/")[1:]
    kept: list[bytes] = []
    for segment in segments:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    names = list(filter(None, kept))
    ends_in_slash = names and segments[-1] in (b"", b".", b"..")
    return b"/" + b"/".join(names) + (b"/" if ends_in_slash else b"")


def _escape(data: bytes) -> str:
    return _UNSAFE.sub(lambda found: b"%%%02X" % ord(found[0]), data).decode("ascii")
