"""One canonical form for every address: two spellings of one resource become one row.

The parser is ada-url: it follows the WHATWG standard to the letter, as browsers do, and is four
times faster than urllib. On top of it we do only what RFC 3986 section 6.2.2 calls safe: escapes of
unreserved octets are decoded, other escapes are written in capitals. The fragment and the user
information go, because a crawler never sends them.

A page has about 150 links and most are plain ASCII with nothing to mend. One regular expression
finds those and puts them behind the right part of the base; only the others are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_letters, digits, hexdigits, punctuation
from urllib.parse import quote

import ada_url

from gossamer.errors import InvalidURL
from gossamer.lazy import pattern
from gossamer.printable import repeated

LONGEST = 16_384
"""Characters. Servers refuse requests of half that size; what is longer is no address but a trap."""

FRAGMENT_LONGEST = 500
"""Characters. A longer one names no place in a page; programs keep their state there."""
_IN_FRAGMENT = punctuation.translate(dict.fromkeys(map(ord, '"<>`')))
_PLAIN_FRAGMENT = pattern(rf"[A-Za-z0-9_.:()/=-]{{1,{FRAGMENT_LONGEST}}}+")
"""What stays as it is, as most do."""
_LINE_ENDS = str.maketrans("", "", "\t\n\r")

_UNRESERVED = frozenset(f"{ascii_letters}{digits}-._~")
_OCTETS = {
    f"%{high}{low}": octet if (octet := chr(int(high + low, 16))) in _UNRESERVED else f"%{high}{low}".upper()
    for high in hexdigits
    for low in hexdigits
}
# After a stray percent sign (`%%41`, `%4%31`) nothing is decoded: the result would be a new escape.
_ESCAPE = pattern(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")

# What stands in a plain address as it is, and may stay: in paths and queries, and escaped.
_IN_NAME = r"A-Za-z0-9_~!$&()*+,;=@.\-"
_IN_PATH = rf"[{_IN_NAME}':/]*+"
_IN_QUERY = rf"[{_IN_NAME}:/?]*+"
_ESCAPED = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_QUERY = rf"\?{_IN_QUERY}(?:{_ESCAPED}{_IN_QUERY}|(?!))*+"
_PATH = rf"{_IN_PATH}(?:{_ESCAPED}{_IN_PATH}|(?!))*+(?:{_QUERY})?+"
# A last label of letters cannot be the end of an IPv4 address; `xn--` would have to be checked.
_HOST = r"(?![^/]*xn--)[a-z0-9._-]*\.[a-z]{2,}"
_PLAIN = pattern(
    rf"(?:(https?://{_HOST}/{_PATH})|(//{_HOST}/{_PATH})|(/(?!/){_PATH})"
    rf"|((?!\.)[{_IN_NAME}']++(?!:){_PATH})|({_QUERY})|(?!))?+(?:#.*)?+",
    re.DOTALL,
)
_ABSOLUTE, _ROOTED, _RELATIVE = 1, 3, 4
"""Groups of the pattern, and what comes before each."""


def normalize(url: str, base: str | None = None) -> str:
    """The canonical form of an http or https address, joined to `base` if that is given."""
    canonical = _plain(url) or _canonical(url, base)
    if canonical is None:
        raise InvalidURL(_complaint(url, base))
    return canonical


def _plain(url: str) -> str | None:
    """The canonical form of an address with nothing to mend, by the short way; None for all others."""
    if len(url) <= LONGEST and "/." not in url and (plain := _PLAIN.fullmatch(url)) and plain.lastindex == _ABSOLUTE:
        return plain[_ABSOLUTE]
    return None


def is_too_long(url: str, base: str | None = None) -> bool:
    """Would it be an address if it were not longer than `LONGEST`, as it is or once it is written out?"""
    if len(url) > LONGEST:
        return True
    href = _parse(url, base)
    return href is not None and href.startswith(("http://", "https://")) and _canonical(url, base) is None


def resolve(hrefs: Iterable[str], base: str) -> list[str | None]:
    """The links of one page in canonical form, in order; None for what is no http or https address."""
    return list(map(Resolved(base).__getitem__, hrefs))


def fragment(href: str) -> str:
    """The place in a page that a link names, with its `#`, for readers: a crawler never sends it. Empty for none.

    Written as the WHATWG standard does, so that an address stays one with it.
    """
    place = href.partition("#")[2]
    if _PLAIN_FRAGMENT.fullmatch(place):
        return f"#{place}"
    place = place.translate(_LINE_ENDS)
    if not place or len(place) > FRAGMENT_LONGEST:
        return ""
    return "#" + quote(place, safe=_IN_FRAGMENT, errors="replace")


def to_ascii(name: str) -> str:
    """A host name in its ASCII form (UTS 46); empty when there is none."""
    try:
        return ada_url.idna_to_ascii(_scalars(name)).decode("ascii")
    except ValueError:
        return ""


def to_unicode(name: str) -> str:
    """A host name as people read it; what is no valid `xn--` label stays as it is."""
    return ada_url.idna_to_unicode(name) if "xn--" in name and name.isascii() else name


class Resolved(dict[str, str | None]):
    """Hrefs of one page and what they mean. A quarter of them stand there more than once, and a third differ from
    others only in the fragment."""

    def __init__(self, base: str) -> None:
        self.page = page = _plain(base) or _canonical(base, None)
        if page is not None:
            path, _, _ = page.partition("?")
            scheme, _, authority, _ = page.split("/", 3)
            directory = path[: path.rindex("/") + 1]
            self._before = (page, "", scheme, f"{scheme}//{authority}", directory, path)

    def __missing__(self, href: str) -> str | None:
        bare, mark, _ = href.partition("#")
        self[href] = url = self[bare] if mark and len(href) <= LONGEST else self._resolve(href)
        return url

    def _resolve(self, href: str) -> str | None:
        if href.startswith("../") and self.page is not None:
            return self._above(href)
        if len(href) > LONGEST or "/." in href or self.page is None or not (plain := _PLAIN.fullmatch(href)):
            return _canonical(href, self.page)
        group = plain.lastindex
        url = self._before[group] + plain[group] if group else self.page
        return url if len(url) <= LONGEST else None

    def _above(self, href: str) -> str | None:
        """Half of the links of documentation lead to the directory above, or further."""
        directory, name = self._before[_RELATIVE], href
        while name.startswith("../"):
            name = name[3:]
            directory = directory[: max(directory.rindex("/", 0, -1) + 1, len(self._before[_ROOTED]) + 1)]
        if "/." in name or not (plain := _PLAIN.fullmatch(name)) or plain.lastindex != _RELATIVE:
            return _canonical(href, self.page)
        url = directory + plain[_RELATIVE]
        return url if len(url) <= LONGEST and len(href) <= LONGEST else None


def _canonical(url: str, base: str | None) -> str | None:
    if len(url) > LONGEST:
        return None
    href = _parse(url, base)
    if href is None or not href.startswith(("http://", "https://")):
        return None
    href, _, _ = href.partition("#")
    if "@" in href:
        href = _without_user(href)
    if "%" in href:
        href = _ESCAPE.sub(lambda escape: _OCTETS[escape[0]], href)
    return href if len(href) <= LONGEST else None


def _parse(url: str, base: str | None) -> str | None:
    try:
        if base is None:
            return ada_url.normalize_url(_scalars(url))
        return ada_url.join_url(_scalars(base), _scalars(url))
    except ValueError:
        return None


def _scalars(text: str) -> str:
    """Lone surrogates become U+FFFD, as the standard's strings have it."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_user(href: str) -> str:
    scheme, _, authority, rest = href.split("/", 3)
    return f"{scheme}//{authority.rpartition('@')[2]}/{rest}"


def _complaint(url: str, base: str | None) -> str:
    shown = repr(repeated(url, 100))
    if len(url) > LONGEST:
        return f"{shown} has {len(url)} characters and is no usable address; the limit is {LONGEST}"
    href = _parse(url, base)
    if href is not None and not href.startswith(("http://", "https://")):
        return f"{shown} cannot be crawled; only addresses that begin with http:// or https:// can"
    if href is not None:
        return f"{shown} is longer than {LONGEST} characters once it is written out; shorten it"
    if base is None and "://" not in url and _parse(f"https://{url}", None) is not None:
        return f"{shown} does not say how to get there; write https:// or http:// before it"
    return f"{shown} is not an address; check its host name and port"
