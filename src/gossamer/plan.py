"""All settings, gathered: what was asked for, kept as plan.toml in the collection.

Each setting is a field with its default and one line that says what it does; `docs/settings.md` is held to this
list by a test. TOML in, TOML out.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gossamer import files
from gossamer.convert.methods import DEFAULT, METHODS
from gossamer.engine.sandbox import Limits as CellLimits
from gossamer.errors import InvalidPlan
from gossamer.fetch import Identity, Limits
from gossamer.frontier import Politeness
from gossamer.frontier.queue.rank import ORDERS
from gossamer.search.weights import Weights
from gossamer.store.disk import Marks
from gossamer.urls import rules as url_rules
from gossamer.urls.scope import Scope

FILE = "plan.toml"
_HEADER = "# What this collection was asked for. Edit it between crawls; lines that start with # are defaults."
_WHOLE = "# Keep the last line: a plan without it was cut short."
_LAST = "# That was all."
_MOST = (1 << 63) - 1
"""The largest number of TOML."""
_A_RULE = ("tracking",)
_DEEP = re.compile(r"""(?m:^|[\[{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")
"""A key of so many parts."""
_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    dict: "a table",
}


def _setting(
    default: Any, text: str, *, choices: tuple[str, ...] = (), least: float | None = None, most: int = _MOST
) -> Any:
    meta = {"text": text, "choices": choices, "least": least, "most": most}
    return field(default=default, metadata=meta)


@dataclass(frozen=True)
class Plan:
    """What to crawl, how politely, and how to keep it."""

    seeds: tuple[str, ...] = _setting((), "Where the crawl starts.")
    scope: str = _setting(
        "host",
        "How far it goes from the seeds.",
        choices=("page", "path", "host", "domain", "any"),
    )
    include: tuple[str, ...] = _setting((), "Only addresses in which one of these RE2 patterns is found.")
    exclude: tuple[str, ...] = _setting((), "No addresses in which one of these RE2 patterns is found.")
    suffixes: tuple[str, ...] = _setting((), "Names to treat as public suffixes: what is below them is a site.")
    depth: int = _setting(20, "Most links from a seed.", least=0)
    pages: int = _setting(0, "Stop at so many pages in the collection; 0 for no limit.", least=0)
    order: str = _setting("breadth", "Which pages of a host come first.", choices=tuple(ORDERS))
    site_orders: dict[str, str] = field(
        default_factory=dict, metadata={"text": "Another order for the pages of a site.", "choices": ()}
    )
    sitemaps: str = _setting(
        "auto",
        "Read sitemaps: auto leaves them when depth is limited or only the seeds are wanted.",
        choices=("auto", "always", "never"),
    )
    url_length: int = _setting(2_048, "Longest address, in bytes.", least=16)
    path_segments: int = _setting(20, "Most path segments of an address.", least=1)
    url_rules: tuple[str, ...] = _setting((), "Further rules of the table in docs/addresses.md, for all sites.")
    site_rules: dict[str, tuple[str, ...]] = field(
        default_factory=dict, metadata={"text": "Further rules by site.", "choices": ()}
    )

    delay: float = _setting(1.0, "Least seconds between two requests to a host; 0 switches it off.", least=0)
    ip_delay: float = _setting(0.5, "Least seconds between two requests to an IP address.", least=0)
    delay_factor: float = _setting(10.0, "A host rests this many times the time its answers take.", least=0)
    delay_longest: float = _setting(30.0, "Longest rest that slow answers alone can ask for.", least=0)
    crawl_delay_longest: float = _setting(300.0, "Longest Crawl-delay that is obeyed.", least=0)
    per_host: int = _setting(1, "Requests a host may have at once.", least=1)
    bandwidth: int = _setting(0, "Most bytes per second for each request; 0 for no limit.", least=0)
    patience: float = _setting(
        90.0, "Seconds that a crawl with nothing else to do waits for retries and paused hosts.", least=0
    )
    workers: int = _setting(
        128,
        "Visits under way at once in each shard; those that take longer than 5 s do not count, up to as many again.",
        least=1,
    )
    shards: int = _setting(
        0,
        "Processes that share the work, each with its own sites, at most 1024; fixed by the first crawl."
        " 0: one for each core.",
        least=0,
        most=1024,
    )

    contact: str = _setting("", "Address or web page of who runs the crawl; part of the agent string.")
    allow_addresses: tuple[str, ...] = _setting((), "Address ranges that are opened, as 10.1.0.0/16.")
    names: str = _setting(
        "servers",
        "Who looks names up: the name servers, or the functions of the system, which may know names that they do not.",
        choices=("servers", "system"),
    )
    proxy: str = _setting("", "Proxy for all requests, as http://host:port.")
    ca_file: str = _setting("", "File of certificate authorities to trust instead of the system's.")
    head: str = _setting(
        "unknown",
        "HEAD before GET: for addresses that look like unwanted types, for all, or never.",
        choices=("never", "unknown", "always"),
    )
    connect_seconds: float = _setting(10.0, "Longest wait for a connection.", least=0.1)
    first_byte_seconds: float = _setting(20.0, "Longest wait for the first byte.", least=0.1)
    idle_seconds: float = _setting(20.0, "Longest silence within an answer.", least=0.1)
    total_seconds: float = _setting(120.0, "Longest time for one answer.", least=0.1)
    html_bytes: int = _setting(5 << 20, "Most bytes of an HTML page, decoded; at most 32 MiB.", least=1, most=32 << 20)
    text_bytes: int = _setting(10 << 20, "Most bytes of other text, decoded; at most 32 MiB.", least=1, most=32 << 20)
    document_bytes: int = _setting(
        64 << 20, "Most bytes of any other document, decoded; at most 128 MiB.", least=1, most=128 << 20
    )
    memory: int = _setting(
        96 << 20,
        "Bytes of answers that are held in memory at once, over all shards; what is over waits.",
        least=1 << 20,
    )
    document_seconds: float = _setting(20.0, "Most seconds of CPU for reading a document that is no HTML.", least=0.1)
    document_memory: int = _setting(256 << 20, "Most bytes of memory for reading such a document.", least=16 << 20)

    content: str = _setting(DEFAULT, "How the main content of a page is found.", choices=METHODS)
    build: bool = _setting(True, "Make texts, index and graph as the crawl goes; otherwise `gossamer build` does.")
    title_weight: float = _setting(0.5, "What a word in the title counts against one in the text.", least=0)
    headings_weight: float = _setting(0.4, "The same for headings.", least=0)
    address_weight: float = _setting(0.4, "The same for the address.", least=0)
    anchors_weight: float = _setting(1.5, "The same for what others call a page.", least=0)
    phrase_weight: float = _setting(0.3, "What words that stand next to each other count besides.", least=0)
    rank_weight: float = _setting(1.5, "The most that links to a page add to its score.", least=0)
    fresh_weight: float = _setting(0.3, "The most that being new adds to the score of a page.", least=0)
    expansion_weight: float = _setting(
        0.4, "What telling words of the first answers to a long question count.", least=0
    )
    warc_bytes: int = _setting(1 << 30, "A new WARC file is begun at this size.", least=1 << 16)
    disk_pause: int = _setting(2 << 30, "Pause while fewer bytes than this are free on the disk.", least=0)
    disk_pause_share: float = _setting(0.05, "Pause while less than this share of the disk is free.", least=0)
    disk_stop: int = _setting(512 << 20, "Stop when fewer bytes than this are free on the disk.", least=0)

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, list):
                object.__setattr__(self, spec.name, value := tuple(value))  # from Python a list will do
            _check(spec, value)

    def changed(self, **settings: Any) -> Plan:
        """A plan with other settings; the old one stays as it is."""
        unknown = set(settings) - {spec.name for spec in dataclasses.fields(self)}
        if unknown:
            raise InvalidPlan(_unknown(sorted(unknown)))
        return dataclasses.replace(self, **settings)

    def as_scope(self) -> Scope:
        """The part that says which addresses are inside."""
        return Scope(
            kind=self.scope,
            seeds=frozenset(self.seeds),
            include=self.include,
            exclude=self.exclude,
            suffixes=frozenset(self.suffixes),
            max_depth=self.depth,
            max_segments=self.path_segments,
            max_length=self.url_length,
        )

    def as_politeness(self) -> Politeness:
        """The part that site owners care about."""
        return Politeness(
            delay=self.delay,
            ip_delay=self.ip_delay,
            factor=self.delay_factor,
            longest=self.delay_longest,
            crawl_delay_most=self.crawl_delay_longest,
            per_host=self.per_host,
        )

    def as_limits(self) -> Limits:
        """The part that keeps one answer within bounds."""
        return Limits(
            connect=self.connect_seconds,
            first_byte=self.first_byte_seconds,
            idle=self.idle_seconds,
            total=self.total_seconds,
            html=self.html_bytes,
            text=self.text_bytes,
            document=self.document_bytes,
            bandwidth=self.bandwidth,
        )

    def as_weights(self) -> Weights:
        """What search goes by."""
        return Weights(
            title=self.title_weight,
            headings=self.headings_weight,
            anchors=self.anchors_weight,
            address=self.address_weight,
            phrase=self.phrase_weight,
            rank=self.rank_weight,
            fresh=self.fresh_weight,
            expansion=self.expansion_weight,
        )

    def as_cell(self) -> CellLimits:
        """The part that keeps the reading of one document within bounds. A busy machine may be slow, so it has time."""
        return CellLimits(cpu=self.document_seconds, seconds=3 * self.document_seconds, memory=self.document_memory)

    def as_marks(self) -> Marks:
        """The part that keeps room on the disk."""
        return Marks(self.disk_pause, self.disk_pause_share, self.disk_stop)

    def as_identity(self) -> Identity:
        """Who we say we are."""
        return Identity(contact=self.contact)

    def weighs(self) -> bool:
        """Does an order need to know what pages are worth?"""
        return "importance" in (self.order, *self.site_orders.values())

    def reads_sitemaps(self) -> bool:
        """Does this crawl look for sitemaps?"""
        whole = self.scope != "page" and self.depth >= 20
        return self.sitemaps == "always" or (self.sitemaps == "auto" and whole)


def load(path: Path) -> Plan:
    """Read a plan; unknown or impossible settings are named."""
    try:
        text = files.read(path).decode()
    except UnicodeDecodeError as error:
        raise InvalidPlan(f"{path}: not valid TOML: {error}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Plan:
    """The same for what stands in a plan; `path` is where it is from."""
    try:
        return _parsed(text, path)
    except tomllib.TOMLDecodeError as error:
        twice = "; it is in the file already, so write below its line" if "Cannot declare" in str(error) else ""
        raise InvalidPlan(f"{path}: not valid TOML: {error}{twice}") from error
    except RecursionError as error:
        raise InvalidPlan(f"{path}: not valid TOML: values are nested too deeply") from error
    except ValueError as error:  # digits that Python does not read, or show, because it would take too long
        raise InvalidPlan(f"{path}: not valid TOML: a number is too large") from error


def _parsed(text: str, path: Path) -> Plan:
    if _DEEP.search(text):
        raise RecursionError  # at once: a key takes time by the square of its parts
    data = tomllib.loads(text)
    known = {spec.name: spec for spec in dataclasses.fields(Plan)}
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise InvalidPlan(f"{path}: {_unknown(unknown)}")
    try:
        return Plan(**{name: _frozen(value) for name, value in data.items()})
    except InvalidPlan as error:  # what nobody can have meant has a cause, a slip has none
        raise InvalidPlan(f"{path}: {error}") from error.__cause__


def is_ours(text: str) -> bool:
    """Was a plan written by us, whatever was done to it since?"""
    return _HEADER in text


def is_whole(text: str) -> bool:
    """Is a plan there to its end? One that we did not write may end anywhere."""
    return _WHOLE not in text or _LAST in text


def dump(plan: Plan) -> str:
    """The plan as TOML, each setting under the line that says what it does; defaults are commented out."""
    lines = [_HEADER, _WHOLE, ""]
    tables = []
    for spec in dataclasses.fields(plan):
        value = getattr(plan, spec.name)
        if isinstance(value, dict):
            tables.append((spec, value))
            continue
        lines += [
            f"# {spec.metadata['text']}",
            f"{'# ' if value == spec.default else ''}{spec.name} = {toml(value)}",
        ]
    for spec, table in tables:
        lines += ["", f"# {spec.metadata['text']}", f"[{spec.name}]"]
        lines += [f"{toml(name)} = {toml(value)}" for name, value in table.items()]
    lines += ["", _LAST]
    return "\n".join(lines) + "\n"


def _unknown(names: Sequence[str]) -> str:
    known = [spec.name for spec in dataclasses.fields(Plan)]
    near = [meant[0] for name in names if (meant := difflib.get_close_matches(name, known, 1))]
    hint = f"perhaps {', '.join(near)} is meant; " if near else ""
    return f"unknown setting {', '.join(names)}; {hint}docs/settings.md lists them all"


def _check(spec: dataclasses.Field[Any], value: Any) -> None:
    choices, least, most = (spec.metadata.get(name) for name in ("choices", "least", "most"))
    if choices and value not in choices:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be one of {', '.join(choices)}")
    default = spec.default if spec.default is not dataclasses.MISSING else {}
    if not _same_type(value, default):
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be {_KINDS[type(default)]}, like {toml(default)}")
    if least is not None and not value >= least:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be at least {least:g}")
    if isinstance(value, int) and most is not None and value > most:
        shown = value if value <= _MOST else "larger than any number of TOML"
        raise InvalidPlan(f"{spec.name} is {shown}; it must be at most {most}") from OverflowError()
    if spec.name == "url_rules":
        _check_rules(value)
    elif spec.name == "site_rules":
        for site, names in value.items():
            if not _same_type(names, ()):
                raise InvalidPlan(f"{_in_table(spec, site, names)}; it must be a list of rules, like {toml(_A_RULE)}")
            _check_rules(names)
    elif spec.name == "site_orders":
        _check_orders(spec, value)


def _check_rules(names: tuple[str, ...]) -> None:
    url_rules.apply("http://example.org/", names)  # an unknown name is told now, not at the first link


def _in_table(spec: dataclasses.Field[Any], name: str, value: Any) -> str:
    """What stands in a table. Whoever writes a setting at the end of the file has written it into the last one."""
    known = [each.name for each in dataclasses.fields(Plan)]
    meant = name in known or difflib.get_close_matches(name, known, 1, 0.8)
    hint = "; a setting stands above the first [table] of the file" if meant else ""
    return f"{spec.name} has {value!r} for {name}{hint}"


def _check_orders(spec: dataclasses.Field[Any], orders: dict[str, Any]) -> None:
    for name, order in orders.items():
        if order not in tuple(ORDERS):
            raise InvalidPlan(f"{_in_table(spec, name, order)}; it must be one of {', '.join(ORDERS)}")


def _same_type(value: Any, default: Any) -> bool:
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, tuple):
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    return type(value) is type(default)


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return value


def public(plan: Plan) -> Plan:
    """The plan without what only its owner may read: the password of a proxy."""
    scheme, _, rest = plan.proxy.rpartition("://")
    return plan.changed(proxy=f"{scheme}://{rest.rpartition('@')[2]}") if "@" in rest else plan


def toml(value: Any) -> str:
    """A value as it stands in a plan."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in escaped) + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0")
