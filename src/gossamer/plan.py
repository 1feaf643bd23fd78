"""All settings, gathered: what was asked for, kept as plan.toml in the collection.

The settings are listed in `settings.py`. Here they become one value, which is checked, written as TOML and read back,
and handed to the parts that need them.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer import files, toml_text
from gossamer.errors import InvalidPlan, UsageError
from gossamer.fetch import Identity, Limits, login_table
from gossamer.fetch.limits import MEDIA, SOFTWARE
from gossamer.frontier.polite.hosts import Politeness
from gossamer.search.weights import Weights
from gossamer.setting_text import TYPES
from gossamer.settings import LARGEST, SETTINGS
from gossamer.store.disk import Marks
from gossamer.store.retention import Rule
from gossamer.urls import rules as url_rules
from gossamer.urls.paths import canonical, is_path
from gossamer.urls.scope import Scope
from gossamer.urls.seeds import address

if TYPE_CHECKING:
    from gossamer.engine.sandbox_child import Limits as CellLimits

FILE = "plan.toml"
FILES_AT_ONCE = 4
"""Files that are read at the same time."""
FOLDERS_LENGTH = 16_384
"""Characters of the address of a file: a path has up to 4,096 bytes, and each may be three."""
_HEADER = "# What this collection was asked for. Edit it between crawls; lines that start with # are defaults."
_WHOLE = "# Keep the last line: a plan without it was cut short."
_LAST = "# That was all."
_A_RULE = ("tracking",)
_HALF = re.compile("[\ud800-\udfff]")
"""Bytes of a command line that are no UTF-8: TOML has no way to write them."""
_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    dict: "a table",
}


def _setting(name: str) -> Any:
    return field(default=SETTINGS[name].default, metadata=_about(name))


def _about(name: str) -> dict[str, Any]:
    return {each: getattr(SETTINGS[name], each) for each in ("text", "choices", "least", "most")}


@dataclass(frozen=True)
class Plan:
    """What to crawl, how politely, and how to keep it."""

    seeds: tuple[str, ...] = _setting("seeds")
    folders: tuple[str, ...] = _setting("folders")
    hidden: bool = _setting("hidden")
    ignore_files: bool = _setting("ignore_files")
    scope: str = _setting("scope")
    include: tuple[str, ...] = _setting("include")
    exclude: tuple[str, ...] = _setting("exclude")
    suffixes: tuple[str, ...] = _setting("suffixes")
    depth: int = _setting("depth")
    pages: int = _setting("pages")
    bytes: int = _setting("bytes")
    time: float = _setting("time")
    budget: float = _setting("budget")
    budget_bytes: int = _setting("budget_bytes")
    goal: str = _setting("goal")
    revisit_policy: str = _setting("revisit_policy")
    keep: str = _setting("keep")
    pages_per_host: int = _setting("pages_per_host")
    order: str = _setting("order")
    topic: str = _setting("topic")
    topic_learn: bool = _setting("topic_learn")
    on_page: str = _setting("on_page")
    forms: str = _setting("forms")
    form_budget: int = _setting("form_budget")
    archive: bool = _setting("archive")
    requisites: bool = _setting("requisites")
    requisite_delay: float = _setting("requisite_delay")
    requisite_bytes: int = _setting("requisite_bytes")
    requisites_per_host: int = _setting("requisites_per_host")
    requisites_robots: str = _setting("requisites_robots")
    site_orders: dict[str, str] = field(default_factory=dict, metadata=_about("site_orders"))
    sitemaps: str = _setting("sitemaps")
    url_length: int = _setting("url_length")
    path_segments: int = _setting("path_segments")
    url_rules: tuple[str, ...] = _setting("url_rules")
    site_rules: dict[str, tuple[str, ...]] = field(default_factory=dict, metadata=_about("site_rules"))

    delay: float = _setting("delay")
    ip_delay: float = _setting("ip_delay")
    delay_factor: float = _setting("delay_factor")
    delay_longest: float = _setting("delay_longest")
    crawl_delay_longest: float = _setting("crawl_delay_longest")
    per_host: int = _setting("per_host")
    bandwidth: int = _setting("bandwidth")
    patience: float = _setting("patience")
    workers: int = _setting("workers")
    shards: int = _setting("shards")
    store: str = _setting("store")
    checkpoint_seconds: float = _setting("checkpoint_seconds")
    engine: str = _setting("engine")
    lease: float = _setting("lease")
    node_disk: str = _setting("node_disk")

    contact: str = _setting("contact")
    allow_addresses: tuple[str, ...] = _setting("allow_addresses")
    names: str = _setting("names")
    proxy: str = _setting("proxy")
    logins: dict[str, tuple[str, ...]] = field(default_factory=dict, metadata=_about("logins"))
    ca_file: str = _setting("ca_file")
    head: str = _setting("head")
    render: str = _setting("render")
    connect_seconds: float = _setting("connect_seconds")
    first_byte_seconds: float = _setting("first_byte_seconds")
    idle_seconds: float = _setting("idle_seconds")
    total_seconds: float = _setting("total_seconds")
    html_bytes: int = _setting("html_bytes")
    text_bytes: int = _setting("text_bytes")
    document_bytes: int = _setting("document_bytes")
    memory: int = _setting("memory")
    document_seconds: float = _setting("document_seconds")
    document_memory: int = _setting("document_memory")

    content: str = _setting("content")
    build: bool = _setting("build")
    title_weight: float = _setting("title_weight")
    headings_weight: float = _setting("headings_weight")
    address_weight: float = _setting("address_weight")
    anchors_weight: float = _setting("anchors_weight")
    phrase_weight: float = _setting("phrase_weight")
    rank_weight: float = _setting("rank_weight")
    fresh_weight: float = _setting("fresh_weight")
    expansion_weight: float = _setting("expansion_weight")
    warc_bytes: int = _setting("warc_bytes")
    disk_pause: int = _setting("disk_pause")
    disk_pause_share: float = _setting("disk_pause_share")
    disk_stop: int = _setting("disk_stop")

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, list):
                object.__setattr__(self, spec.name, value := tuple(value))
            _check(spec, value)
        if self.folders:
            _check_folders(self)

    def changed(self, **settings: Any) -> Plan:
        """A plan with other settings; the old one stays as it is. A delay that is named alone is that of both kinds."""
        settings = _both_delays(settings)
        unknown = set(settings) - {spec.name for spec in dataclasses.fields(self)}
        if unknown:
            raise InvalidPlan(_unknown(sorted(unknown)))
        return dataclasses.replace(self, **{name: _as_given(name, value) for name, value in settings.items()})

    def as_scope(self) -> Scope:
        """The part that says which addresses are inside."""
        if self.folders:
            return Scope(
                "folders", frozenset(self.folders), self.include, self.exclude, max_length=FOLDERS_LENGTH, max_depth=0
            )
        return Scope(
            kind=self.scope,
            seeds=frozenset(map(address, self.seeds)),
            include=self.include,
            exclude=self.exclude,
            suffixes=frozenset(self.suffixes),
            max_depth=self.depth,
            max_segments=self.path_segments,
            max_length=self.url_length,
        )

    def as_politeness(self) -> Politeness:
        """The part that site owners care about; a disk cares about nothing."""
        if self.folders:
            return Politeness(delay=0.0, ip_delay=0.0, per_host=FILES_AT_ONCE)
        return Politeness(
            delay=self.delay,
            ip_delay=self.ip_delay,
            factor=self.delay_factor,
            longest=self.delay_longest,
            crawl_delay_most=self.crawl_delay_longest,
            per_host=self.per_host,
            requisite_delay=self.requisite_delay,
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
            requisite=self.requisite_bytes,
            skip_types=SOFTWARE if self.archive else (*MEDIA, *SOFTWARE),
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
        from gossamer.engine.sandbox_child import Limits as CellLimits

        return CellLimits(cpu=self.document_seconds, seconds=3 * self.document_seconds, memory=self.document_memory)

    def as_marks(self) -> Marks:
        """The part that keeps room on the disk."""
        return Marks(self.disk_pause, self.disk_pause_share, self.disk_stop)

    def as_identity(self) -> Identity:
        """Who we say we are."""
        return Identity(contact=self.contact)

    def as_retention(self) -> Rule:
        """The part that says which old versions stay."""
        return Rule.of(self.keep)

    def weighs(self) -> bool:
        """Does an order need to know what pages are worth?"""
        return "importance" in (self.order, *self.site_orders.values())

    def keeps_requisites(self) -> bool:
        """Does this crawl keep what pages need to look as they do?"""
        return (self.archive or self.requisites) and not self.folders

    def reads_sitemaps(self) -> bool:
        """Does this crawl look for sitemaps?"""
        if self.folders:
            return False
        whole = self.scope != "page" and self.depth >= 20
        return self.sitemaps == "always" or (self.sitemaps == "auto" and whole)


def load(path: Path) -> Plan:
    """Read a plan; unknown or impossible settings are named."""
    try:
        text = files.read(path).decode("utf-8-sig")  # editors of Windows begin a file with a mark
    except UnicodeDecodeError as error:
        raise InvalidPlan(f"{path}: not valid TOML: {error}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Plan:
    """The same for what stands in a plan; `path` is where it is from."""
    try:
        return _parsed(text, path)
    except toml_text.InvalidTOML as error:
        twice = "; it is in the file already, so write below its line" if "Cannot declare" in str(error) else ""
        raise InvalidPlan(f"{path}: not valid TOML: {error}{twice}") from error
    except RecursionError as error:  # what was read cannot be shown
        raise InvalidPlan(f"{path}: not valid TOML: values are nested too deeply") from error


@lru_cache(maxsize=16)  # a crawl looks a dozen times
def _parsed(text: str, path: Path) -> Plan:
    data = toml_text.loads(text)
    known = {spec.name: spec for spec in dataclasses.fields(Plan)}
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise InvalidPlan(f"{path}: {_unknown(unknown)}")
    try:
        return Plan(**{name: _meant(name, value) for name, value in data.items()})
    except InvalidPlan as error:  # what nobody can have meant has a cause, a slip has none
        raise InvalidPlan(f"{path}: {error}") from error.__cause__


def _meant(name: str, value: Any) -> Any:
    """A time or a size may be written as on the command line."""
    unit = SETTINGS[name].unit
    if not unit or not isinstance(value, str):
        return _frozen(value)
    try:
        return TYPES[unit](value)
    except ArgumentTypeError as error:
        raise InvalidPlan(f"{name}: {error}") from None


def is_meant(text: str) -> bool:
    """Did somebody write it as a plan, whatever was done to it since? We have, or it names a setting."""
    return _HEADER in text or any(line.partition("=")[0].strip() in SETTINGS for line in text.splitlines())


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
            f"# {spec.metadata['text']}{_choices(spec)}",
            f"{'# ' if value == spec.default else ''}{spec.name} = {toml(value)}",
        ]
    for spec, table in tables:
        lines += ["", f"# {spec.metadata['text']}", f"[{spec.name}]"]
        lines += [f"{toml(name)} = {toml(value)}" for name, value in table.items()]
    lines += ["", _LAST]
    return "\n".join(lines) + "\n"


def _choices(spec: dataclasses.Field[Any]) -> str:
    choices = spec.metadata["choices"]
    return f" One of {', '.join(choices)}." if choices else ""


def _unknown(names: Sequence[str]) -> str:
    known = [spec.name for spec in dataclasses.fields(Plan)]
    near = [meant[0] for name in names if (meant := difflib.get_close_matches(name, known, 1))]
    hint = f"perhaps {', '.join(near)} is meant; " if near else ""
    return f"unknown setting {', '.join(names)}; {hint}the plan.toml of a new collection lists them all"


def _check(spec: dataclasses.Field[Any], value: Any) -> None:
    choices, least, most = (spec.metadata.get(name) for name in ("choices", "least", "most"))
    if choices and value not in choices:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be one of {', '.join(choices)}")
    default = spec.default if spec.default is not dataclasses.MISSING else {}
    if not _same_type(value, default):
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be {_KINDS[type(default)]}, like {toml(default)}")
    if _has_half(value):
        raise InvalidPlan(f"{spec.name} has bytes that are not UTF-8; write it in UTF-8, or rename the file it names")
    if isinstance(value, float) and not isfinite(value):
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be a number that has an end")
    if least is not None and not value >= least:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be at least {least:g}")
    if isinstance(value, int | float) and most is not None and value > most:
        shown = "larger than any number of TOML" if isinstance(value, int) and value > LARGEST else f"{value}"
        raise InvalidPlan(f"{spec.name} is {shown}; it must be at most {most}") from OverflowError()
    if spec.name in ("include", "exclude") and "" in value:
        raise InvalidPlan(
            f"{spec.name} has an empty pattern, which every address has; leave it out (`--set {spec.name}=` empties it)"
        )
    if spec.name == "keep":
        _check_keep(value)
    elif spec.name == "url_rules":
        _check_rules(value)
    elif spec.name == "site_rules":
        for site, names in value.items():
            if not _same_type(names, ()):
                raise InvalidPlan(f"{_in_table(spec, site, names)}; it must be a list of rules, like {toml(_A_RULE)}")
            _check_rules(names)
    elif spec.name == "site_orders":
        _check_orders(spec, value)
    elif spec.name == "logins":
        _check_logins(value)


def _check_keep(value: str) -> None:
    try:
        Rule.of(value)
    except ValueError:
        raise InvalidPlan(f"keep is {value!r}; it must be all, or like 'last 5' or '90 days'") from None


def _check_folders(plan: Plan) -> None:
    """Of the web or of this machine: what may be shown to others of the one may not of the other."""
    if plan.seeds:
        raise InvalidPlan(
            "a collection has seeds or folders: pages of the web and files of this machine are kept apart; make another"
            " collection for these"
        )
    for folder in plan.folders:
        if not is_path(folder) or canonical(folder) != folder:
            raise InvalidPlan(f"folders has {folder!r}; it must be an address like file:///home/me/notes")
    if plan.shards > 1:
        raise InvalidPlan(f"shards is {plan.shards}; files of one machine are in one shard")


def _has_half(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_HALF.search(value))
    if isinstance(value, dict):
        return any(_has_half(each) for pair in value.items() for each in pair)
    return isinstance(value, tuple) and any(map(_has_half, value))


def _check_rules(names: tuple[str, ...]) -> None:
    url_rules.apply("http://example.org/", names)  # an unknown name is reported now, not at the first link


def _in_table(spec: dataclasses.Field[Any], name: str, value: Any) -> str:
    """What stands in a table."""
    return f"{spec.name} has {value!r} for {name}{_misplaced(name)}"


def _misplaced(name: str) -> str:
    """Whoever writes a setting at the end of the file has written it into the last table."""
    known = [each.name for each in dataclasses.fields(Plan)]
    meant = name in known or difflib.get_close_matches(name, known, 1, 0.8)
    return "; a setting stands above the first [table] of the file" if meant else ""


def _check_orders(spec: dataclasses.Field[Any], orders: dict[str, Any]) -> None:
    for name, order in orders.items():
        if order not in SETTINGS["order"].choices:
            known = ", ".join(SETTINGS["order"].choices)
            raise InvalidPlan(f"{_in_table(spec, name, order)}; it must be one of {known}")


def _check_logins(logins: dict[str, Any]) -> None:
    """What stands there by mistake may be a password: it is not repeated."""
    for name, entries in logins.items():
        if not _same_type(entries, ()):
            raise InvalidPlan(f'logins of {name}: must be a list, like ["header X-Key: $NAME"]{_misplaced(name)}')
        try:
            for entry in entries:
                login_table.check(entry)
        except UsageError as error:
            raise InvalidPlan(f"logins of {name}: {error}") from None


def _same_type(value: Any, default: Any) -> bool:
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, tuple):
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    return type(value) is type(default)


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """What a program gives as a list: any that can be gone through; one text is a list of one."""
    return (value,) if isinstance(value, str) else tuple(value)


def _both_delays(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Whoever names one delay means what is noticed, and that is the longer of the two: so both are it."""
    alone = "delay" in settings and "ip_delay" not in settings
    return {**settings, "ip_delay": settings["delay"]} if alone else dict(settings)


def _as_given(name: str, value: Any) -> Any:
    """A setting as a program gives it, in the form of the plan, where there is no doubt what is meant."""
    default = SETTINGS[name].default
    if isinstance(default, tuple):
        return _as_texts(value)
    if isinstance(default, dict) and isinstance(value, Mapping):
        lists = name != "site_orders"
        return {key: _as_texts(each) if lists else each for key, each in value.items()}
    return os.fspath(value) if isinstance(default, str) and isinstance(value, os.PathLike) else value


def _as_texts(value: Any) -> Any:
    """Anything else than texts is left as it is, and refused with its name."""
    return texts(value) if isinstance(value, Iterable) and not isinstance(value, bytes | Mapping) else value


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
        return '"' + "".join(c if c.isprintable() else _escape(ord(c)) for c in escaped) + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(name)} = {toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0")


def _escape(code: int) -> str:
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
