"""Where does a document point to? Links of HTML elements, of the Link header (RFC 8288) and of refreshes.

A link has its text as anchor; where there is none, the alternative text of its first picture. Links to a place within
the same page (`#top`) are left out. As browsers do, we write what is not ASCII in a query in the encoding of the page.

Where a page sends its reader, and after how long, is said by meta refresh and the Refresh header. The rules are the
HTML standard's "shared declarative refresh steps".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from gossamer.convert.charset.decode import python_codec
from gossamer.convert.html.tree import Node, tag_id, tag_ids
from gossamer.model import Link
from gossamer.urls import resolve

LINKS_MOST = 5_000
ANCHOR_MOST = 500
"""Characters."""
_ANCHORS_MOST = 4_000_000
"""Characters of link texts in all, white space included: in broken pages links stand inside each other."""
_SEARCHED_MOST = 50
"""Elements that are searched for a picture in a link without text."""
_REL_MOST = 200

POINTING = tag_ids("a area frame iframe link meta")
_A, _AREA, _LINK, _META, _IMG = map(tag_id, ("a", "area", "link", "meta", "img"))
_FRAMES = {tag_id(name): name for name in ("frame", "iframe")}
_FOLLOWED = frozenset({"canonical", "alternate", "next", "prev", "previous"})
"""Of all that link elements and Link headers point to, what is a document of its own."""
_HEADER_LINK = re.compile(r"""<([^<>]*+)>((?:[^",<]|"(?:[^"\\]|\\.)*+"?)*+)""", re.DOTALL)
_HEADER_PARAMETER = re.compile(r""";\s*+([^\s=;]++)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^\s;,"]*+)))?+""", re.DOTALL)

Pointer: TypeAlias = tuple[str, str, str, str]
"""An address as it is written, anchor, rel and place: what begins a `model.Link`."""
_SECONDS_MOST = 10**9
_REFRESH = re.compile(
    r"""[\t\n\f\r ]*+ (?: ([0-9]++) [0-9.]*+ | (\.) [0-9.]*+ )
    (?: [\t\n\f\r ]*+ \Z
      | (?: [\t\n\f\r ]*+ [;,] | [\t\n\f\r ] ) [\t\n\f\r ]*+ (.*+) )""",
    re.VERBOSE | re.DOTALL,
)
_ADDRESS = re.compile(
    r"""(?: url [\t\n\f\r ]*+ = [\t\n\f\r ]*+ | (?!) )?+
    (?: "([^"]*+) | '([^']*+) | (.*+) )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DROPPED = str.maketrans("", "", "\t\n\r")
BLANK = "".join(map(chr, range(0x21)))
"""What the URL standard cuts off at both ends of an address."""


def pointers(elements: Iterable[Node], most: int = LINKS_MOST) -> tuple[list[Pointer], bool]:
    """The links of elements of `POINTING`, and whether there were more than `most`."""
    found: list[Pointer] = []
    room = _ANCHORS_MOST
    for node in elements:
        tag = node.tag_id
        attributes = node.attributes
        if tag == _A:
            href = attributes.get("href") or attributes.get("xlink:href")
            if not href or (href := href.strip(BLANK))[:1] in ("#", ""):
                continue
            text = node.text(True, " ") if room > 0 else ""  # deep, with a space between the parts
            room -= len(text)
            rel = attributes.get("rel")
            found.append((href, _collapsed(text) or _picture(node), _types(rel) if rel else "", "a"))
        elif pointer := _other(tag, attributes):
            found.append(pointer)
        if len(found) > most:
            return found[:most], True
    return found, False


def header_pointers(headers: Sequence[str]) -> list[Pointer]:
    """The links of Link header fields that lead to a document of its own."""
    return [
        (href, _collapsed(title), rel, "header")
        for href, rel, title in _header_links(headers)
        if _FOLLOWED.intersection(rel.split())
    ]


def header_relations(headers: Sequence[str]) -> list[tuple[str, str]]:
    """All links of Link header fields: what each is to the document, and its address as it is written."""
    return [(rel, href) for href, rel, _ in _header_links(headers)]


def _header_links(headers: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Address, rel and title. Those about another document (`anchor=`) are left out."""
    for value in headers:
        for href, rest in islice(_HEADER_LINK.findall(value), LINKS_MOST):
            parameters: dict[str, str] = {}
            for name, quoted, plain in _HEADER_PARAMETER.findall(rest):
                parameters.setdefault(name.lower(), plain or re.sub(r"\\(.)", r"\1", quoted))
            if "anchor" not in parameters:
                yield href.strip(BLANK), _types(parameters.get("rel", "")), parameters.get("title", "")


def refresh_pointers(values: Iterable[str]) -> list[Pointer]:
    """The link of a Refresh header or a meta refresh. One that loads the page itself again is none."""
    found = map(parse_refresh, values)
    return [(each.url, "", "", "refresh") for each in found if each is not None and each.url]


def resolved(pointed: Iterable[Pointer], base: str, encoding: str | None) -> list[Link]:
    """The links in canonical form, without those that are no http or https address."""
    pointed = list(pointed)
    return [
        Link(url, anchor, rel, place)
        for url, (_, anchor, rel, place) in zip(addresses(pointed, base, encoding), pointed, strict=True)
        if url is not None
    ]


def addresses(pointed: Sequence[Pointer], base: str, encoding: str | None) -> list[str | None]:
    """Where each link points to, in canonical form; None for what is no http or https address."""
    hrefs = [pointer[0] for pointer in pointed]
    if encoding not in (None, "UTF-8"):
        hrefs = [with_query_in(href, encoding or "") for href in hrefs]
    return resolve(hrefs, base)


def _other(tag: int, attributes: dict[str, str | None]) -> Pointer | None:
    """The link of an element that has no text."""
    if tag == _META:
        if (attributes.get("http-equiv") or "").strip(BLANK).lower() != "refresh":
            return None
        return next(iter(refresh_pointers([attributes.get("content") or ""])), None)
    href = (attributes.get("src" if tag in _FRAMES else "href") or "").strip(BLANK)
    rel = _types(attributes.get("rel") or "")
    if href[:1] in ("#", ""):
        return None
    if tag == _LINK:
        types = rel.split()
        return (href, _collapsed(attributes.get("title") or ""), rel, "link") if _is_followed(types) else None
    if tag == _AREA:
        return href, _collapsed(attributes.get("alt") or ""), rel, "area"
    return href, _collapsed(attributes.get("title") or ""), "", _FRAMES[tag]


def _is_followed(types: list[str]) -> bool:
    return not _FOLLOWED.isdisjoint(types) and "stylesheet" not in types


def _picture(node: Node) -> str:
    """The alternative text of the first picture that has one."""
    for inner in islice(node.traverse(), _SEARCHED_MOST):
        if inner.tag_id == _IMG and (alternative := inner.attributes.get("alt")):
            return _collapsed(alternative)
    return ""


def _collapsed(text: str) -> str:
    text = text.strip()
    if "\n" in text or "  " in text or "\t" in text or "\xa0" in text:
        text = " ".join(text[: 8 * ANCHOR_MOST].split())
    return text[:ANCHOR_MOST]


def _types(rel: str) -> str:
    return " ".join(rel[:_REL_MOST].lower().split())


def with_query_in(href: str, encoding: str) -> str:
    """The address with its query escaped in another encoding than UTF-8. Unicode's own encodings do not count."""
    before, mark, rest = href.partition("?")
    if not mark or href.isascii() or encoding.startswith(("UTF-", "replacement")):
        return href
    query, fragment_mark, fragment = rest.partition("#")
    codec = python_codec(encoding)
    escaped = "".join(
        character if character.isascii() else quote(character.encode(codec, "xmlcharrefreplace"), safe="")
        for character in query
    )
    return f"{before}?{escaped}{fragment_mark}{fragment}"


class Refresh(NamedTuple):
    """The address as it is written; None for the page itself."""

    seconds: int
    url: str | None


def parse_refresh(text: str) -> Refresh | None:
    """Read the content of a meta refresh or the value of a Refresh header; None when it has no effect."""
    found = _REFRESH.match(text)
    if found is None:
        return None
    digits = found[1] or "0"
    seconds = int(digits) if len(digits) <= 9 else _SECONDS_MOST
    address = _ADDRESS.match(found[3] or "")
    url = (address[1] or address[2] or address[3]) if address else None
    return Refresh(seconds, url.translate(_DROPPED).strip(BLANK) or None if url else None)
