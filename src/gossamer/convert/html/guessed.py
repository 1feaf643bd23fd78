"""Which addresses stand in a page without being links? In its scripts and their data, data attributes and comments.

They are guesses: a string that is assigned to a location, or ends like the name of a page, may be an address or not. So
they are no links of the page, and count for nothing that links count for; a crawl tries them last, and learns whether
they bring anything. Only addresses of the same host are guessed: what scripts name elsewhere counts visitors or brings
advertisements.

Nothing is parsed: bytes are searched for a few words first, which most pages do not have, and only what is around them
is looked at. Links in comments are left out, because somebody has taken them out; addresses in what a comment says are
not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import unescape

from gossamer.convert.html.scan import Hint
from gossamer.lazy import pattern
from gossamer.model import Link
from gossamer.outlinks import targets
from gossamer.urls import keys, resolve

DATA, SCRIPT, JSON, COMMENT = "data", "script", "json", "comment"
"""Where a guess stood: the place of its `Link`."""
ENOUGH = 60
"""Links of a page that needs no guesses: who writes so many writes the others too. It saves most of the time."""
GUESSES_MOST = 100
"""Of a page."""
_STRINGS_MOST = 2_000
"""Strings that are looked at."""
_CODE_MOST = 256 << 10
"""Bytes of scripts that are searched."""
_SCRIPT_MOST = 8 << 10
"""Bytes of a script that may say where to go. Larger ones are libraries, or count visitors."""
_OPEN, _CLOSE = b"<script", b"</script"
_DATA = pattern(rb"""data-(?:href|url|link|uri|target-url)\s*+=\s*+(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})')""")
_HANDLER = pattern(rb""" on[a-z]{4,12}\s*+=\s*+(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})')""")
_PROTOCOL = pattern(rb"""javascript:([^"<>]{1,2000}+)""")
_MEANT = (b"location", b".open", b".href", b".action")
_GOES = pattern(
    rb"""(?:location(?:\.href)?\s*+=|location\.(?:assign|replace)\s*+\(|\.open\s*+\(|\.href\s*+=|\.action\s*+=)\s*+"""
    rb"""((?:"[^"\\\n]{0,1000}+"|'[^'\\\n]{0,1000}+')(?:\s*+\+\s*+(?:"[^"\\\n]{0,1000}+"|'[^'\\\n]{0,1000}+')|(?!))*+)"""
    rb"""(?!\s*+\+)"""
)
_COMMENT_MOST = 2_000
"""Bytes of a comment that says something; longer ones are pieces of the page."""
_RUN = pattern(rb"""[^\s"'()]{8,1000}+""")
_WHOLE, _PAGES = (b"http://", b"https://"), (b".php", b".htm", b".html", b".asp", b".aspx", b".jsp", b".cfm")
_QUOTED = pattern(rb""""([^"]*+)"|'([^']*+)'""")
_NAMED = pattern(rb"""\.(?:php|html?|aspx?|jspx?|cfm)(?:\?[^"'\s<>\\]{0,500}+)?(["'])(?!\s*+\+)""")
"""The end of a string that ends like the name of a page."""
_NAME_MOST = 500
_PLAIN = pattern(rb"""[^"'\s<>\\]++""")
_ENDINGS = (b".php", b".htm", b".asp", b".jsp", b".cfm")
_VALUE = pattern(rb""""((?:https?:\\?/)?\\?/[^"\s<>{}\[\]$*|^`]{1,1000}+)"(?=\s*+[,}\]])""")
"""A value in JSON that is a path or an address."""
_ADDRESS = pattern(r"(?:https?://|/(?!/)|\.{1,2}/|\?|[\w~%-])[^\s<>\"'{}|\\^`\[\]]*+", re.IGNORECASE)
_STATIC = pattern(
    r"\.(?:js|mjs|css|map|json|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|eot|mp[34]|webm|m4a|ogg|wasm|txt|xml)\Z",
    re.IGNORECASE,
)


def guessed(page: bytes, hints: Hint, base: str, links: Sequence[Link]) -> tuple[Link, ...]:
    """The addresses that a page in UTF-8 may mean besides its links, each once. `hints` say where to look."""
    if len(links) >= ENOUGH or not base.startswith("http"):
        return ()
    strings = list(_strings(page, hints))
    if not strings:
        return ()
    known = {base.partition("#")[0], *targets(links).urls}
    return tuple(_addresses(strings, base, known))


def _addresses(strings: list[tuple[str, str]], base: str, known: Collection[str]) -> Iterator[Link]:
    host, found = keys.authority(base), set(known)
    urls = resolve([text for text, _ in strings], base)
    for url, (_, place) in zip(urls, strings, strict=True):
        if url is None or url in found or keys.authority(url) != host or _STATIC.search(url.partition("?")[0]):
            continue
        found.add(url)
        yield Link(url, place=place)
        if len(found) - len(known) >= GUESSES_MOST:
            return


def _strings(page: bytes, hints: Hint) -> Iterator[tuple[str, str]]:
    """What may be addresses, each with where it stood."""
    met: dict[str, str] = {}
    for text, place in _written(page, hints):
        text = unescape(text).strip()
        if text not in met and _ADDRESS.fullmatch(text):
            met[text] = place
            if len(met) >= _STRINGS_MOST:
                break
    return iter(met.items())


def _written(page: bytes, hints: Hint) -> Iterator[tuple[str, str]]:
    if hints & Hint.DATA:
        yield from ((_text(found[1] or found[2]), DATA) for found in _DATA.finditer(page))
    if hints & Hint.CODE:
        for found in _HANDLER.finditer(page):
            yield from _in_code(unescape(_text(found[1] or found[2])).encode())
    if hints & Hint.PROTOCOL:
        for found in _PROTOCOL.finditer(page):
            yield from _in_code(unescape(_text(found[1])).encode())
    if hints & Hint.COMMENT:
        yield from ((_text(told), COMMENT) for told in _told_in_comments(page))
    if hints & Hint.SCRIPT:
        small: list[bytes] = []
        for body in _scripts(page):
            begin = body[:80].lstrip()
            if begin[:1] in (b"{", b"[") or b"__" in begin:  # JSON, or as in `window.__INITIAL_STATE__ = `
                yield from ((_unescaped(found[1]), JSON) for found in _VALUE.finditer(body))
            elif len(body) <= _SCRIPT_MOST:
                small.append(body)
        yield from _in_code(b"\n;".join(small))


def _told_in_comments(page: bytes) -> Iterator[bytes]:
    """Whole addresses, and paths that end like the name of a page: others tell which element ends there (`/header`)."""
    at = page.find(b"<!--")
    while at >= 0 and (end := page.find(b"-->", at + 4)) >= 0:
        comment = page[at + 4 : end] if end + 3 - at < _COMMENT_MOST else b""
        for run in _RUN.findall(comment) if b"/" in comment and b"<" not in comment else ():
            told = run.rstrip(b".,;:")
            if told.startswith(_WHOLE) or (told.startswith(b"/") and told.endswith(_PAGES)):
                yield told
        at = page.find(b"<!--", end)


def _scripts(page: bytes) -> Iterator[bytes]:
    """What is in the scripts that stand in the page."""
    room, at = _CODE_MOST, page.find(_OPEN)
    while at >= 0 and room > 0:
        begin = page.find(b">", at)
        end = page.find(_CLOSE, begin)
        if begin < 0 or end < 0:
            return
        if end > begin + 8:
            yield page[begin + 1 : min(end, begin + 1 + room)]
            room -= end - begin
        at = page.find(_OPEN, end)


def _in_code(code: bytes) -> Iterator[tuple[str, str]]:
    """Where a script goes to, and its strings that end like the name of a page."""
    if any(word in code for word in _MEANT):
        for found in _GOES.finditer(code):
            yield "".join(_text(one or other) for one, other in _QUOTED.findall(found[1])), SCRIPT
    if any(ending in code for ending in _ENDINGS):
        for found in _NAMED.finditer(code):
            begin = code.rfind(found[1], max(found.start() - _NAME_MOST, 0), found.start())
            text = code[begin + 1 : found.end() - 1]
            if begin >= 0 and _PLAIN.fullmatch(text) and not code[max(begin - 4, 0) : begin].rstrip().endswith(b"+"):
                yield _text(text), SCRIPT


def _unescaped(data: bytes) -> str:
    """A text of JSON, as far as addresses need it."""
    return _text(data).replace(r"\u0026", "&").replace("\\/", "/")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
