"""The index of one shard: tantivy, which is Lucene's design in Rust, inside the process and in one folder.

Text arrives as terms (`analysis`), so all that is left to the engine is to split at spaces. A commit is atomic. It
carries the number of the last change that it covers as a row of its own, so that an index tells exactly which pages it
holds, and what came later can be added after a crash. The folder can be thrown away: it is made from the collection.

The engine goes by the name that the folder had when it was opened, and takes no other. So before each step it is looked
whether the collection still has that name: in the place of one that was moved there may be another.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import inf, log2
from pathlib import Path

import tantivy

from gossamer.engine import proc
from gossamer.files import anchors
from gossamer.index.entry import PHRASED, TEXTS, Entry, Shown, TextSpan, document, length, schema, shown_of, within
from gossamer.index.faults import reading, unpanicked, unreadable, writing
from gossamer.index.opening import let_read, open_to_read, open_to_write
from gossamer.index.soundness import part_sizes

FIELDS = (*TEXTS, "url", "spelling", "place", "own", "type", "language", "domain")
"""All that have terms which are texts."""
FAST = ("page", "site", "date", "year", "since")
"""Columns of numbers."""
MEMORY, MEMORY_MOST = 32 << 20, 4_000 << 20
"""For what was added and is not in a file yet; the engine takes no more. A page of nothing but new words needs three
times as much on the way."""
GATHERED_MOST = 100
"""Pages that are passed on together: what they need of the memory is at hand then, which saves a fifth of the time."""
CHARACTERS_MOST = 1_000_000
"""Of the pages that are gathered."""
AHEAD_MOST = 2_000_000
"""Characters that wait for the engine. It would queue 10,000 pages, however long they are."""
ENGINE = "thrd-tantivy-index0"
"""The thread that takes pages in."""
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Only glibc has it, and needs it: the engine's threads come and go, and what they have freed is kept for others like
them, 10 kB for each page that is indexed."""
_ROWS = re.compile(r'"value":\s*([\d.]+),\s*"description":\s*"N, total number of docs')
_COVERED = "\0covered"
_FILLER = "\0filler"
"""In the place of the address, as a row that is no page has it."""
PARTS_MOST = 2
"""Parts that an index may have at the end of a crawl."""
MERGED, SMALL, LEVEL = 8, 10_000, 0.75
"""The engine merges so many parts of one size. Those with fewer rows than this are all of one size, and so are parts
whose rows differ by a factor of at most two to the power of this."""


class ShardIndex:
    """An index that is read, and written to when asked for."""

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        """Make it or open it, or read what was committed last. One that cannot be opened is damaged."""
        self._folder = folder
        self.schema = schema()
        self.index = (open_to_write if writable else open_to_read)(folder, self.schema)
        self._writer: tantivy.IndexWriter | None = None
        self._memory = MEMORY
        self._gathered: list[tuple[str, Entry | None]] = []
        self._characters = self._ahead = 0

    def add(self, entry: Entry) -> None:
        """Put a page in the place of what was there of it, or a text that it had in the place of the same."""
        entry = within(entry)
        self._characters += length(entry)
        self._gather(entry.name, entry)

    def remove(self, name: str) -> None:
        """Take a page out, or by its `text_name` a text that it had."""
        self._gather(name, None)

    def _gather(self, name: str, entry: Entry | None) -> None:
        self._gathered.append((name, entry))
        if len(self._gathered) >= GATHERED_MOST or self._characters >= CHARACTERS_MOST:
            self._pass_on()

    def _pass_on(self) -> None:
        """Give the engine what was gathered, in its order."""
        self._keep_pace()
        gathered, self._gathered, self._characters = self._gathered, [], 0
        with writing(self._folder):
            writer = self._writing()
            for name, entry in gathered:
                writer.delete_documents_by_term("url", name)
                if entry is not None:
                    writer.add_document(document(entry))

    def _keep_pace(self) -> None:
        """What the engine has not taken in yet is in memory."""
        if self._ahead + self._characters > AHEAD_MOST:
            proc.rest(ENGINE)
            self._ahead = 0
        self._ahead += self._characters

    def clear(self, memory: int = MEMORY) -> None:
        """Take everything out. What comes then is one part of the index, as long as it has room in so much memory."""
        self._gathered, self._characters = [], 0
        self.close()
        self._memory = min(max(memory, MEMORY), MEMORY_MOST)
        with writing(self._folder):
            self._writing().delete_all_documents()

    def commit(self, covered: int, source: int | None = None) -> None:
        """Make it durable and visible. `covered` is the number of the last change that is in it, `source` that of what
        is changed; it stays what it was where nothing is said."""
        row = tantivy.Document()
        row.add_text("url", _COVERED)
        row.add_unsigned("covered", covered)
        row.add_unsigned("covered", self.source if source is None else source)
        self._pass_on()
        with writing(self._folder):
            writer = self._writing()
            writer.delete_documents_by_term("url", _FILLER)
            writer.delete_documents_by_term("url", _COVERED)
            writer.add_document(row)
            writer.commit()
            let_read(self._folder)
            self.index.reload()
        if _trim is not None:
            _trim(0)

    def gather(self) -> None:
        """Bring small parts together: each is looked at by every question. The binding of the engine has no call for
        it, so parts with one row make up the number that it merges by itself; the next commit takes these rows out."""
        parts = part_sizes(self._folder)
        small = _smallest(parts)
        if len(parts) <= PARTS_MOST or small < 2:
            return
        covered, source = self._coverage()
        row = tantivy.Document()
        row.add_text("url", _FILLER)
        with writing(self._folder):
            for _ in range(max(MERGED - small, 1)):
                self._writing().add_document(row)
                self._writing().commit()
        self.close()  # when they are merged
        self.commit(covered, source)

    @property
    def is_compact(self) -> bool:
        """Nothing would be won by making it again."""
        return len(part_sizes(self._folder)) <= PARTS_MOST

    @property
    def covered(self) -> int:
        """The number of the last change that is in it; 0 when it is empty."""
        return self._coverage()[0]

    @property
    def source(self) -> int:
        """The number of what is changed; 0 when it does not say."""
        return self._coverage()[1]

    def _coverage(self) -> tuple[int, int]:
        with reading():
            searcher = self.index.searcher()
            found = searcher.search(tantivy.Query.term_query(self.schema, "url", _COVERED, "basic"), limit=1).hits
            row = searcher.doc(found[0][1]).get_all("covered") if found else [0]
        if not row or not all(isinstance(each, int) for each in row):
            raise unreadable("it does not say what it covers")
        return row[0], row[1] if len(row) > 1 else 0

    def texts_of(self, url: str) -> list[TextSpan]:
        """The texts of a page, with when it had them."""
        with reading():
            searcher = self.index.searcher()
            if not searcher.doc_freq("url", url):
                return []
            query = tantivy.Query.term_query(self.schema, "url", url, "basic")
            places = [place for _, place in searcher.search(query, limit=max(searcher.num_docs, 1)).hits]
            columns = [searcher.fast_field_values(name, places) for name in ("since", "until")]
            rows = [searcher.doc(place).get_first("shown") for place in places]
        return [
            TextSpan(int(since or 0), None if until is None else int(until), shown_of(row))
            for since, until, row in zip(*columns, rows, strict=True)
        ]

    @property
    def rows(self) -> int:
        """How many rows the engine weighs terms by: those that were replaced count until their files are merged."""
        with reading():
            searcher = self.index.searcher()
            query = tantivy.Query.term_query(self.schema, "url", _COVERED, "basic")
            found = searcher.search(query, limit=1).hits
            told = query.explain(searcher, found[0][1]).to_json() if found else ""
        said = _ROWS.search(told)
        return int(float(said[1])) if said else searcher.num_docs

    def urls(self) -> Iterator[str]:
        """The addresses of all pages in it."""
        return (shown.url for shown in self.all())

    def all(self) -> Iterator[Shown]:
        """What is shown of each page in it."""
        with reading():
            searcher = self.index.searcher()
            hits = searcher.search(tantivy.Query.all_query(), limit=max(searcher.num_docs, 1)).hits
        for _, place in hits:
            with reading():
                row = searcher.doc(place).get_first("shown")
            if row:
                yield shown_of(row)

    def probe(self) -> None:
        """Look into each part of each field. Checksums that agree may be somebody else's: Damaged when one breaks."""
        _ = self.covered
        with reading():
            searcher = self.index.searcher()
            for name in FIELDS:
                searcher.search(self._using(name, ""), limit=1)
            for name in FAST:
                hits = searcher.search(tantivy.Query.all_query(), limit=1).hits
                searcher.fast_field_values(name, [place for _, place in hits])

    def probe_all(self) -> None:
        """The same for each term."""
        self.probe()
        searcher = self.index.searcher()
        for name in FIELDS:
            with reading():
                for term, _ in searcher.terms_with_prefix(name, ""):
                    searcher.search(self._using(name, term), limit=1)

    def _using(self, name: str, term: str) -> tantivy.Query:
        """What reads all that there is about a term; its places too where they are kept."""
        if name in PHRASED:
            return tantivy.Query.phrase_query(self.schema, name, [term, term], slop=1)
        return tantivy.Query.term_query(self.schema, name, term, "freq" if name in TEXTS else "basic")

    def spoken(self, term: str, language: str) -> tantivy.Query:
        """Pages of a language that have a term."""
        each = (("body", term), ("language", language))
        terms = (tantivy.Query.term_query(self.schema, name, value, "basic") for name, value in each)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in terms])

    def spoken_in_none(self, languages: Iterable[str]) -> tantivy.Query:
        """Pages that are in none of these languages."""
        each = (tantivy.Query.term_query(self.schema, "language", code, "basic") for code in languages)
        pages = tantivy.Query.exists_query("page")
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, pages), *((tantivy.Occur.MustNot, query) for query in each)]
        )

    def phrase(self, name: str, words: Sequence[str]) -> tantivy.Query:
        """Pages that have these terms one after the other in a field."""
        return tantivy.Query.phrase_query(self.schema, name, list(words))

    def close(self) -> None:
        """End writing; what was not committed is forgotten."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            if not anchors.is_in_place(self._folder):
                return  # what it would finish now would go to another collection
            with suppress(ValueError), unpanicked():  # a thread broke, as on a full disk: the commit is what counts
                writer.wait_merging_threads()
            let_read(self._folder)

    def _writing(self) -> tantivy.IndexWriter:
        anchors.require_in_place(self._folder)
        if self._writer is None:
            self._writer = self.index.writer(self._memory, 1)
            # A commit that was killed leaves lists of deleted rows, named by the number of the change. The same changes
            # come again and get the same number, and the engine would not write over what is there.
            self._writer.garbage_collect_files()
        return self._writer


def _smallest(parts: Sequence[int]) -> int:
    """How many parts the engine would merge with one that has a single row."""
    largest, together = inf, 0
    for rows in sorted((*parts, 1), reverse=True):
        level = log2(max(rows, SMALL))
        if level < largest - LEVEL:
            largest, together = level, 0
        together += 1
    return together - 1
