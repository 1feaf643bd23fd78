"""RSS, RDF, Atom and CDF: which element says what.

Elements are known by their local name and, outside of the formats themselves, by the vocabulary that their prefix
stands for. Nothing needs to be closed: an entry lasts until the next one begins.
"""

from __future__ import annotations

import re

from gossamer.convert.feed.markup import TAG, Ends, attributes, html, resolved, words
from gossamer.convert.feed.record import Record, Records
from gossamer.urls import resolve

ENTRIES_MOST = 50_000
_TAGS_MOST = 500_000
"""Honest feeds have some thousands; one of 5,000 broadcasts has 200,000."""
_TOO_MANY = f"more than {ENTRIES_MOST:,} entries; the rest was not read"
_TOO_MUCH_MARKUP = f"more than {_TAGS_MOST:,} tags; the rest was not read"

_NAMESPACE = re.compile(r"""\sxmlns:([\w.-]{1,40})\s*=\s*["']([^"'<>]{1,200})""")
_NAMESPACES_WITHIN = 65_536
_NAMESPACES_MOST = 100
_VOCABULARIES = {
    "http://purl.org/dc/elements/1.": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://www.itunes.com/": "itunes",
    "http://example.com/dtds/podcast": "itunes",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/2005/atom": "",
    "http://purl.org/atom/ns": "",
    "http://purl.org/rss/1.0/": "",
    "http://purl.org/net/rss": "",
    "http://backend.userland.com/": "",
    "http://blogs.law.harvard.edu/": "",
    "http://my.netscape.com/": "",
    "http://channel.netscape.com/": "",
    "http://hacks.benhammersley.com/": "",
}
"""How the names of namespaces begin, in lower case -> the prefix that we know. Longer ones first where one begins
another."""
_USUAL = {"atom": "", "rss": "", "rdf": "rdf", **{prefix: prefix for prefix in _VOCABULARIES.values()}}
"""Prefixes that are used without being declared."""

_ENTRIES = frozenset({"item", "entry"})
_WHOLE = frozenset({"channel", "feed", "rss", "rdf:rdf"})
_ASIDES = frozenset({"image", "textinput", "source", "contributor", "cloud", "itunes:owner", "itunes:image"})
"""Elements whose content says nothing about what they stand in."""
_TEXTS = {
    "title": ("title", 0),
    "dc:title": ("title", 1),
    "description": ("summary", 0),
    "summary": ("summary", 0),
    "abstract": ("summary", 0),
    "subtitle": ("summary", 0),
    "tagline": ("summary", 0),
    "dc:description": ("summary", 1),
    "itunes:summary": ("summary", 2),
    "itunes:subtitle": ("summary", 3),
    "content:encoded": ("content", 0),
    "content": ("content", 0),
    "xhtml:body": ("content", 1),
    "body": ("content", 1),
    "fullitem": ("content", 1),
}
_LINES = {
    "id": ("id", 0),
    "dc:identifier": ("id", 1),
    "pubdate": ("published", 0),
    "published": ("published", 0),
    "issued": ("published", 1),
    "dcterms:issued": ("published", 2),
    "created": ("published", 3),
    "dcterms:created": ("published", 3),
    "updated": ("updated", 0),
    "modified": ("updated", 1),
    "lastbuilddate": ("updated", 0),
    "dcterms:modified": ("updated", 2),
    "dc:date": ("updated", 3),
    "language": ("language", 0),
    "dc:language": ("language", 1),
    "ttl": ("ttl", 0),
    "sy:updateperiod": ("period", 0),
    "sy:updatefrequency": ("frequency", 0),
    "hour": ("hours", 0),
    "day": ("days", 0),
}
_PEOPLE = {"author": 0, "dc:creator": 1, "dc:author": 1, "managingeditor": 1, "itunes:author": 2}
_COUNTED = frozenset({"hours", "days"})
"""Of these there are several, and all count."""
_PERSON_PART = re.compile(r"<(?:[\w.-]{1,40}:)?(name|email)(?![\w.:-])[^<>]*+>([^<]*+)", re.IGNORECASE)
_MAIL = re.compile(r"[\w.%+-]{1,64}@[\w.-]{1,253}")
_NEIGHBOURS = frozenset({"next", "previous", "prev", "next-archive", "prev-archive"})


def read(text: str, base: str) -> Records:
    """What a feed says; `base` is its address."""
    return _Reader(text, base).read()


class _Reader:
    def __init__(self, text: str, base: str) -> None:
        self._text = text
        self._ends = Ends(text)
        self._records = Records(Record(base))
        self._record = self._records.feed
        self._atom = False
        self._prefixes = _prefixes(text[:_NAMESPACES_WITHIN])

    def read(self) -> Records:
        at = 0
        for _ in range(_TAGS_MOST):
            tag = TAG.search(self._text, at)
            if tag is None:
                return self._records
            at = self._take(tag) if tag[3] else tag.end()
            if len(self._records.entries) > ENTRIES_MOST:
                self._records.entries.pop()
                self._records.problem = _TOO_MANY
                return self._records
        self._records.problem = _TOO_MUCH_MARKUP
        return self._records

    def _take(self, tag: re.Match[str]) -> int:
        """Take in an element and say where to go on."""
        key = self._key(tag[2], tag[3])
        if tag[1]:
            if key in _ENTRIES:
                self._record = self._records.feed
        elif key in _ENTRIES:
            self._begin(attributes(tag[4]))
        elif key in _WHOLE:
            self._atom = self._atom or key == "feed"
            self._mark(attributes(tag[4]))
        elif key in _ASIDES or key in _TEXTS or key in _LINES or key in _PEOPLE or key in ("link", "guid"):
            return self._gather(key, tag)
        return tag.end()

    def _key(self, prefix: str | None, name: str) -> str:
        if prefix is None:
            return name.lower()
        known = self._prefixes.get(prefix.lower(), "?")
        return f"{known}:{name.lower()}" if known else name.lower()

    def _begin(self, said: dict[str, str]) -> None:
        self._record = Record(self._records.feed.base)
        self._records.entries.append(self._record)
        self._mark(said)
        name = said.get("rdf:about", "") or said.get("about", "")
        self._record.offer("link", name, 2)
        self._record.offer("id", name, 2)
        self._record.offer("link", said.get("href", ""))

    def _mark(self, said: dict[str, str]) -> None:
        """What the element that holds all else says in its attributes. CDF has much there."""
        record = self._record
        if base := said.get("xml:base") or said.get("base"):
            record.base = resolve([base], record.base)[0] or record.base
        record.offer("language", said.get("xml:lang", ""), 2)
        record.offer("updated", said.get("lastmod", ""), 4)
        if record is self._records.feed:
            record.offer("link", said.get("href", ""), 3)

    def _gather(self, key: str, tag: re.Match[str]) -> int:
        said = attributes(tag[4]) if tag[4] else {}
        if tag[4].endswith("/") or (key == "link" and "href" in said):
            self._put(key, said, "")
            return tag.end()
        end, whole = self._ends.of(tag[3].lower(), tag.end())
        if key not in _ASIDES and (whole or end < len(self._text)):  # what the end of the file cut off is worth nothing
            self._put(key, said, self._text[tag.end() : end])
        return end

    def _put(self, key: str, said: dict[str, str], inner: str) -> None:
        record = self._record
        if key in _TEXTS:
            role, rank = _TEXTS[key]
            record.offer(role, html(inner, said, atom=self._atom).strip(), rank)
        elif key in _LINES:
            role, rank = _LINES[key]
            if role in _COUNTED:
                record.said[role] = f"{record.said.get(role, '')} {words(inner)}"
            else:
                record.offer(role, words(inner), rank)
        elif key in _PEOPLE:
            _put_person(record, inner, _PEOPLE[key])
        elif key == "guid":
            _put_guid(record, said, words(inner))
        elif key == "link":
            _put_link(record, said, words(inner))


def _prefixes(start: str) -> dict[str, str]:
    """Prefixes of the document, in lower case, and the prefix of ours that they stand for."""
    prefixes = dict(_USUAL)
    for prefix, name in _NAMESPACE.findall(start)[:_NAMESPACES_MOST]:
        for begin, known in _VOCABULARIES.items():
            if name.lower().startswith(begin):
                prefixes[prefix.lower()] = known
                break
    return prefixes


def _put_person(record: Record, inner: str, rank: int) -> None:
    """A name and an address in elements of their own, or both in one line in any order."""
    parts = {name.lower(): " ".join(resolved(part).split()) for name, part in _PERSON_PART.findall(inner)}
    if not parts:
        line = words(inner)
        mail = _MAIL.search(line)
        name = line.replace(mail[0], "").replace("mailto:", "") if mail else line
        parts = {"name": name.strip(" ()<>[]"), "email": mail[0] if mail else ""}
    record.offer("author", parts.get("name", ""), rank)
    record.offer("email", parts.get("email", ""), rank)


def _put_guid(record: Record, said: dict[str, str], name: str) -> None:
    """An identifier that may be an address. If it says that it is none but looks like one, it is the last resort."""
    record.offer("id", name)
    if name[:8].lower().startswith(("http://", "https://")):
        record.offer("link", name, 3 if said.get("ispermalink", "").lower() == "false" else 1)


def _put_link(record: Record, said: dict[str, str], name: str) -> None:
    """Atom has the address in an attribute and many kinds of links, RSS has it as text."""
    address = said.get("href", "") or name
    if address and (base := said.get("xml:base")):
        address = resolve([address], resolve([base], record.base)[0] or record.base)[0] or address
    relation = said.get("rel", "alternate").strip().lower()
    if relation == "alternate":
        record.offer("link", address, 0 if "html" in said.get("type", "html") else 1)
    elif relation in _NEIGHBOURS and address:
        record.further.append((address, relation))
