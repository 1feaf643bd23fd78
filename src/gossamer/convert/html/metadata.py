"""Who wrote a page, and when? As it says itself: in JSON-LD, in meta elements, in microdata, in its text.

JSON-LD is in scripts, which nothing else reads; so it is looked for in the bytes, within bounds. What it says of an
article is believed before all else: it was made for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from gossamer.convert.dates import written_seconds
from gossamer.convert.html.outline import WORDS, Outline, name_hash
from gossamer.convert.html.scan import Hint, Scan

_AUTHOR_MOST = 200
"""Characters."""
_THINGS_MOST = 2_000
_DEPTH_MOST = 12
_TIME_MARK, _ITEM_MARK = b"<time", b"itemprop="
_MARKS_MOST = 200
_TIME = re.compile(rb"""[^<>]{0,500}?\bdatetime\s*=\s*["']([^"'<>]{6,64})["']""", re.IGNORECASE)
_ITEM = re.compile(
    rb"""["']?date(published|modified)["']?[^<>]{0,500}?\b(?:content|datetime)\s*=\s*["']([^"'<>]{6,64})["']""",
    re.IGNORECASE,
)
_ARTICLES = ("Article", "Posting", "Report", "Recipe", "Review", "QAPage", "Question", "VideoObject", "Podcast")
_PAGES = ("WebPage", "Product", "Event", "CreativeWork", "Book")

_PUBLISHED = (
    "article:published_time og:published_time og:article:published_time datepublished date.issued dc.date.issued"
    " dcterms.issued dcterms.created dcterms.date dc.date dc.date.created dc.created parsely-pub-date sailthru.date"
    " article.published article:published publish-date publish_date publishdate pubdate pub_date publication_date"
    " citation_publication_date citation_date cxenseparse:recs:publishtime date originalpublicationdate"
    " rnews:datepublished"
)
_MODIFIED = (
    "article:modified_time og:updated_time og:modified_time datemodified dcterms.modified dc.date.modified"
    " last-modified lastmod article:modified article.updated revised lastmodified updated_time"
)
_AUTHORS = (
    "author article:author og:article:author dc.creator dcterms.creator dc.contributor parsely-author sailthru.author"
    " byl citation_author cxenseparse:author article.author rnews:author"
)
_BYLINE_NAMES = ((b"i", b"author"), (b"c", b"byline"), (b"c", b"author"), (b"c", b"autor"))
_BYLINES = np.array([name_hash(kind, word) for kind, word in _BYLINE_NAMES], np.uint32)
_BYLINE_MOST = 10
"""Words."""
_BY = re.compile(r"(?:(?:written|posted|story)\s+)?(?:by|von|par|por|di|door|af|av)(?:\s*:\s*|\s+|$)", re.IGNORECASE)


class Said(NamedTuple):
    """What a page says of itself."""

    author: str = ""
    published: float | None = None
    modified: float | None = None


def metadata(page: bytes, found: Scan, linked: Sequence[object]) -> Said:
    """What a page in UTF-8 says of itself. `linked`: what its scripts with JSON-LD say; see `structured`."""
    said = _linked(linked) if linked else Said()
    named: dict[str, str] = {}
    for name, content in found.metas:
        named.setdefault(name, content)
    published = said.published or _date(named, _PUBLISHED)
    modified = said.modified or _date(named, _MODIFIED)
    if found.hints & Hint.ITEM and (published is None or modified is None):
        items: dict[bytes, bytes] = {}
        for item in _after(page, _ITEM_MARK, _ITEM):
            items.setdefault(item[1].lower(), item[2])
        published = published or _seconds(items.get(b"published", b""))
        modified = modified or _seconds(items.get(b"modified", b""))
    if found.hints & Hint.TIME and published is None and (time := next(_after(page, _TIME_MARK, _TIME), None)):
        published = _seconds(time[1])
    author = said.author or _author(named) or (_byline(found.outline) if found.outline is not None else "")
    return Said(author, published, modified)


def _after(page: bytes, mark: bytes, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Where the pattern follows a mark. Finding marks first is many times faster than a pattern in any case."""
    place = -1
    for _ in range(_MARKS_MOST):
        if (place := page.find(mark, place + 1)) < 0:
            return
        if found := pattern.match(page, place + len(mark)):
            yield found


def _seconds(text: bytes) -> float | None:
    return written_seconds(text.decode("utf-8", "replace"))


def _date(named: Mapping[str, str], names: str) -> float | None:
    dates = (written_seconds(named[name]) for name in names.split() if name in named)
    return next((date for date in dates if date is not None), None)


def _author(named: Mapping[str, str]) -> str:
    said = (_person(named[name]) for name in _AUTHORS.split() if name in named)
    return next(filter(None, said), "")


def _person(name: str) -> str:
    """A name as it is, or nothing: addresses of profiles are no names."""
    name = " ".join(name.split())
    if by := _BY.match(name):
        name = name[by.end() :]
    name = name.strip(" \t,;:|-")
    is_name = (
        any(map(str.isalpha, name)) and "://" not in name and name[0] not in "@/" and written_seconds(name) is None
    )
    return name[:_AUTHOR_MOST] if is_name else ""


def _byline(outline: Outline) -> str:
    """The first words of the first element that is named as one, if it is short."""
    named = outline.names == _BYLINES[:, None]
    if not named.any():
        return ""
    for these in named:
        for element in islice(outline.named[these].tolist(), 4):
            runs = np.flatnonzero((outline.owners >= element) & (outline.owners < outline.ends[element]))
            if len(runs) and outline.counts[runs, WORDS].sum() <= _BYLINE_MOST:
                texts = (outline.text[outline.starts[run] : outline.starts[run + 1]] for run in runs.tolist())
                if author := next(filter(None, (_person(text.decode("utf-8", "replace")) for text in texts)), ""):
                    return author
    return ""


def _linked(scripts: Sequence[object]) -> Said:
    """What JSON-LD says, first of articles and then of other pages."""
    things = list(islice((thing for script in scripts for thing in _flat(script, _DEPTH_MOST)), _THINGS_MOST))
    for kinds in (_ARTICLES, _PAGES):
        for thing in things:
            if any(kind in _kind(thing) for kind in kinds):
                found = _of_thing(thing)
                if found != Said():
                    return found
    return Said()


def _flat(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """All objects in lists and graphs, the outer before the inner."""
    if isinstance(value, dict):
        yield value
        values: Sequence[object] = [
            value[name] for name in ("@graph", "mainEntity", "mainEntityOfPage") if name in value
        ]
    else:
        values = value if isinstance(value, list) else ()
    if depth:
        for each in values:
            yield from _flat(each, depth - 1)


def _kind(thing: Mapping[str, object]) -> str:
    return str(thing.get("@type", ""))


def _of_thing(thing: Mapping[str, object]) -> Said:
    return Said(
        author=", ".join(dict.fromkeys(filter(None, map(_person, _names(thing.get("author"))))))[:_AUTHOR_MOST],
        published=written_seconds(
            str(thing.get("datePublished") or thing.get("dateCreated") or thing.get("uploadDate") or "")
        ),
        modified=written_seconds(str(thing.get("dateModified") or "")),
    )


def _names(value: object) -> list[str]:
    if isinstance(value, dict):
        value = value.get("name")
    if isinstance(value, list):
        return [name for each in value[:8] if isinstance(each, (str, dict)) for name in _names(each)]
    return [value] if isinstance(value, str) else []
