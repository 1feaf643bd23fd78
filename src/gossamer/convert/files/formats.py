"""Which media type is read by which function? To add a format, write the function and add its line here.

A module is loaded by the first file that it reads: they are sixty with all that they need, and a crawl may meet none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from gossamer.convert.files import kinds
from gossamer.convert.source import Reader, Source
from gossamer.convert.type import names
from gossamer.model import Page


@dataclass(frozen=True, slots=True)
class Ours:
    """The function `read` of a module below this one: what every process knows."""

    module: str

    def load(self) -> ModuleType:
        """So that the first file does not wait for it."""
        return import_module(f"gossamer.convert.files.{self.module}")

    def __call__(self, source: Source) -> Page:
        """Read a document."""
        page: Page = self.load().read(source)
        return page


READERS: dict[str, Reader] = {
    kinds.DOCX: Ours("office.docx"),
    kinds.XLSX: Ours("office.xlsx"),
    kinds.XLSB: Ours("xls"),
    kinds.PPTX: Ours("office.pptx"),
    kinds.ODT: Ours("odf.odf"),
    kinds.ODS: Ours("odf.odf"),
    kinds.ODP: Ours("odf.odf"),
    kinds.EPUB: Ours("zip.epub"),
    kinds.ZIP: Ours("zip.zip"),
    kinds.NOTEBOOK: Ours("text.notebook"),
    kinds.TAR: Ours("tar.tar"),
    kinds.GZIP: Ours("tar.packed"),
    kinds.BZIP2: Ours("tar.packed"),
    kinds.XZ: Ours("tar.packed"),
    kinds.MAIL: Ours("mail.eml"),
    kinds.MBOX: Ours("mail.mbox"),
    kinds.CSV: Ours("text.csv"),
    kinds.TSV: Ours("text.csv"),
    kinds.JSON: Ours("text.json"),
    kinds.MARKDOWN: Ours("text.markdown"),
    kinds.GEMINI: Ours("text.gemini"),
    names.RST: Ours("text.rst"),
    names.ASCIIDOC: Ours("text.asciidoc"),
    names.ORG: Ours("text.org"),
    names.TEX: Ours("text.tex"),
    names.SRT: Ours("text.subtitles"),
    names.VTT: Ours("text.subtitles"),
    names.CALENDAR: Ours("text.cards"),
    names.CARD: Ours("text.cards"),
    names.TOML: Ours("text.toml"),
    names.YAML: Ours("text.yaml"),
    **dict.fromkeys(names.LANGUAGES, Ours("text.code")),
    kinds.PLAIN: Ours("text.plain"),
    kinds.OLE: Ours("ole.compound"),
    kinds.PDF: Ours("pdf.pdf"),
    kinds.DOC: Ours("doc.doc"),
    kinds.PPT: Ours("ppt.ppt"),
    kinds.XLS: Ours("xls"),
    kinds.MSG: Ours("mail.msg"),
    kinds.RTF: Ours("rtf.rtf"),
}
"""By media type, without parameters, in lower case. `kinds` knows the other names of a type. What a user adds is known
to the process that adds it.
"""


def reader_of(media_type: str) -> Reader | None:
    """The function that reads a media type; None for pages and for what is not read."""
    return READERS.get(media_type) or (READERS[kinds.JSON] if media_type.endswith("+json") else None)
