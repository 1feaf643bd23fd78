"""What does a search need besides the index?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gossamer.index.anchor_index import AnchorIndex
from gossamer.index.entry import Shown
from gossamer.search.query_builder import Linking


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What is known of pages, their links and their texts, and the time."""

    texts: Callable[[Sequence[tuple[int, Shown]]], Sequence[str]]
    """The main contents of pages, by shard and what the index shows of them."""
    ranks: Callable[[Sequence[int]], Sequence[float]]
    """How each page ranks by its links, by fingerprint; 1 is usual."""
    linking: Linking
    now: float
    anchor_index: AnchorIndex | None = None
    """What others call the pages; None before there is a graph."""
    copies: Callable[[int], tuple[str, ...]] = lambda page: ()
    """The pages that a page stands for, by fingerprint."""
    fields: frozenset[str] = frozenset()
    """Names of fields that page functions gave, in small letters."""
