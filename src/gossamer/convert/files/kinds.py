"""Which kind of file is it? By what is in it first; what it is called decides only where that says little.

A ZIP file is known by its members, whatever its media type. Types that mean "some bytes" or "some text" are looked at
more closely: at the name in the address (.csv, .md), and, where no type was sent at all, at the first lines.
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from gossamer.convert.files.ole import compound
from gossamer.convert.files.zip.zipped import Archive
from gossamer.convert.type import mime, names
from gossamer.convert.type.sniff import media_type as sniffed
from gossamer.lazy import pattern

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
PPTX = f"{_OFFICE}presentationml.presentation"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
ODT, ODS, ODP = f"{_OPEN}text", f"{_OPEN}spreadsheet", f"{_OPEN}presentation"
EPUB = "application/epub+zip"
ZIP = "application/zip"
NOTEBOOK = "application/x-ipynb+json"
JSON = "application/json"
XML = "application/xml"
CSV = "text/csv"
TSV = "text/tab-separated-values"
GEMINI = "text/gemini"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
MAIL = "message/rfc822"
MBOX = "application/mbox"
TAR = "application/x-tar"
GZIP = "application/x-gzip"
BZIP2 = "application/x-bzip2"
XZ = "application/x-xz"
PDF = "application/pdf"
RTF = "application/rtf"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
OLE = "application/x-ole-storage"

_ZIPPED = frozenset({DOCX, XLSX, XLSB, PPTX, ODT, ODS, ODP, EPUB, ZIP})
_COMPOUND = frozenset({DOC, XLS, PPT, MSG})
_MARKED = _COMPOUND | {PDF, RTF}
_PDF_WITHIN = 1_024
_ALIASES = {
    "application/x-pdf": PDF,
    "application/gzip": GZIP,
    "application/bzip2": BZIP2,
    "application/x-gtar": TAR,
    "application/tar": TAR,
    "text/rtf": RTF,
    "text/richtext": RTF,
    "application/x-rtf": RTF,
    "application/vnd.ms-word": DOC,
    "application/vnd.msword": DOC,
    "application/x-msword": DOC,
    "application/msexcel": XLS,
    "application/x-msexcel": XLS,
    "application/x-excel": XLS,
    "application/mspowerpoint": PPT,
    "application/x-mspowerpoint": PPT,
    "application/powerpoint": PPT,
    "application/x-msg": MSG,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.ms-word.template.macroenabled.12": DOCX,
    f"{_OFFICE}wordprocessingml.template": DOCX,
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
    "application/vnd.ms-excel.template.macroenabled.12": XLSX,
    "application/vnd.ms-excel.addin.macroenabled.12": XLSX,
    f"{_OFFICE}spreadsheetml.template": XLSX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    "application/vnd.ms-powerpoint.slideshow.macroenabled.12": PPTX,
    "application/vnd.ms-powerpoint.template.macroenabled.12": PPTX,
    f"{_OFFICE}presentationml.slideshow": PPTX,
    f"{_OFFICE}presentationml.template": PPTX,
    f"{_OPEN}text-template": ODT,
    f"{_OPEN}text-master": ODT,
    f"{_OPEN}text-web": ODT,
    f"{_OPEN}spreadsheet-template": ODS,
    f"{_OPEN}presentation-template": ODP,
    f"{_OPEN}graphics": ODP,
    f"{_OPEN}graphics-template": ODP,
    "application/vnd.sun.xml.writer": ODT,
    "application/vnd.sun.xml.writer.template": ODT,
    "application/vnd.sun.xml.calc": ODS,
    "application/vnd.sun.xml.impress": ODP,
    "application/vnd.sun.xml.draw": ODP,
    **{f"{_OPEN}{kind}-flat-xml": XML for kind in ("text", "spreadsheet", "presentation")},
    "application/x-zip": ZIP,
    "application/x-zip-compressed": ZIP,
    "application/x-epub+zip": EPUB,
    "application/csv": CSV,
    "application/x-csv": CSV,
    "text/x-csv": CSV,
    "text/comma-separated-values": CSV,
    "text/tsv": TSV,
    "text/x-markdown": MARKDOWN,
    "text/x-web-markdown": MARKDOWN,
    "text/json": JSON,
    "application/x-json": JSON,
    "application/vnd.jupyter": NOTEBOOK,
    "text/rst": names.RST,
    "text/prs.fallenstein.rst": names.RST,
    "text/x-asciidoc": names.ASCIIDOC,
    "text/x-org": names.ORG,
    "text/x-tex": names.TEX,
    "text/x-latex": names.TEX,
    "application/x-latex": names.TEX,
    "application/tex": names.TEX,
    "text/srt": names.SRT,
    "application/srt": names.SRT,
    "text/x-vcard": names.CARD,
    "text/directory": names.CARD,
    "text/x-toml": names.TOML,
    "text/toml": names.TOML,
    "text/yaml": names.YAML,
    "text/x-yaml": names.YAML,
    "application/x-yaml": names.YAML,
    "text/x-opml": names.OPML,
    "application/x-fictionbook": names.FB2,
    "text/fb2+xml": names.FB2,
    "application/x-mimearchive": MAIL,
}
"""Other names of a type: with macros, as a template, of an older program."""
_BY_NAME = {
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".ipynb": NOTEBOOK,
    ".json": JSON,
    ".eml": MAIL,
    ".mbox": MBOX,
    ".mht": MAIL,
    ".mhtml": MAIL,
    ".xml": XML,
    ".txt": PLAIN,
}
_SOME_BYTES = frozenset(
    {
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-download",
        "application/download",
        "application/force-download",
    }
)
_SOME_BYTES_TYPE = "application/octet-stream"
_MAIN_PARTS = (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX))
_LOOKED_AT = 4_096
_NOTEBOOK = pattern(rb'"nbformat"\s*:\s*\d')
_NOTEBOOK_ENDS = 65_536
_FIELD = pattern(rb"(?:>?From .*\r?\n)?(?:[!-9;-~]+[ \t]*:.*\r?\n(?:[ \t].*\r?\n)*)+")
_MAIL_FIELDS = pattern(
    rb"^(?:From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|Content-Type)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_LETTER = pattern(rb"\n\r?\nFrom [^\n]+\n[!-9;-~]+:")
_BZIP2_BLOCK, _XZ = b"1AY&SY", b"\xfd7zXZ\0"
_TAR_AT, _TAR = 257, b"ustar"
_MARKS = pattern(
    rb"^#{1,6} \S|^```|^\[[^\]\n]+\]: \S|\]\((?:https?:|/|\.|#)[^)\s]*\)|^[ \t]*[-*] \[[ x]\] "
    rb"|^\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\r?$",
    re.MULTILINE,
)
_BEGINS = tuple(
    (pattern(begin, flags), kind)
    for begin, flags, kind in (
        (rb"WEBVTT(?:[ \t\r\n]|\Z)", 0, names.VTT),
        (rb"\d{1,6}\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} *--> *\d", 0, names.SRT),
        (rb"BEGIN:VCALENDAR\s", re.IGNORECASE, names.CALENDAR),
        (rb"BEGIN:VCARD\s", re.IGNORECASE, names.CARD),
        (rb"(?:%[^\n]*\n|\s)*\\document(?:class|style)[\[{]", 0, names.TEX),
        (rb"%YAML \d", 0, names.YAML),
        (rb"#\+(?:TITLE|AUTHOR|OPTIONS|STARTUP):", re.IGNORECASE, names.ORG),
        (rb"= \S[^\n]*\n(?:[^\n]*\n){1,60}?== \S", 0, names.ASCIIDOC),
        (rb"#!/[^\n]{1,200}\n", 0, names.SCRIPT),
    )
)
"""How text of some kinds begins. Nothing else does."""
_RST = pattern(rb"^\.\. [\w:-]{1,60}:: ?", re.MULTILINE)
_UNDERLINED = pattern(rb"^\S[^\n]*\n([=~^\"'`#*+-])\1{3,}\r?$", re.MULTILINE)
_HEADING = pattern(rb"^(?:#{1,6} \S.*|={3,}|-{3,})\r?$", re.MULTILINE)


def settled(data: bytes, said: mime.MimeType, url: str | None, *, untold: bool) -> mime.MimeType:
    """The kind of a document, given what its type was found to be. `untold` says that no type was sent."""
    essence = said.essence
    known = _ALIASES.get(essence, essence)
    found = _settled(data, known, url, untold=untold or known in _SOME_BYTES)
    return said if found == essence else _named(found, said)


def likely(head: bytes, url: str | None) -> str:
    """The kind of a file, as far as its first bytes and its name tell it to somebody who has not read the rest. Without
    first bytes, which may be packed, by its name alone."""
    if not head:
        return mime.type_by_name(f"a{_ending(url)}") or PLAIN
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return PDF
    known = TAR if is_tar(head) else packed_as(head) or sniffed(head).essence
    if known == PLAIN:
        return _BY_NAME.get(_ending(url)) or _looks_like(head)
    return (mime.type_by_name(f"a{_ending(url)}") or known) if known == _SOME_BYTES_TYPE else known


def within_zip(data: bytes) -> str | None:
    """The kind of a ZIP file; None if it has no members that can be found."""
    archive = Archive(data)
    members = archive.members
    if not members:
        return None
    said = archive.read("mimetype", 200).strip().decode("ascii", "replace")
    if (known := _ALIASES.get(said, said)) in _ZIPPED:
        return known
    if "[Content_Types].xml" in members or "_rels/.rels" in members:
        if "xl/workbook.bin" in members:
            return XLSB
        kinds = (kind for folder, kind in _MAIN_PARTS if any(name.lower().startswith(folder) for name in members))
        return next(kinds, ZIP)
    return EPUB if "META-INF/container.xml" in members else ZIP


def _settled(data: bytes, known: str, url: str | None, *, untold: bool) -> str:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        inside = within_zip(data) or ZIP
        return inside if inside != ZIP or untold or known in _ZIPPED or known.startswith("text/") else known
    if marked := _marked(data, known, untold=untold):
        return marked
    if data.startswith(b"PK") and (named := _zipped(known, url)):
        return named
    if known in _ZIPPED or known in _MARKED:
        found = sniffed(data).essence
        known, untold = (known, False) if found in _SOME_BYTES else (found, True)
    if known in names.LANGUAGES and sniffed(data, nosniff=True).type != "text":
        known = _SOME_BYTES_TYPE
    if known in _SOME_BYTES:
        known = sniffed(data, nosniff=True).essence
    if known == PLAIN or known in _SOME_BYTES:
        named = _BY_NAME.get(_ending(url)) or (names.ENDINGS.get(_ending(url)[1:]) if known == PLAIN else None)
        known = named or (_looks_like(data) if untold and known == PLAIN else known)
    return NOTEBOOK if known == JSON and _is_notebook(data) else known


def _zipped(known: str, url: str | None) -> str | None:
    """The kind of ZIP file that it was said to be, or is called. One with half a mark is a broken one, and no text."""
    named = mime.type_by_name(f"a{_ending(url)}") or ""
    return next((kind for kind in (known, _ALIASES.get(named, named)) if kind in _ZIPPED), None)


def _marked(data: bytes, known: str, *, untold: bool) -> str | None:
    """The kind of a file that begins with a mark of its own. That of PDF may stand a little later."""
    if data.startswith(compound.SIGNATURE):
        return compound.kind_of(data) or (known if known in _COMPOUND else OLE)
    if b"%PDF-" in data[:_PDF_WITHIN] and (untold or known == PDF or known.startswith("text/")):
        return PDF
    if packed := packed_as(data):
        return packed
    if is_tar(data) and (untold or known == TAR):
        return TAR
    return RTF if data.startswith(b"{\\rtf") else None


def packed_as(head: bytes) -> str | None:
    """Is it packed by one of the programs whose mark no browser knows?"""
    if head.startswith(b"BZh") and head.startswith(_BZIP2_BLOCK, 4):
        return BZIP2
    return XZ if head.startswith(_XZ) else None


def is_tar(head: bytes) -> bool:
    """Does a file begin as TAR files do? No browser knows their mark."""
    return head.startswith(_TAR, _TAR_AT)


def _named(essence: str, said: mime.MimeType) -> mime.MimeType:
    """Parameters stay: an encoding that was named is named for whatever text it is."""
    kind, _, subtype = essence.partition("/")
    return mime.MimeType(kind, subtype, said.parameters)


def _ending(url: str | None) -> str:
    """How the name of a file ends; an address may be wrong in any way."""
    path = (url or "").partition("#")[0].partition("?")[0]
    return posixpath.splitext(unquote(path))[1].lower()


def _is_notebook(data: bytes) -> bool:
    """The number of its format stands before the cells or after them."""
    return bool(_NOTEBOOK.search(data[:_LOOKED_AT]) or _NOTEBOOK.search(data[-_NOTEBOOK_ENDS:])) and b'"cells"' in data


def _looks_like(data: bytes) -> str:
    """The kind of some text, by its first lines."""
    head = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in (b"{", b"[") and data.rstrip()[-1:] in (b"}", b"]"):
        return JSON
    fields = _FIELD.match(head)
    if fields and len(set(_MAIL_FIELDS.findall(fields[0]))) >= 3:
        return MBOX if head.startswith(b"From ") and _NEXT_LETTER.search(data) else MAIL
    if marked := next((kind for begin, kind in _BEGINS if begin.match(head)), None):
        return marked
    if len(_MARKS.findall(head)) >= 2 or (_HEADING.search(head) and _MARKS.search(head)):
        return MARKDOWN
    if _RST.search(head) and _UNDERLINED.search(head):
        return names.RST
    return _delimited(head)


def _delimited(head: bytes) -> str:
    """Text whose lines all have the same number of tabs, semicolons or commas, and at least three lines."""
    lines = [line for line in head.splitlines() if line.strip()]
    if len(head) == _LOOKED_AT:
        lines = lines[:-1]
    for delimiter, kind, least in ((b"\t", TSV, 1), (b";", CSV, 1), (b",", CSV, 1)):
        counts = {re.sub(rb'"[^"]*"', b"", line).count(delimiter) for line in lines}
        if len(lines) >= 3 and len(counts) == 1 and counts.pop() >= least and not _is_prose(lines):
            return kind
    return PLAIN


def _is_prose(lines: list[bytes]) -> bool:
    """Sentences have commas too."""
    return sum(line.rstrip().endswith((b".", b"!", b"?", b",", b";")) for line in lines) * 2 > len(lines)
