"""What was a crawl asked for? All settings as one value, from which each part gets its own.

The settings are listed in `settings.py`; what they may be is in `checks`. Each part is loaded when somebody wants it
from the plan: a question wants hardly any.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gossamer.errors import InvalidPlan
from gossamer.plan.checks import check, check_folders, unknown
from gossamer.settings import SETTINGS
from gossamer.urls.seeds import address

if TYPE_CHECKING:
    from gossamer.engine.sandbox_child import Limits as CellLimits
    from gossamer.fetch import Identity, Limits
    from gossamer.frontier.polite.host_delays import Politeness
    from gossamer.search.bm25f_weights import Weights
    from gossamer.store.disk import Marks
    from gossamer.store.retention import Rule
    from gossamer.urls.scope import Scope

FILES_AT_ONCE = 4
"""Files that are read at the same time."""
FOLDERS_LENGTH = 16_384
"""Characters of the address of a file: a path has up to 4,096 bytes, and each may be three."""


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
    screenshots: bool = _setting("screenshots")
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
    cluster_weight: float = _setting("cluster_weight")
    warc_bytes: int = _setting("warc_bytes")
    disk_pause: int = _setting("disk_pause")
    disk_pause_share: float = _setting("disk_pause_share")
    disk_stop: int = _setting("disk_stop")

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, list):
                object.__setattr__(self, spec.name, value := tuple(value))
            check(spec, value)
        if self.folders:
            check_folders(self.seeds, self.folders, self.shards)

    def changed(self, **settings: Any) -> Plan:
        """A plan with other settings; the old one stays as it is. A delay that is named alone is that of both kinds."""
        settings = both_delays(settings)
        if strange := settings.keys() - SETTINGS:
            raise InvalidPlan(unknown(sorted(strange)))
        return dataclasses.replace(self, **{name: _as_given(name, value) for name, value in settings.items()})

    def as_scope(self) -> Scope:
        """The part that says which addresses are inside."""
        from gossamer.urls.scope import Scope

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
        from gossamer.frontier.polite.host_delays import Politeness

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
        from gossamer.fetch.limits import MEDIA, SOFTWARE, Limits

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
        from gossamer.search.bm25f_weights import Weights

        return Weights(
            title=self.title_weight,
            headings=self.headings_weight,
            anchors=self.anchors_weight,
            address=self.address_weight,
            phrase=self.phrase_weight,
            rank=self.rank_weight,
            fresh=self.fresh_weight,
            expansion=self.expansion_weight,
            cluster=self.cluster_weight,
        )

    def as_cell(self) -> CellLimits:
        """The part that keeps the reading of one document within bounds. A busy machine may be slow, so it has time."""
        from gossamer.engine.sandbox_child import Limits as CellLimits

        return CellLimits(cpu=self.document_seconds, seconds=3 * self.document_seconds, memory=self.document_memory)

    def as_marks(self) -> Marks:
        """The part that keeps room on the disk."""
        from gossamer.store.disk import Marks

        return Marks(self.disk_pause, self.disk_pause_share, self.disk_stop)

    def as_identity(self) -> Identity:
        """Who we say we are."""
        from gossamer.fetch import Identity

        return Identity(contact=self.contact)

    def as_retention(self) -> Rule:
        """The part that says which old versions stay."""
        from gossamer.store.retention import Rule

        return Rule.of(self.keep)

    @property
    def is_local(self) -> bool:
        """Is it this machine alone that crawls?"""
        return self.engine == "local"

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


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """What a program gives as a list: any that can be gone through; one text is a list of one."""
    return (value,) if isinstance(value, str) else tuple(value)


def both_delays(settings: Mapping[str, Any]) -> dict[str, Any]:
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


def public(plan: Plan) -> Plan:
    """The plan without what only its owner may read: the password of a proxy."""
    scheme, _, rest = plan.proxy.rpartition("://")
    return plan.changed(proxy=f"{scheme}://{rest.rpartition('@')[2]}") if "@" in rest else plan
