"""Makes small files of the formats that are ZIP files of XML, each with what a test needs and no more."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO

OFFICE = "http://schemas.openxmlformats.org"
RELATIONS = f"{OFFICE}/officeDocument/2006/relationships"
NAMESPACES = (
    f'xmlns:w="{OFFICE}/wordprocessingml/2006/main" xmlns:p="{OFFICE}/presentationml/2006/main"'
    f' xmlns:m="{OFFICE}/officeDocument/2006/math"'
    f' xmlns:a="{OFFICE}/drawingml/2006/main" xmlns:c="{OFFICE}/drawingml/2006/chart"'
    f' xmlns:dgm="{OFFICE}/drawingml/2006/diagram" xmlns:xdr="{OFFICE}/drawingml/2006/spreadsheetDrawing"'
    f' xmlns:wp="{OFFICE}/drawingml/2006/wordprocessingDrawing" xmlns:mc="{OFFICE}/markup-compatibility/2006"'
    f' xmlns:r="{RELATIONS}" xmlns="{OFFICE}/spreadsheetml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"'
)
CORE = (
    f'<cp:coreProperties xmlns:cp="{OFFICE}/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>{title}</dc:title><dc:creator>Ada</dc:creator>"
    "<dcterms:created>2001-09-09T01:46:40Z</dcterms:created><dcterms:modified>2001-09-09T01:46:41Z</dcterms:modified>"
    "</cp:coreProperties>"
)
ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODF_NAMESPACES = (
    f'xmlns:office="{ODF}office:1.0" xmlns:text="{ODF}text:1.0" xmlns:table="{ODF}table:1.0"'
    f' xmlns:style="{ODF}style:1.0" xmlns:draw="{ODF}drawing:1.0" xmlns:presentation="{ODF}presentation:1.0"'
    f' xmlns:fo="{ODF}xsl-fo-compatible:1.0" xmlns:svg="{ODF}svg-compatible:1.0" xmlns:meta="{ODF}meta:1.0"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def zipped(members: Mapping[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file of these members."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def relations(**targets: tuple[str, str]) -> str:
    """A part of relations: name=(kind, target). Targets with a colon lie outside."""
    lines = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target or kind == "hyperlink" else "/>")
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{lines}</Relationships>'


def package(main: str, parts: Mapping[str, str | bytes], *, title: str = "") -> bytes:
    """An Office file whose first part is `main`."""
    top = relations(m=("officeDocument", main), c=("metadata/core-properties", "docProps/core.xml"))
    members: dict[str, str | bytes] = {"[Content_Types].xml": "<Types/>", "_rels/.rels": top}
    return zipped(members | {"docProps/core.xml": CORE.format(title=title)} | dict(parts))


def docx(body: str, title: str = "", parts: Mapping[str, str] | None = None, **targets: tuple[str, str]) -> bytes:
    """A Word file with this body."""
    document = f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>"
    own = {"word/document.xml": document, "word/_rels/document.xml.rels": relations(**targets)}
    return package("word/document.xml", own | dict(parts or {}), title=title)


def xlsx(
    sheets: Mapping[str, str], *, strings: str = "", styles: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """An Excel file: names of sheets and what stands in their worksheet element."""
    listed = "".join(f'<sheet name="{name}" r:id="s{at}"/>' for at, name in enumerate(sheets))
    targets = {f"s{at}": ("worksheet", f"worksheets/sheet{at}.xml") for at in range(len(sheets))}
    targets |= {"t": ("sharedStrings", "sharedStrings.xml"), "y": ("styles", "styles.xml")}
    own = {
        "xl/workbook.xml": f"<workbook {NAMESPACES}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(**targets),
        "xl/sharedStrings.xml": f"<sst {NAMESPACES}>{strings}</sst>",
        "xl/styles.xml": f"<styleSheet {NAMESPACES}>{styles}</styleSheet>",
    }
    own |= {
        f"xl/worksheets/sheet{at}.xml": f"<worksheet {NAMESPACES}>{inner}</worksheet>"
        for at, inner in enumerate(sheets.values())
    }
    return package("xl/workbook.xml", own | dict(parts or {}))


def pptx(slides: list[str], *, parts: Mapping[str, str] | None = None) -> bytes:
    """A PowerPoint file: what stands in the shape tree of each slide. The files are numbered backwards."""
    listed = "".join(f'<p:sldId r:id="s{at}"/>' for at in range(len(slides)))
    names = [f"slides/slide{len(slides) - at}.xml" for at in range(len(slides))]
    own = {
        "ppt/presentation.xml": f"<p:presentation {NAMESPACES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**{f"s{at}": ("slide", name) for at, name in enumerate(names)}),
    }
    own |= {
        f"ppt/{name}": f"<p:sld {NAMESPACES}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:sld>"
        for name, inner in zip(names, slides, strict=True)
    }
    return package("ppt/presentation.xml", own | dict(parts or {}))


def shape(*paragraphs: str, place: str | None = None) -> str:
    """A shape of a slide; `place` is the kind of placeholder that it is."""
    kind = "" if place is None else f'<p:ph type="{place}"/>' if place else "<p:ph/>"
    lines = "".join(
        line if line.startswith("<a:p>") else f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in paragraphs
    )
    return f"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def a_paragraph(text: str, properties: str = "", look: str = "") -> str:
    """A paragraph of a shape, of one run."""
    return f"<a:p>{properties}<a:r>{look}<a:t>{text}</a:t></a:r></a:p>"


def chart(title: str, categories: list[str], **series: list[float]) -> str:
    """A part with a chart."""

    def points(values: list[object]) -> str:
        return "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))

    rows = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points(list(categories))}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{points(list(values))}</c:numCache></c:numRef></c:val></c:ser>"
        for name, values in series.items()
    )
    words = f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    return f"<c:chartSpace {NAMESPACES}><c:chart>{words}<c:plotArea>{rows}</c:plotArea></c:chart></c:chartSpace>"


def odf(
    kind: str, body: str, *, automatic: str = "", common: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """An OpenDocument file; `kind` is text, spreadsheet or presentation."""
    content = (
        f"<office:document-content {ODF_NAMESPACES}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    meta = (
        f"<office:document-meta {ODF_NAMESPACES}><office:meta><meta:initial-creator>Ada</meta:initial-creator>"
        "<meta:creation-date>2001-09-09T01:46:40</meta:creation-date></office:meta></office:document-meta>"
    )
    members: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        "styles.xml": f"<office:document-styles {ODF_NAMESPACES}>{common}</office:document-styles>",
        "meta.xml": meta,
    }
    return zipped(members | dict(parts or {}))


def epub(chapters: Mapping[str, str], *, spine: list[str] | None = None, metadata: str = "") -> bytes:
    """A book: names of chapters and their bodies."""
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"'
        + (' properties="nav"/>' if name == "nav" else "/>")
        for name in chapters
    )
    order = "".join(f'<itemref idref="{name}"/>' for name in spine or chapters)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OPS/book.opf": opf}
    pages = {f"OPS/{name}.xhtml": _page(body) for name, body in chapters.items()}
    return zipped(members | pages)


def _page(body: str) -> str:
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
