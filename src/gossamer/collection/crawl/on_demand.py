"""Which parts does a crawl have only where its plan asks for them? Each is loaded when it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.model import Clock
from gossamer.plan import Plan
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.crawl.folders import Folders
    from gossamer.collection.crawl.page_function import PageFunction
    from gossamer.collection.crawl.topics import TopicField
    from gossamer.topic.judge import Judge


def topic_judge(plan: Plan, collection: Path, table: Table, *, may_lack: bool = False) -> Judge | None:
    """Says how far pages are on the topic of a crawl. A build `may_lack` it: no crawl has learned it yet."""
    if not plan.topic:
        return None
    from gossamer.collection.crawl.topics import is_known, judge_for

    return None if may_lack and not is_known(collection) else judge_for(plan, collection, table)


def topic_field(judge: Judge | None, table: Table) -> TopicField | None:
    """Puts into each page how far it is on the topic."""
    if judge is None:
        return None
    from gossamer.collection.crawl.topics import TopicField

    return TopicField(judge, table)


def note_learned(table: Table, judge: Judge) -> None:
    """Keeps what a judge has learned."""
    from gossamer.collection.crawl.topics import note

    note(table, judge)


def page_function(
    plan: Plan, table: Table, collection: Path | None, handed_in: Callable[[Any], Any] | None = None
) -> PageFunction | None:
    """What the plan, or who is `handed_in`, calls with each page."""
    if collection is None or not (plan.on_page or handed_in):
        return None
    from gossamer.collection.crawl.page_function import function_of

    return function_of(plan, table, collection, handed_in)


def folders_of(plan: Plan, collection: Path | None, clock: Clock) -> Folders | None:
    """The files of this machine that it reads."""
    if not plan.folders:
        return None
    from gossamer.collection.crawl.folders import Folders

    return Folders(plan, collection, clock)
