"""Which column families does the table of a shard have? Those that its rooms name, all together."""

from __future__ import annotations

from gossamer.collection.imports.import_filter import IMPORTS
from gossamer.dedupe.families import FAMILIES as DEDUPE_FAMILIES
from gossamer.frontier.entries import FAMILIES as FRONTIER_FAMILIES
from gossamer.store.archive import FAMILIES as STORE_FAMILIES

FAMILIES = (*FRONTIER_FAMILIES, *STORE_FAMILIES, *DEDUPE_FAMILIES, IMPORTS)
