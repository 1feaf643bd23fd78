"""How does it get out? Pages one by one, and files in open formats."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

from gossamer.collection.ask.crawl_state import CrawlState
from gossamer.collection.ask.formats import FORMATS
from gossamer.collection.ask.selection import OneOfEach, Part
from gossamer.collection.documents import Document, documents, newest
from gossamer.errors import UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.plan import texts
from gossamer.store.versions import Version
from gossamer.tagged.passages import WORDS
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.ask.page_files import Kept

Each = TypeVar("Each")
Report: TypeAlias = Callable[[int, int], None]
"""Told how many pages are done, and of how many."""
ALL = Part()
REPORT_EVERY = 100
"""Pages of an export."""


class Exporting(CrawlState):
    """What a collection gives away."""

    def file_of(self, page: Document) -> Path:
        """The WARC file that a page lies in."""
        return self._readers().of(page.url).archive.path(page.version)

    def pages(
        self,
        *,
        site: str | Iterable[str] = (),
        include: str | Iterable[str] = (),
        query: str = "",
        copies: bool = True,
    ) -> Pages:
        """Every page, in the order of the addresses; or those of some sites, with a pattern, that answer a question.
        Without `copies`, one of each group of pages that say the same, or nearly.

        `records()` of it gives rows for pandas, Polars and the like.
        """
        is_meant = Part(texts(site), texts(include), query).chosen(self._answers)
        chosen = (is_meant,) if copies else (is_meant, OneOfEach(is_meant).takes)
        every = (documents(each.archive, Ledger(each.table), self._read, *chosen) for each in self._readers().all)
        return Pages(heapq.merge(*every, key=lambda page: keys.row(page.url)), self._given)

    def _given(self) -> Mapping[str, str]:
        from gossamer.collection.page_fields import of_all

        return of_all(self._readers().tables).kinds

    def export(
        self,
        form: str,
        out: BinaryIO,
        report: Report | None = None,
        *,
        part: Part = ALL,
        links: bool = True,
        words: int = WORDS,
    ) -> int:
        """Write the collection in one of FORMATS. Gives the number of what was written: pages, files, lines, links.

        `report` is called now and then with the number of pages so far and of all. `part` says which pages are meant,
        and what of each; without `links`, jsonl and parquet have none. A passage has so many `words` at most.
        """
        from gossamer.collection.ask import export, parquet

        part.require_sense(form)
        archives = self._readers().archives
        warcs = export.warcs(archives)  # also where only pages are asked for: what is missing is said at the beginning
        pages = self._reported(part, report)
        match form:
            case "jsonl":
                return export.jsonl(pages, out, links=links, names=part.fields)
            case "warc":
                return export.warc(warcs, out)
            case "wacz":
                listed = self._counted(self._newest(), report)
                return export.web_archive(warcs, archives, listed, self.path.resolve().name, self.plan, out)
            case "cdxj":
                return export.cdxj(archives, out)
            case "trec":
                return export.trec_web(pages, out)
            case "parquet":
                return parquet.write(pages, out, links=links, names=part.fields, fields=self._given())
            case "passages":
                return export.passages(pages, out, words)
            case "passages-parquet":
                return parquet.write_passages(pages, out, words)
            case "graph":
                return export.graph(pages, out)
            case "markdown":
                raise UsageError("markdown is a file for each page; name a directory for them, as in `-o pages`")
            case "files":
                raise UsageError("files are written into a directory; name a new one, as in `-o pages`")
            case "bagit":
                raise UsageError("a bag is a directory; name a new one, as in `-o my-bag`")
        raise UsageError(f"unknown format {form!r}; choose one of {', '.join(FORMATS)}")

    def export_lines(self, *, part: Part = ALL, links: bool = True) -> Iterator[bytes]:
        """What `export` writes as jsonl, a line for each page, for those who send it on."""
        from gossamer.collection.ask import export

        part.require_sense("jsonl")
        export.warcs(self._readers().archives)
        return export.lines(self._reported(part, None), links=links, names=part.fields)

    def export_markdown(
        self,
        folder: Path,
        report: Report | None = None,
        *,
        part: Part = ALL,
        links: bool = True,
    ) -> int:
        """A Markdown file for each page, in a new or an empty folder. Gives their number."""
        from gossamer.collection.ask import export, markdown_files

        export.warcs(self._readers().archives)
        return markdown_files.write(self._reported(part, report), folder, links=links)

    def export_bytes(self, folder: Path, report: Report | None = None, *, part: Part = ALL) -> int:
        """A file for each page and for all that was kept since pages need it, with the bytes that came, in a new or an
        empty folder. Gives their number."""
        from gossamer.collection.ask import export, page_files

        export.warcs(self._readers().archives)
        return page_files.write(self._counted(self._kept(part), report), folder)

    def _kept(self, part: Part) -> Iterator[Kept]:
        from gossamer.collection.ask.page_files import Kept

        is_meant = part.chosen(self._answers)
        once = OneOfEach(is_meant)
        for reader in self._readers().all:
            for url, _, version in newest(reader.archive, Ledger(reader.table), needed=True):
                if is_meant(url) and (part.copies or once.takes(version)):
                    yield Kept(url, version.media_type, reader.archive.capture(url, version).body)

    def export_bag(self, folder: Path) -> int:
        """All files in a new or an empty folder, with their digests, as repositories take them in. Their number."""
        from gossamer.collection.ask import bagit

        identity = self.plan.as_identity()
        software = f"{identity.product}/{identity.version}"
        return bagit.write(self._readers().archives, folder, self.path.resolve().name, software)

    def _reported(self, part: Part, report: Report | None) -> Iterator[Document]:
        pages = self.pages(site=part.sites, include=part.include, query=part.query, copies=part.copies)
        return self._counted(pages, report)

    def _counted(self, pages: Iterable[Each], report: Report | None) -> Iterator[Each]:
        of = self.status().pages if report else 0
        for number, page in enumerate(pages, 1):
            yield page
            if report and number % REPORT_EVERY == 0:
                report(number, of)

    def export_files(self, folder: Path) -> int:
        """Copy the WARC files, one by one; none may be there. Gives their number."""
        from gossamer.collection.ask import export

        return export.warc_files(export.warcs(self._readers().archives), folder)

    def _newest(self) -> Iterator[tuple[str, Version, str]]:
        """Every page with its words."""
        every = (newest(reader.archive, Ledger(reader.table)) for reader in self._readers().all)
        for url, _, version in heapq.merge(*every, key=lambda page: keys.row(page[0])):
            archive = self._readers().of(url).archive
            page = archive.page(url, version) or self._read(archive.capture(url, version))
            yield url, version, page.text


class Pages(Iterator[Document]):
    """Pages one at a time; `given` tells the fields that page functions gave, with their kinds.

    What reads tables of Arrow (Polars, DuckDB, pyarrow) asks for a stream of them, whose columns have the types of
    `export parquet`. Polars would guess from dictionaries, by the first hundred, where a column such as `published` may
    be empty.
    """

    def __init__(self, pages: Iterator[Document], given: Callable[[], Mapping[str, str]] = dict) -> None:
        self._pages = pages
        self._given = given

    def __repr__(self) -> str:
        return "<Pages: `for page in` goes through them once, `records()` gives them as dictionaries>"

    def __next__(self) -> Document:
        return next(self._pages)

    def records(self) -> Records:
        """Each page as a `dict`: rows for pandas, Polars and the like."""
        return Records(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of all, batch by batch."""
        from gossamer.collection.ask import parquet

        return parquet.stream(self, self._given()).__arrow_c_stream__(requested_schema)


class Records(Iterator[dict[str, Any]]):
    """The same as dictionaries."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def __next__(self) -> dict[str, Any]:
        return dict(next(self._pages))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of all, batch by batch."""
        return self._pages.__arrow_c_stream__(requested_schema)
