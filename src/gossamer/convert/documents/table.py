"""Which media type is read by which function? To add a format, write the function and add its line here.

A module is loaded by the first file that it reads: they are sixty with all that they need, and a crawl may meet none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from gossamer.convert.documents import kinds
from gossamer.convert.source import Reader, Source
from gossamer.model import Page


@dataclass(frozen=True, slots=True)
class Ours:
    """The function `read` of a module beside this one: what every process knows."""

    module: str

    def load(self) -> ModuleType:
        """So that the first file does not wait for it."""
        return import_module(f"gossamer.convert.documents.{self.module}")

    def __call__(self, source: Source) -> Page:
        """Read a document."""
        page: Page = self.load().read(source)
        return page


READERS: dict[str, Reader] = {
    kinds.DOCX: Ours("docx"),
    kinds.XLSX: Ours("xlsx"),
    kinds.PPTX: Ours("pptx"),
    kinds.ODT: Ours("odf"),
    kinds.ODS: Ours("odf"),
    kinds.ODP: Ours("odf"),
    kinds.EPUB: Ours("epub"),
    kinds.ZIP: Ours("zip"),
    kinds.NOTEBOOK: Ours("notebook"),
    kinds.MAIL: Ours("eml"),
    kinds.CSV: Ours("csv"),
    kinds.TSV: Ours("csv"),
    kinds.JSON: Ours("json"),
    kinds.MARKDOWN: Ours("markdown"),
    kinds.PLAIN: Ours("text"),
    kinds.OLE: Ours("ole"),
    kinds.PDF: Ours("pdf"),
    kinds.DOC: Ours("word"),
    kinds.PPT: Ours("ppt"),
    kinds.XLS: Ours("xls"),
    kinds.MSG: Ours("msg"),
    kinds.RTF: Ours("rtf"),
}
"""By media type, without parameters, in lower case. `kinds` knows the other names of a type. What a user adds is known
to the process that adds it.
"""


def reader_of(media_type: str) -> Reader | None:
    """The function that reads a media type; None for pages and for what is not read."""
    return READERS.get(media_type) or (READERS[kinds.JSON] if media_type.endswith("+json") else None)
