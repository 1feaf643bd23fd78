"""Which column families does the table of a shard have? Those that its rooms name, all together."""

from __future__ import annotations

from gossamer.dedupe.families import FAMILIES as DEDUPE_FAMILIES
from gossamer.frontier.entries import FAMILIES as FRONTIER_FAMILIES
from gossamer.store.archive import FAMILIES as STORE_FAMILIES

IMPORTS = "imports"
"""mark of a file -> Row; row key of an address, NUL, date of a 304 -> nothing, for it has no other row"""
FAMILIES = (*FRONTIER_FAMILIES, *STORE_FAMILIES, *DEDUPE_FAMILIES, IMPORTS)
