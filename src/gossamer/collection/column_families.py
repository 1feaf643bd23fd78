"""Which column families does the table of a shard have? Those that its rooms name, all together.

Those that are large, and queues, from which rows go as quickly as they come, have files of their own; the others share.
"""

from __future__ import annotations

from gossamer.dedupe.column_families import BLOCKS
from gossamer.dedupe.column_families import FAMILIES as DEDUPE_FAMILIES
from gossamer.frontier import entries
from gossamer.frontier.entries import FAMILIES as FRONTIER_FAMILIES
from gossamer.store.table.locality import Grouped
from gossamer.store.versions import FAMILIES as STORE_FAMILIES
from gossamer.store.versions import STATE

IMPORTS = "imports"
"""mark of a file -> Row; row key of an address, NUL, date of a 304 -> nothing, for it has no other row"""
SMALL = (
    *(entries.META, entries.STANDING, entries.HOSTS, entries.BACKLOG, entries.TALLIES, entries.ROBOTS, entries.SITES),
    *(entries.TEMPLATES, entries.PARAMETERS, entries.PROBES, entries.RATES, entries.TRUST, entries.RENDERS),
    *(entries.FORMS, STATE, BLOCKS, IMPORTS),
)
"""Few rows: of the shard, its hosts and sites, its kinds of addresses."""
BY_PAGE = (
    *(entries.LATER, entries.REVISITS, entries.FRESHNESS, entries.HUBS, entries.TEXTS, entries.TOPICS),
    *(entries.RECORDS, entries.LINKERS, entries.OUTBOX, entries.FIRSTS),
)
"""A row for each page or fewer; most crawls use some of them only."""
_GROUPS = {**dict.fromkeys(SMALL, "small"), **dict.fromkeys(BY_PAGE, "by_page")}
FAMILIES: tuple[str, ...] = tuple(
    Grouped(name, _GROUPS[name]) if name in _GROUPS else name
    for name in (*FRONTIER_FAMILIES, *STORE_FAMILIES, *DEDUPE_FAMILIES, IMPORTS)
)


def only(*names: str) -> tuple[str, ...]:
    """These of them, as a table has them."""
    return tuple(family for family in FAMILIES if family in names)
