"""What is in an answer? The types that the description is made from; the answers of the collection write the objects.

Whatever is one object with `--json` on the command line is the same object here. What is a line for each there is a
list here, with `next` where it may go on.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from gossamer.collection.ask.listing import Listed
from gossamer.frontier.why import HostAnswer
from gossamer.web.api.parameters import Settings


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of these fields and no others."""


class Hit(Answer, frozen=True, kw_only=True):
    """A page that answers a question. The words of the question are in `mark` elements; all else is escaped."""

    url: str
    title: str
    title_html: str
    snippet: str
    score: float
    site: str
    language: str | None
    media_type: str
    size: int
    published: str | None
    fetched: str | None
    since: str | None
    """When the page was first seen with this text, or first said it; null unless the past was asked."""
    until: str | None
    """When it was first seen without it; null: it still has it."""
    breaks: int
    """With `all_versions`: how often it was seen without what was asked for in between."""
    copies: list[str]
    signs: dict[str, float] | UnsetType = UNSET


class Found(Answer, frozen=True, kw_only=True):
    """The pages that answer a question best, as `gossamer search --json` has them."""

    query: str
    at: str | None
    """The time that was asked of; null: now, or all versions."""
    total: int
    more_than_total: bool
    seconds: float
    suggestion: str | None
    hints: list[str]
    not_indexed: int | None
    facets: dict[str, dict[str, int]] | None
    more_from: list[str]
    hits: list[Hit]


class PageLink(Answer, frozen=True, kw_only=True):
    """What a page points to."""

    url: str
    anchor: str
    rel: str
    content: bool


class Page(Answer, frozen=True, kw_only=True):
    """One version of a page, as `gossamer show --json` has it."""

    url: str
    final_url: str
    fetched: str
    status: int
    media_type: str
    digest: str
    title: str
    text: str
    content: str
    markdown: str
    language: str | None
    kind: str
    author: str | None
    published: str | None
    modified: str | None
    last_modified: str | None
    depth: int | None
    copy_of: str | None
    near_copy_of: str | None
    links: list[PageLink]
    fields: dict[str, str | bool | int | float | list[str]] | UnsetType = UNSET


class OutLink(Answer, frozen=True, kw_only=True):
    """What a page points to, and where that stands."""

    url: str
    anchor: str
    rel: str
    state: str | None
    status: int | None


class Guessed(Answer, frozen=True, kw_only=True):
    """An address that stands in the scripts or data of a page, and where that stands."""

    url: str
    from_: str = msgspec.field(name="from")
    state: str | None
    status: int | None


class FormOfPage(Answer, frozen=True, kw_only=True):
    """A form of a page, in words: what can be filled in, and why it is not sent or what it has brought."""

    action: str
    method: str
    fields: str
    state: str


class Needed(Answer, frozen=True, kw_only=True):
    """What a page needs to look as it does."""

    url: str
    place: str
    state: str | None
    status: int | None


class Links(Answer, frozen=True, kw_only=True):
    """Who points to an address and what it points to."""

    url: str
    out: list[OutLink]
    in_: list[str] = msgspec.field(name="in")
    anchors: list[str]
    rank: float | None
    guessed: list[Guessed] | UnsetType = UNSET
    forms: list[FormOfPage]
    needs: list[Needed]
    needed_by: str | UnsetType = UNSET


class Edition(Answer, frozen=True, kw_only=True):
    """A version of a page, and what it changed."""

    number: int | None
    fetched: str
    status: int
    change: str
    digest: str | None
    size: int
    title: str
    revisit: bool
    words_added: int | None
    words_removed: int | None


class History(Answer, frozen=True, kw_only=True):
    """The versions of a page, the oldest first."""

    url: str
    versions: list[Edition]


class DiffLine(Answer, frozen=True, kw_only=True):
    """A line of one version or of both: `=` the same, `-` gone, `+` new, `~` rewritten."""

    sign: Literal["=", "-", "+", "~"]
    pieces: list[tuple[Literal["=", "-", "+"], str]]


class Diff(Answer, frozen=True, kw_only=True):
    """What changed between two versions."""

    url: str
    old: Edition
    new: Edition
    lines: list[DiffLine]
    gone: Edition | None
    """The answer that said that the page is there no more; null where it is."""


class Source(Answer, frozen=True, kw_only=True):
    """A link to what is broken."""

    url: str
    anchor: str
    via: str | None


class Broken(Answer, frozen=True, kw_only=True):
    """An address that is not there, or did not answer."""

    url: str
    reason: str
    status: int | None
    again: str | None
    external: bool
    links: list[Source]


class Change(Answer, frozen=True, kw_only=True):
    """A page that is not what it was."""

    url: str
    kind: str
    title: str
    reason: str
    before: str | None
    after: str | None
    seen: str | None
    words_added: int | None
    words_removed: int | None
    added: str
    removed: str
    id: str


class Copy(Answer, frozen=True, kw_only=True):
    """A page that resembles another."""

    url: str
    exact: bool
    resemblance: float
    distance: int
    same_site: bool
    digest: str
    says_same: bool
    title: str


class CopyList(Answer, frozen=True, kw_only=True):
    """The copies of a page, exact and near, and pages that are alike."""

    url: str
    copies: list[Copy]


class Sample(Answer, frozen=True, kw_only=True):
    """The sums of the collection at a time."""

    time: str
    pages: int
    failed: int
    queued: int
    excluded: int
    bytes: int
    known: int
    duplicates: int
    hosts: int
    seconds: float
    memory: int
    cpu: float
    coverage: float
    judged: int
    score: float
    relevance: float | None


class Steered(Answer, frozen=True, kw_only=True):
    """What was done."""

    action: str
    count: int | None
    """Seeds that are new, or failures that are tried again."""


def _made(name: str, text: str, **fields: Any) -> type[msgspec.Struct]:
    """One that says little of its own."""
    return msgspec.defstruct(
        name, list(fields.items()), bases=(Answer,), namespace={"__doc__": text}, frozen=True, kw_only=True
    )


def _list(name: str, text: str, **fields: Any) -> type[msgspec.Struct]:
    """A page of a list, and the cursor of the next one."""
    return _made(name, text, **fields, next=str | None)


PageList = _list("PageList", "Pages in the order of their addresses.", pages=list[Listed])
HostList = _list(
    "HostList",
    "Hosts in the order that was asked for. It is not whole where there are so many that not all were looked at.",
    whole=bool,
    hosts=list[HostAnswer],
)
BrokenList = _list("BrokenList", "What failed or is gone, in the order of the addresses.", broken=list[Broken])
ChangeList = _list(
    "ChangeList",
    "What is not what it was, by address or the newest first.",
    since=str | None,
    changes=list[Change],
)
Series = _made("Series", "How it went, the oldest first.", series=list[Sample])
Steering = _made(
    "Steering",
    "What the crawl goes by. The token is sent with whatever changes something; there is none where nothing can be.",
    running=bool,
    paused=bool,
    token=str | None,
    settings=Settings,
)
