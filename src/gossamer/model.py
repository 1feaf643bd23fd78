"""The words everyone speaks: a Visit is asked for, a Capture comes back, a Page is what it says.

A value is made once and never changed. The web's faults travel as values (`Capture.failure`);
exceptions are for our own mistakes and live in `errors`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from gossamer import markdown
from gossamer.tagged.passages import WORDS, Passage, passages

URL: TypeAlias = str
"""An absolute http or https address in the canonical form of `gossamer.urls.normalize`; or that of a file of this
machine, as `gossamer.urls.paths` writes it."""

FieldValue: TypeAlias = str | bool | int | float | tuple[str, ...]
"""What a page function may give: a text, a number, yes or no, or several texts."""

HTML = frozenset({"text/html", "application/xhtml+xml"})
"""The media types of pages of the web."""

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Header fields in the order they came: lower-case name, value as Latin-1 text."""


class Kind(StrEnum):
    """Why an address is visited. One path for all bytes, but what they mean differs."""

    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    PROBE = "probe"
    """An address that was made up, to see how its host says that there is nothing."""
    RESOURCE = "resource"
    """What pages are dressed with: images, styles, scripts. Imported archives bring them, and so do rendered pages and
    crawls that keep pages whole."""


class Fault(StrEnum):
    """What went wrong before a whole answer was there. An HTTP status is an answer, not a fault."""

    NO_SUCH_HOST = "no-such-host"
    DNS = "dns"
    BLOCKED_ADDRESS = "blocked-address"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    TOO_SLOW = "too-slow"
    RESET = "reset"
    INCOMPLETE = "incomplete"
    PROTOCOL = "protocol"
    HEADERS_TOO_LARGE = "headers-too-large"
    UNREADABLE = "unreadable"
    """Of a file of this machine: a fault of the disk, or of the share that it lies on."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault and the words that explain it to a person."""

    fault: Fault
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.fault}: {self.detail}" if self.detail else str(self.fault)


class Link(NamedTuple):
    """One pointer out of a document. A page has up to 5,000, so it is a tuple."""

    url: URL
    anchor: str = ""
    rel: str = ""
    """Lower-case link types, joined by one space."""
    place: str = "a"
    """Where it stood: a, area, frame, iframe, link, refresh, header, sitemap, feed, robots, redirect."""
    modified: float | None = None
    """When the target changed, as its source says (sitemaps, feeds); seconds since 1970."""
    priority: float = 0.5
    """How a sitemap ranks the target among its pages, 0 to 1."""
    content: bool = True
    """It stands in the main content of its page, not in what is around it."""
    every: float | None = None
    """Seconds between changes of the target, as a sitemap says."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to be made."""

    url: URL
    kind: Kind = Kind.PAGE
    method: str = "GET"
    depth: int = 0
    """Links followed from a seed; a redirect does not count."""
    hops: int = 0
    """Redirects followed to get here."""
    attempt: int = 0
    """Earlier tries that failed."""
    referrer: URL | None = None
    owner: str | None = None
    """For robots.txt: the origin whose rules these are, which a redirect does not change."""
    etag: str | None = None
    modified: str | None = None
    trusted: bool = False
    """The validators have proved right on this host: a long answer that has the same ones need not be read."""

    def __hash__(self) -> int:
        """Two visits to one address are hardly ever under way together, and a visit is looked up often."""
        return hash(self.url)


TREC_ID = "warc-trec-id"
"""The field in which ClueWeb names its documents."""


class Asked(NamedTuple):
    """What a file says of a request, in the same way as the next."""

    record: str = ""
    date: str = ""
    fields: Headers = ()


class Provenance(NamedTuple):
    """What the file that a capture comes from says of it, and we would not: it is written again as it was."""

    record: str = ""
    """The UUID of its response, or all of an id that is none; nothing where another is to be drawn."""
    date: str = ""
    """Its date, where it is not written as we would."""
    fields: Headers = ()
    """Further fields of the header of its record; names in lower case."""
    type: str = ""
    """`resource` for what had no HTTP head there; the one of the capture is made up."""
    info: str = ""
    """The record, like `record`, that says who made that file."""
    asked: Asked | None = None
    """Its request."""

    @property
    def docno(self) -> str:
        """How a collection of TREC names the document; nothing where it has no such name."""
        return next((value for name, value in self.fields if name == TREC_ID), "")


@dataclass(frozen=True, slots=True)
class Capture:
    """What came back, byte for byte, or why nothing did."""

    visit: Visit
    began: float
    """Wall clock, seconds since 1970."""
    seconds: float
    """From the start of the request to the last byte."""
    status: int = 0
    """HTTP status; 0 when no head of an answer came."""
    headers: Headers = ()
    request: bytes = field(default=b"", repr=False)
    """The head of the request as it was sent."""
    head: bytes = field(default=b"", repr=False)
    """Status line and header fields as they came, with the empty line."""
    wire: bytes = field(default=b"", repr=False)
    """Everything after the head as it came: still chunked, still compressed."""
    body: bytes = field(default=b"", repr=False)
    """The payload with transfer and content codings undone."""
    address: str | None = None
    """The IP address that answered."""
    truncated: str | None = None
    """length, time or disconnect when the body was cut; what came before is kept."""
    decoding: str | None = None
    """What was wrong with the content coding, if anything was."""
    failure: Failure | None = None
    source: str | None = None
    """File and offset that it was imported from; None when it was fetched here."""
    rendered: bytes = field(default=b"", repr=False)
    """What a browser has made of the page, as HTML in UTF-8; nothing when none was asked."""
    screenshot: bytes = field(default=b"", repr=False)
    """What that looked like, as a JPEG; nothing when none was asked."""
    provenance: Provenance | None = None
    """Only of one that was imported, and only where there is something to say."""

    def header(self, name: str) -> str | None:
        """The first value of a field; `name` in lower case."""
        return next((value for key, value in self.headers if key == name), None)

    def header_values(self, name: str) -> list[str]:
        """All values of a field that may be repeated; `name` in lower case."""
        return [value for key, value in self.headers if key == name]


@dataclass(frozen=True, slots=True)
class Page:
    """What a document says."""

    url: URL | None = None
    media_type: str = "application/octet-stream"
    """Sniffed, without parameters."""
    encoding: str | None = None
    """WHATWG name of the encoding that was used; None for bytes that are not text."""
    title: str = ""
    text: str = field(default="", repr=False)
    """All of its words, a line for each block."""
    links: Sequence[Link] = field(default=(), repr=False)
    """In the order in which they stand there; a tuple, or equal to one."""
    content: str = field(default="", repr=False)
    """The words of its main content: without navigation, adverts, comments and what else is around it."""
    html: str = field(default="", repr=False)
    """Its main content as tagged text; see `tagged`."""
    kind: str = ""
    """What kind of page it is, as its shape says: article, forum, listing, product, collection, service or
    documentation; nothing for what is no HTML page."""
    declared: str | None = None
    """WHATWG name of the encoding that the document or its header fields name, if any."""
    language: str | None = None
    """ISO 639 code of the language it is written in; None when there is too little to tell."""
    author: str = ""
    published: float | None = None
    """Seconds since 1970, as the document says; like the next."""
    modified: float | None = None
    update_every: float | None = None
    """Seconds after which it is worth another look, as a feed says."""
    quiet: int = 0
    """Hours and days in which nothing is new, as a feed says; see `freshness.hints`."""
    hub: URL | None = None
    """Where one may subscribe to its changes, as it says (WebSub); see `convert.websub_hub`."""
    topic: str = ""
    """What it is called there."""
    canonical: URL | None = None
    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    links_cut: bool = False
    """More links stood there than the limit lets through."""
    digest: str = ""
    """`sha256:` and 64 hexadecimal digits, of the decoded body."""
    copy_of: URL | None = None
    near_copy_of: URL | None = None
    """It says nearly the same; never set together with `copy_of`, whose bytes are the same."""
    problem: str = ""
    """Why it could not be read, if it could not; the capture is kept all the same."""
    unread: Literal["", "mistake", "killed"] = ""
    """The problem says nothing of the page: its reader made a mistake or was killed. It is to be read again."""
    guesses: tuple[Link, ...] = field(default=(), repr=False)
    """Addresses in its scripts and data, which may lead to a page or not: they are no links. `place` says where each
    stood: data, script or json."""
    requisites: tuple[Link, ...] = field(default=(), repr=False)
    """What it needs to look as it does: pictures, styles, scripts. They are no links either. Only where a crawl keeps
    these; `place` says where each stood: img, srcset, style, import, script, poster and so on."""
    fields: tuple[tuple[str, FieldValue], ...] = ()
    """Names and values that a page function gave."""
    structured: str = field(default="", repr=False)
    """What it says of itself for programs, as JSON; see `data`."""

    @property
    def data(self) -> dict[str, Any]:
        """What it says of itself for programs: `json_ld` and `microdata` are lists of objects, `meta` has the fields of
        Open Graph. What it does not have is not there."""
        return json.loads(self.structured) if self.structured else {}

    def passages(self, words: int = WORDS) -> list[Passage]:
        """Its main content in pieces of so many words at most, for search by meaning and for language models."""
        return passages(self.html, words, self.url)

    @property
    def markdown(self) -> str:
        """Its main content as Markdown."""
        return markdown.written(self.html)


def status_in(line: bytes) -> int:
    """The code in a status line, or at the beginning of a head: three digits from 100 on. 0 when there is none."""
    words = line.split(None, 2)
    code = words[1] if len(words) > 1 else b""
    return int(code) if len(code) == 3 and code.isdigit() and code[0] != 0x30 else 0


class Answer(NamedTuple):
    """What came of a visit."""

    visit: Visit
    capture: Capture
    page: Page


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that answers a question."""

    url: URL
    title: str
    snippet: str
    """The passage that answers best."""
    score: float
    marks: tuple[tuple[int, int], ...] = ()
    """Where the words of the question stand in the snippet: start and end."""
    site: str = ""
    language: str | None = None
    date: float = 0.0
    """Seconds since 1970: when it was published, or fetched where that is not known."""
    copies: tuple[URL, ...] = ()
    """Pages that say the same or nearly; they are not found for themselves."""
    media_type: str = ""
    size: int = 0
    """Bytes of the document."""
    published: float | None = None
    """As the document says, like `date`."""
    fetched: float = 0.0
    title_marks: tuple[tuple[int, int], ...] = ()
    """Where the words of the question stand in the title."""
    since: float | None = None
    """Where the past was asked: when the page was first seen with this text, or first said it, like `date`."""
    until: float | None = None
    """When it was first seen without it; None: it still has it, or nobody asked."""
    breaks: int = 0
    """Where all versions were asked: how often it was seen without what was asked for in between."""

    @property
    def snippet_html(self) -> str:
        """The snippet with the words of the question in `mark` elements; all else is escaped."""
        return _marked(self.snippet, self.marks)

    @property
    def title_html(self) -> str:
        """The same for the title."""
        return _marked(self.title, self.title_marks)


def _marked(text: str, marks: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop in marks:
        pieces += (escape(text[end:start]), "<mark>", escape(text[start:stop]), "</mark>")
        end = stop
    return "".join((*pieces, escape(text[end:])))


class Clock(Protocol):
    """Two clocks: one for dates, one for gaps. Only the second never jumps."""

    def wall(self) -> float:
        """Seconds since 1970."""

    def steady(self) -> float:
        """Seconds since some moment; never goes back."""


class SystemClock:
    """The machine's clocks, which are asked about sixty times for a page: as they are, with no call of ours around."""

    wall = staticmethod(time.time)
    steady = staticmethod(time.monotonic)
