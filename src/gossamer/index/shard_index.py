"""The index of one shard: tantivy, which is Lucene's design in Rust, inside the process and in one folder.

Text arrives as terms (`analysis`), so all that is left to the engine is to split at spaces. A commit is atomic. It
carries the number of the last change that it covers as a row of its own, so that an index tells exactly which pages it
holds, and what came later can be added after a crash. The folder can be thrown away: it is made from the collection.
"""

from __future__ import annotations

import ctypes
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from errno import EDQUOT, ENOENT, ENOSPC
from os import strerror
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import NamedTuple

import msgspec
import tantivy

from gossamer import files
from gossamer.engine import proc
from gossamer.errors import Damaged, StorageError
from gossamer.files import scratch
from gossamer.index import FILES
from gossamer.index.analysis import APART, joined
from gossamer.index.facets import address, fields, kinds, places, year
from gossamer.index.soundness import META, names
from gossamer.model import FieldValue
from gossamer.urls import keys

BESIDES = ("title", "headings", "address")
"""Fields whose words count for more."""
TEXTS = ("body", *BESIDES)
"""Fields that words are looked for in. The body has those of the others too, so that pages are found by it alone."""
PHRASED = ("body", "title")
"""Those of them that know where their words stand."""
FIELDS = (*TEXTS, "url", "spelling", "place", "type", "language", "domain")
"""All that have terms which are texts."""
FAST = ("page", "site", "date", "year", "since")
"""Columns of numbers."""
LOOKS_MOST = 20
"""How often a reader looks for the files of a commit, while a writer replaces them."""
REMOVALS_MOST = 100
_SEGMENT = re.compile(r"[0-9a-f]{32}\..+")
MEMORY = 32 * 1024 * 1024
"""For what was added and is not in a file yet. A page of nothing but new words needs three times as much on the way."""
GATHERED_MOST = 100
"""Pages that are passed on together: what they need of the memory is at hand then, which saves a fifth of the time."""
CHARACTERS_MOST = 1_000_000
"""Of the pages that are gathered."""
AHEAD_MOST = 2_000_000
"""Characters that wait for the engine. It would queue 10,000 pages, however long they are."""
TEXT_MOST = 2_000_000
"""Characters of a page that it is found by: a book of a thousand pages. Where all words are new, the engine needs 30
bytes for each."""
ENGINE = "thrd-tantivy-index0"
"""The thread that takes pages in."""
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Only glibc has it, and needs it: the engine's threads come and go, and what they have freed is kept for others like
them, 10 kB for each page that is indexed."""
_FILES = re.compile(FILES)
_SYSTEM = re.compile(r"(?:os error |Os \{ code: )(\d+)")
_ROWS = re.compile(r'"value":\s*([\d.]+),\s*"description":\s*"N, total number of docs')
_FILE = re.compile(r'filepath: "([^"]+)"')
_MANAGED = ".managed.json"
_COVERED = "\0covered"
_TERMS = "terms-2"
"""The engine refuses an index whose fields have another name for what makes their terms, and it is made again. So the
number goes up when a text gives other terms than before."""
_APART = f" {APART} "
"""Between texts that do not follow each other. Headings are a part of the content."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is indexed of a page."""

    url: str
    title: str = ""
    headings: str = ""
    body: str = ""
    site: str = ""
    media_type: str = ""
    language: str | None = None
    date: float = 0.0
    """Seconds since 1970: when it was published, or fetched first."""
    text: bytes = b""
    """Where its text lies, in the words of the part that keeps it: a hint, because the text may have moved since."""
    size: int = 0
    """Bytes of the document."""
    published: float | None = None
    """Seconds since 1970, like the next."""
    fetched: float = 0.0
    fields: tuple[tuple[str, FieldValue], ...] = ()
    """What a page function gave."""
    since: float = 0.0
    """Seconds since 1970: when the page was first seen with this text."""
    until: float | None = None
    """When it was first seen without it; None: it is the text of now."""

    @property
    def name(self) -> str:
        """What is replaced by it: the page, or its text of that time."""
        return self.url if self.until is None else text_name(self.url, self.since)


def text_name(url: str, since: float) -> str:
    """What the index calls a text that a page had from a moment on. No address has a NUL."""
    return f"{url}\0{milliseconds(since)}"


def milliseconds(moment: float) -> int:
    """A time as the columns of an index have it, and the dates of captures."""
    return round(moment * 1_000)


class Standing(NamedTuple):
    """From when to when a page had a text; in milliseconds, like the columns."""

    since: int
    until: int | None
    shown: Shown


class Shown(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is shown of a page without opening it."""

    url: str
    title: str
    site: str
    language: str | None
    date: float
    text: bytes = b""
    media_type: str = ""
    size: int = 0
    published: float | None = None
    fetched: float = 0.0
    length: int = 0
    """Characters of its text; 0 when it is not known, as in an index of before."""


_shown = msgspec.msgpack.Decoder(Shown).decode


def schema() -> tantivy.Schema:
    """The fields of an index."""
    builder = tantivy.SchemaBuilder().add_text_field("url", tokenizer_name="raw", index_option="basic")
    for name in TEXTS:
        builder.add_text_field(name, tokenizer_name=_TERMS, index_option="position" if name in PHRASED else "freq")
    builder.add_text_field("spelling", tokenizer_name=_TERMS, index_option="basic")
    builder.add_text_field("place", tokenizer_name="raw", index_option="basic")
    for name in ("type", "language", "domain"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("site", fast=True)
    builder.add_integer_field("date", indexed=True, fast=True)
    builder.add_unsigned_field("year", fast=True)
    builder.add_unsigned_field("covered", stored=True)
    builder.add_integer_field("since", fast=True)
    builder.add_integer_field("until", fast=True)
    return builder.add_bytes_field("shown", stored=True).build()


class ShardIndex:
    """An index that is read, and written to when asked for."""

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        """Make it or open it, or read what was committed last. One that cannot be opened is damaged."""
        self._folder = folder
        self.schema = schema()
        self.index = (_opened if writable else _read)(folder, self.schema)
        self._writer: tantivy.IndexWriter | None = None
        self._gathered: list[tuple[str, Entry | None]] = []
        self._characters = self._ahead = 0

    def add(self, entry: Entry) -> None:
        """Put a page in the place of what was there of it, or a text that it had in the place of the same."""
        entry = _within(entry)
        self._characters += _length(entry)
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
        with _told(self._folder):
            writer = self._writing()
            for name, entry in gathered:
                writer.delete_documents_by_term("url", name)
                if entry is not None:
                    writer.add_document(_document(entry))

    def _keep_pace(self) -> None:
        """What the engine has not taken in yet is in memory."""
        if self._ahead + self._characters > AHEAD_MOST:
            proc.rest(ENGINE)
            self._ahead = 0
        self._ahead += self._characters

    def clear(self) -> None:
        """Take everything out."""
        self._gathered, self._characters = [], 0
        with _told(self._folder):
            self._writing().delete_all_documents()

    def commit(self, covered: int, source: int | None = None) -> None:
        """Make it durable and visible. `covered` is the number of the last change that is in it, `source` that of what
        is changed; it stays what it was where nothing is said."""
        row = tantivy.Document()
        row.add_text("url", _COVERED)
        row.add_unsigned("covered", covered)
        row.add_unsigned("covered", self.source if source is None else source)
        self._pass_on()
        with _told(self._folder):
            writer = self._writing()
            writer.delete_documents_by_term("url", _COVERED)
            writer.add_document(row)
            writer.commit()
            _let_read(self._folder)
            self.index.reload()
        if _trim is not None:
            _trim(0)

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
            raise _unreadable("it does not say what it covers")
        return row[0], row[1] if len(row) > 1 else 0

    def texts_of(self, url: str) -> list[Standing]:
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
            Standing(int(since or 0), None if until is None else int(until), shown_of(row))
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
            with suppress(ValueError), unpanicked():  # a thread broke, as on a full disk: the commit is what counts
                writer.wait_merging_threads()
            _let_read(self._folder)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self.index.writer(MEMORY, 1)
            # A commit that was killed leaves lists of deleted rows, named by the number of the change. The same changes
            # come again and get the same number, and the engine would not write over what is there.
            self._writer.garbage_collect_files()
        return self._writer


class AnchorIndex:
    """What others call the pages of all shards: an index of its own, made anew with every graph.

    Anchors of a page come from everywhere, and go on coming after it was read. Here they can change, and the page need
    not be indexed again. A term is in it once for a page, and once more for each level: how many sites use it.
    """

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        """Make it or open it, or read it."""
        builder = tantivy.SchemaBuilder().add_text_field("anchors", tokenizer_name=_TERMS, index_option="basic")
        self._folder = folder
        self.schema = builder.add_unsigned_field("page", fast=True).build()
        self.index = (_opened if writable else _read)(folder, self.schema)

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
        with _told(self._folder):
            writer = self.index.writer(MEMORY, 1)
            writer.delete_all_documents()
            for page, anchors in pages:
                document = tantivy.Document()
                document.add_unsigned("page", page)
                document.add_text("anchors", " ".join(_levelled(anchors, language)))
                writer.add_document(document)
            writer.commit()
            writer.wait_merging_threads()
            _let_read(self._folder)
            self.index.reload()


def _let_read(folder: Path) -> None:
    """The engine keeps to its user what it writes by way of a temporary file."""
    for name in (META, _MANAGED):
        files.open_like_folder(folder / name)


def _levelled(anchors: str, language: str | None) -> Iterator[str]:
    used = Counter(term for line in anchors.split("\n") for term in set(joined(line, language).split()) - {APART})
    for term, sites in used.items():
        for level in range(sites.bit_length()):
            yield at_level(term, level)


def at_level(term: str, level: int) -> str:
    """A term as it is used by at least 2 ** level sites."""
    return f"{term}\x01{level}" if level else term


class Shaken(ValueError):
    """The engine has panicked."""


@contextmanager
def unpanicked() -> Iterator[None]:
    """The engine's panics are errors like its others. They derive from BaseException, and their class has no name that
    could be imported."""
    try:
        yield
    except BaseException as error:
        if _is_panic(error):
            raise Shaken(str(error)) from None
        raise


def _is_panic(error: BaseException | None) -> bool:
    return type(error).__name__ == "PanicException"


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """The engine knows one kind of error. Whatever stops it from writing, the disk is to blame, unless it panics."""
    try:
        with unpanicked():
            yield
    except Shaken as error:
        raise _unreadable(str(error)) from error
    except (ValueError, OSError) as error:
        raise _failed(folder, error) from error


def _failed(folder: Path, error: Exception) -> StorageError:
    full = "StorageFull" in str(error) or _number(error) in {ENOSPC, EDQUOT}
    reason = "the disk is full; free some space and go on" if full else f"cannot be written ({error})"
    return StorageError(f"{folder}: {reason}, nothing committed is lost")


def _number(error: BaseException) -> int:
    """What the system said, in the words of the engine; 0 when it was not the system."""
    found = _SYSTEM.search(str(error))
    return error.errno or 0 if isinstance(error, OSError) else int(found[1]) if found else 0


class reading:
    """Around questions to the engine: what it cannot make sense of, or panics about, is a damaged index.

    A search enters it some forty times, so it is no generator."""

    __slots__ = ()

    def __enter__(self) -> None:
        """There is nothing to do before."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ValueError) or _is_panic(error):
            raise _unreadable(str(error)) from None


def _unreadable(why: str) -> Damaged:
    return Damaged(f"the index cannot be read ({why}); `gossamer verify DIR --repair` makes it again")


def shown_of(row: object) -> Shown:
    """What is shown of a page, as an index has it."""
    try:
        return _shown(row if isinstance(row, bytes) else bytes(row))  # type: ignore[call-overload]  # or a list of numbers
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError, ValueError) as error:
        raise _unreadable(str(error)) from None


def _opened(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    with _told(folder):
        files.make_folder(folder)
    try:
        _require_ours(folder)
        with unpanicked():
            return _with_terms(tantivy.Index(schema, path=str(folder)))
    except (ValueError, OSError) as error:
        if _number(error) not in {0, ENOENT}:
            raise _failed(folder, error) from error  # the disk, and not the index
        raise _damaged(folder, error) from error


def _read(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """The index as it was committed last, with all of its files open, so that it stays as it is.

    The engine takes a lock beside what it reads, so it is given a folder that has nothing but links to the files that
    count. A file that is gone has been replaced since, and then another `meta.json` says by what.
    """
    for left in reversed(range(LOOKS_MOST)):
        meta = _meta(folder)
        try:
            return _linked(folder, meta, schema)
        except (ValueError, OSError) as error:
            _require_readable(folder, error)
            if left == 0 or _meta(folder) == meta:
                raise _damaged(folder, error) from error
    raise AssertionError("the last look decides")


def is_unborn(folder: Path) -> bool:
    """A crawl has just made the folder, and the engine nothing in it. One that lost its `meta.json` has segments."""
    return not files.is_file(folder / META) and not files.names(folder, _SEGMENT)


def _meta(folder: Path) -> bytes:
    try:
        return files.read(folder / META)
    except FileNotFoundError as error:
        raise _damaged(folder, error) from error
    except OSError as error:
        raise files.unreadable(error, folder / META) from error


def _require_readable(folder: Path, error: BaseException) -> None:
    """A file that is there and cannot be opened is a fault of the machine, in the engine's words as in Python's."""
    number, named = _number(error), _FILE.search(str(error))
    if number not in {0, ENOENT}:
        path = folder / Path(named[1]).name if named else folder
        raise files.unreadable(OSError(number, strerror(number)), path) from error


def _linked(folder: Path, meta: bytes, schema: tantivy.Schema) -> tantivy.Index:
    files.require_plain(folder, writing=False)
    door = Path(mkdtemp(prefix=scratch.prefix()))
    try:
        (door / META).write_bytes(meta)
        for name in names(meta):
            (door / name).symlink_to(files.address(folder / name))
        with unpanicked():
            return _with_terms(tantivy.Index(schema, path=str(door)))
    finally:
        _remove(door)


def _remove(door: Path) -> None:
    """A thread of the engine looks at a new index once more, for which it makes the file of its lock again."""
    for _ in range(REMOVALS_MOST):
        shutil.rmtree(door, ignore_errors=True)
        if not door.exists():
            return


def _with_terms(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer(_TERMS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def _require_ours(folder: Path) -> None:
    """The engine deletes what its list of files names, wherever that is."""
    files.require_plain(folder, writing=True)
    try:
        listed = msgspec.json.decode(files.read(folder / _MANAGED), type=list[str])
    except FileNotFoundError:
        return
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        listed = [""]
    if listed and not files.is_file(folder / "meta.json"):  # the engine would make a new one, with nothing in it
        raise Damaged(f"the index in {folder} has lost its meta.json; `gossamer build DIR` makes it again")
    if not all(map(_FILES.fullmatch, listed)):
        raise Damaged(f"the index in {folder} has a list of files that is none; `gossamer build DIR` makes it again")


def _damaged(folder: Path, error: Exception) -> Damaged:
    other = "schema does not match" in str(error)
    why = "is one of another version of gossamer" if other else f"cannot be read ({error})"
    return Damaged(f"the index in {folder} {why}; `gossamer build DIR` makes it again")


def discard(folder: Path) -> None:
    """Throw an index away."""
    files.remove_folder(folder, _FILES)


def _within(entry: Entry) -> Entry:
    """As much of a page as it is found by."""
    if _length(entry) <= TEXT_MOST:
        return entry
    headings = entry.headings[: TEXT_MOST // 4]
    return replace(entry, headings=headings, body=entry.body[: TEXT_MOST - len(headings)])


def _length(entry: Entry) -> int:
    return len(entry.headings) + len(entry.body)


def _document(entry: Entry) -> tantivy.Document:
    document = tantivy.Document()
    for name in dict.fromkeys((entry.url, entry.name)):
        document.add_text("url", name)
    document.add_integer("since", milliseconds(entry.since))
    if entry.until is not None:
        document.add_integer("until", milliseconds(entry.until))
    besides = [joined(text, entry.language) for text in (entry.title, entry.headings, address(entry.url))]
    for name, words in zip(BESIDES, besides, strict=True):
        if words:
            document.add_text(name, words)
    document.add_text("body", _APART.join((joined(entry.body, entry.language), besides[0], besides[2])))
    document.add_text("spelling", joined(f"{entry.title} {entry.headings}"))
    for place in places(entry.url, entry.site):
        document.add_text("place", place)
    for term in fields(entry.fields) if entry.fields else ():
        document.add_text("place", term)
    for kind in kinds(entry.media_type):
        document.add_text("type", kind)
    if entry.language:
        document.add_text("language", entry.language)
    document.add_unsigned("page", keys.fingerprint(entry.url))
    document.add_unsigned("site", keys.digest(entry.site.encode()))
    document.add_text("domain", entry.site)
    document.add_integer("date", int(entry.date))
    if known := year(entry.date):
        document.add_unsigned("year", known)
    about = (entry.text, entry.media_type, entry.size, entry.published, entry.fetched, len(entry.body))
    shown = Shown(entry.url, entry.title, entry.site, entry.language, entry.date, *about)
    document.add_bytes("shown", msgspec.msgpack.encode(shown))
    return document
