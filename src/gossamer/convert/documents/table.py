"""Which media type is read by which function? To add a format, write the function and add its line here."""

from __future__ import annotations

from gossamer.convert.documents import (
    csv,
    docx,
    eml,
    epub,
    json,
    kinds,
    markdown,
    msg,
    notebook,
    odf,
    ole,
    pdf,
    ppt,
    pptx,
    rtf,
    text,
    word,
    xls,
    xlsx,
    zip,
)
from gossamer.convert.source import Reader

READERS: dict[str, Reader] = {
    kinds.DOCX: docx.read,
    kinds.XLSX: xlsx.read,
    kinds.PPTX: pptx.read,
    kinds.ODT: odf.read,
    kinds.ODS: odf.read,
    kinds.ODP: odf.read,
    kinds.EPUB: epub.read,
    kinds.ZIP: zip.read,
    kinds.NOTEBOOK: notebook.read,
    kinds.MAIL: eml.read,
    kinds.CSV: csv.read,
    kinds.TSV: csv.read,
    kinds.JSON: json.read,
    kinds.MARKDOWN: markdown.read,
    kinds.PLAIN: text.read,
    kinds.OLE: ole.read,
    kinds.PDF: pdf.read,
    kinds.DOC: word.read,
    kinds.PPT: ppt.read,
    kinds.XLS: xls.read,
    kinds.MSG: msg.read,
    kinds.RTF: rtf.read,
}
"""By media type, without parameters, in lower case. `kinds` knows the other names of a type."""

OURS = frozenset(READERS.values())
"""What every process knows; what a user adds is known to the one that adds it."""


def reader_of(media_type: str) -> Reader | None:
    """The function that reads a media type; None for pages and for what is not read."""
    return READERS.get(media_type) or (json.read if media_type.endswith("+json") else None)
