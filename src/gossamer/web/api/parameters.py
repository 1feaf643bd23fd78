"""What can be asked and changed, and how? Each is a type; requests are checked by it, and it is what is described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.datastructures import QueryParams

from gossamer.collection.steering import SOON
from gossamer.errors import UsageError
from gossamer.setting_text import TIME
from gossamer.settings import SETTINGS, Setting

LIMIT_MOST = 1_000
HITS_MOST = 100
OFFSET_MOST = 10_000
TEXT_MOST = 5_000
"""Characters of a question. Each may be twelve in an address, and the head of a request has 64 KiB at most."""
ADDRESS_MOST = 4_096
POINTS_MOST = 10_000
SEEDS_MOST = 1_000

Address: TypeAlias = Annotated[
    str, Meta(description="The address of a page; the scheme may be left out.", min_length=1, max_length=ADDRESS_MOST)
]
Site: TypeAlias = Annotated[
    str, Meta(description="Only this host and those below it.", min_length=1, max_length=ADDRESS_MOST)
]
Limit: TypeAlias = Annotated[int, Meta(description="How many at most.", ge=1, le=LIMIT_MOST)]
From: TypeAlias = Annotated[
    str, Meta(description="`next` of the page before; none for the first page.", min_length=1, max_length=ADDRESS_MOST)
]
Time: TypeAlias = Annotated[str, Meta(description=f"{TIME[0].upper()}{TIME[1:]}.", min_length=1, max_length=64)]
VersionName: TypeAlias = Annotated[
    str, Meta(description="The number of a version, or a time at which it was current.", min_length=1, max_length=64)
]


class Nothing(msgspec.Struct, frozen=True):
    """A question without parameters."""


class Search(msgspec.Struct, frozen=True):
    """Which pages answer a question best?"""

    q: Annotated[
        str, Meta(description="`gossamer help search` tells the query language.", min_length=1, max_length=TEXT_MOST)
    ]
    limit: Annotated[int, Meta(description="How many hits.", ge=1, le=HITS_MOST)] = 10
    offset: Annotated[int, Meta(description="Leave out the first so many.", ge=0, le=OFFSET_MOST)] = 0
    sort: Annotated[
        Literal["relevance", "date", "-date"], Meta(description="date: the newest first; -date: the oldest.")
    ] = "relevance"
    facets: Annotated[bool, Meta(description="Count the pages of each site, type, language and year.")] = False
    explain: Annotated[bool, Meta(description="Say what each score is made of.")] = False
    at: Annotated[
        str,
        Meta(
            description=f"As the collection stood then: the end of {TIME}.",
            min_length=1,
            max_length=64,
        ),
    ] = ""
    all_versions: Annotated[
        bool, Meta(description="All that pages ever said; each hit tells since when, and until when.")
    ] = False


class OfAddress(msgspec.Struct, frozen=True):
    """A question about one page."""

    url: Address


class Versions(msgspec.Struct, frozen=True):
    """The versions of a page."""

    url: Address
    search: Annotated[
        str, Meta(description="Only those that have all of these words.", min_length=1, max_length=TEXT_MOST)
    ] = ""


class PageAt(msgspec.Struct, frozen=True):
    """A page, as it is or as it was."""

    url: Address
    at: Time = ""


class Difference(msgspec.Struct, frozen=True):
    """Two versions of a page; the last change when none is named."""

    url: Address
    old: VersionName = ""
    new: VersionName = ""


class Listing(msgspec.Struct, frozen=True):
    """A list, page by page."""

    site: Site = ""
    limit: Limit = 100
    cursor: From = ""


class Hosts(msgspec.Struct, frozen=True):
    """Hosts, page by page."""

    site: Site = ""
    search: Annotated[str, Meta(description="A part of the name.", min_length=1, max_length=ADDRESS_MOST)] = ""
    sort: Annotated[
        Literal["name", "pages", "queued", "failed", "next", "slow"],
        Meta(
            description="name: all of them. By a number come those that have any, the most first; next: who may be "
            "visited soonest; slow: whose answers take longest."
        ),
    ] = "name"
    limit: Limit = 100
    cursor: From = ""


class ChangedSince(msgspec.Struct, frozen=True):
    """What is not what it was, page by page."""

    since: Time = ""
    limit: Limit = 100
    cursor: From = ""
    q: Annotated[
        str, Meta(description="Only pages that have all words of this question.", min_length=1, max_length=TEXT_MOST)
    ] = ""
    site: Site = ""
    sort: Annotated[
        Literal["address", "newest"], Meta(description="newest: so many of the newest, and no further page.")
    ] = "address"


class Feed(msgspec.Struct, frozen=True):
    """The newest pages and changes of pages."""

    q: Annotated[
        str, Meta(description="Only pages that have all words of this question.", min_length=0, max_length=TEXT_MOST)
    ] = ""
    site: Annotated[str, Meta(description="Only this host and those below it.", max_length=ADDRESS_MOST)] = ""
    limit: Annotated[int, Meta(description="How many entries.", ge=1, le=HITS_MOST)] = 50


class OfHost(msgspec.Struct, frozen=True):
    """A question about one host."""

    host: Annotated[
        str, Meta(description="The name of a host.", min_length=1, max_length=ADDRESS_MOST, pattern="^[^/]+$")
    ]


class Subject(msgspec.Struct, frozen=True):
    """A question about an address or a host."""

    subject: Annotated[str, Meta(description="An address, or a host.", min_length=1, max_length=ADDRESS_MOST)]


class Past(msgspec.Struct, frozen=True):
    """How did it go?"""

    since: Time = ""
    points: Annotated[int, Meta(description="How many at most, evenly from all there are.", ge=1, le=POINTS_MOST)] = 200


class Export(msgspec.Struct, frozen=True):
    """Which pages, and what of them?"""

    site: Site = ""
    include: Annotated[str, Meta(description="Addresses with this RE2 pattern.", min_length=1, max_length=1_000)] = ""
    query: Annotated[str, Meta(description="Pages that a search finds.", min_length=1, max_length=TEXT_MOST)] = ""
    links: Annotated[bool, Meta(description="With the links of each page.")] = True
    fields: Annotated[
        str, Meta(description="Only these of each page, as url,title,fields.price.", min_length=1, max_length=1_000)
    ] = ""


class Seeds(msgspec.Struct, frozen=True):
    """What is added."""

    seeds: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=ADDRESS_MOST)]],
        Meta(
            description="Addresses to start from; without a scheme https is tried first, then http.",
            min_length=1,
            max_length=SEEDS_MOST,
        ),
    ]


class Failures(msgspec.Struct, frozen=True):
    """What is tried again."""

    site: Site = ""


def _setting(name: str, setting: Setting) -> tuple[str, Any, Any]:
    """A field of `Settings`. One that may be left out has no default: what is not named stays as it is."""
    kind: Any = list[str] if isinstance(setting.default, tuple) else type(setting.default)
    if setting.choices:
        kind = Literal[setting.choices]
    return name, Annotated[kind, Meta(description=setting.text, ge=setting.least)] | UnsetType, UNSET


CHANGEABLE = tuple(name for name in SOON if name != "seeds")
"""What a program may set, whether a crawl runs or not: nothing of it opens anything of the network."""
Settings = msgspec.defstruct(
    "Settings",
    [_setting(name, SETTINGS[name]) for name in CHANGEABLE],
    namespace={"__doc__": "Settings of the plan that a crawl goes by as soon as it hears of them."},
    frozen=True,
    module=__name__,
)


T = TypeVar("T", bound=msgspec.Struct)


def given(wanted: type[T], query: QueryParams) -> T:
    """What a request asks for, checked. A fault names the parameter, what is known, and what it may be."""
    names = Counter(name for name, _ in query.multi_items())
    _require_known(names, wanted)
    for name, number in names.items():
        if number > 1:
            raise UsageError(f"{name}: is given {number} times; give it once")
    return _converted(wanted, dict(query), strict=False)


def sent(wanted: type[T], body: bytes) -> T:
    """What is sent to change something, checked in the same way. Nothing is as good as an empty object."""
    try:
        values = msgspec.json.decode(body or b"{}")
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"what is sent is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise UsageError("what is sent must be a JSON object")
    _require_known(values, wanted)
    return _converted(wanted, values, strict=True)


def _require_known(names: Iterable[str], wanted: type[msgspec.Struct]) -> None:
    known = wanted.__struct_fields__
    for name in names:
        if name not in known:
            others = f"there are {', '.join(known)}" if known else "none is known here"
            raise UsageError(f"{name[:40]!r} is no parameter of this question; {others}")


def _converted(wanted: type[T], values: Mapping[str, Any], *, strict: bool) -> T:
    try:
        return msgspec.convert(values, wanted, strict=strict)
    except msgspec.ValidationError as error:
        raise UsageError(_cure(str(error), wanted)) from None


def _cure(fault: str, wanted: type[msgspec.Struct]) -> str:
    """`Expected int <= 100 - at $.limit` as a sentence that begins with the parameter."""
    known = described(wanted)
    _, _, place = fault.partition(" - at `$.")
    if place:
        name = place.rstrip("`").partition("[")[0]
        return f"{name}: must be {_allowed(known[name])}. {known[name]['description']}"
    name = fault.rpartition("field `")[2].rstrip("`")
    return f"{name}: is missing; it must be {_allowed(known[name])}. {known[name]['description']}"


def _allowed(about: dict[str, Any]) -> str:
    """What a parameter may be, in words."""
    if "enum" in about:
        return f"one of {', '.join(about['enum'])}"
    if about["type"] in ("integer", "number"):
        most = f" to {about['maximum']:,}" if "maximum" in about else " on"
        return f"a {'whole ' if about['type'] == 'integer' else ''}number from {about['minimum']:,}{most}"
    if about["type"] == "boolean":
        return "true or false"
    if about["type"] == "array":
        return f"a list of texts, {about['maxItems']:,} at most" if "maxItems" in about else "a list of texts"
    form = f" that fits {about['pattern']}" if "pattern" in about else ""
    return f"a text of {about.get('minLength', 0)} to {about['maxLength']:,} characters{form}"


def described(wanted: type[msgspec.Struct]) -> dict[str, dict[str, Any]]:
    """Each parameter as JSON Schema has it. A default that is empty means that it is not given."""
    components = msgspec.json.schema_components([wanted])[1]
    found: dict[str, dict[str, Any]] = components[wanted.__name__]["properties"]
    return {
        name: {key: value for key, value in about.items() if (key, value) != ("default", "")}
        for name, about in found.items()
    }
