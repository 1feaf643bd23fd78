"""What others call the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import tantivy

from gossamer.index.analysis import APART, joined
from gossamer.index.entry import TERMS
from gossamer.index.faults import reading, writing
from gossamer.index.opening import let_read, open_to_read, open_to_write
from gossamer.index.shard_index import MEMORY


class AnchorIndex:
    """What others call the pages of all shards: an index of its own, made anew with every graph.

    Anchors of a page come from everywhere, and go on coming after it was read. Here they can change, and the page need
    not be indexed again. A term is in it once for a page, and once more for each level: how many sites use it.
    """

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        """Make it or open it, or read it."""
        builder = tantivy.SchemaBuilder().add_text_field("anchors", tokenizer_name=TERMS, index_option="basic")
        self._folder = folder
        self.schema = builder.add_unsigned_field("page", fast=True).build()
        self.index = (open_to_write if writable else open_to_read)(folder, self.schema)

    def probe_all(self) -> None:
        """Look at all that it has: Damaged when that breaks the engine."""
        with reading():
            searcher = self.index.searcher()
            hits = searcher.search(tantivy.Query.all_query(), limit=1).hits
            searcher.fast_field_values("page", [place for _, place in hits])
            for term, _ in searcher.terms_with_prefix("anchors", ""):
                searcher.search(tantivy.Query.term_query(self.schema, "anchors", term, "basic"), limit=1)

    def write(self, pages: Iterable[tuple[int, str]], language: str | None) -> None:
        """Put in what pages are called, by fingerprint, a line for each site; stems are those of one language, the
        commonest of the pages."""
        with writing(self._folder):
            writer = self.index.writer(MEMORY, 1)
            writer.delete_all_documents()
            for page, anchors in pages:
                document = tantivy.Document()
                document.add_unsigned("page", page)
                document.add_text("anchors", " ".join(_levelled(anchors, language)))
                writer.add_document(document)
            writer.commit()
            writer.wait_merging_threads()
            let_read(self._folder)
            self.index.reload()


def _levelled(anchors: str, language: str | None) -> Iterator[str]:
    first, *others = ({*joined(line, language).split()} - {APART} for line in anchors.split("\n"))
    if not others:  # most pages have links from one site alone
        yield from first
        return
    for term, sites in Counter(chain(first, *others)).items():
        for level in range(sites.bit_length()):
            yield at_level(term, level)


def at_level(term: str, level: int) -> str:
    """A term as it is used by at least 2 ** level sites."""
    return f"{term}\x01{level}" if level else term
