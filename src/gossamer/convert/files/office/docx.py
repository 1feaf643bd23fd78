"""Word files (DOCX and its kin): the body, then notes, comments, headers and footers, each once."""

from __future__ import annotations

from gossamer import tagged
from gossamer.convert.files.flow import Block, begun, labelled, write
from gossamer.convert.files.markup import tree, walk
from gossamer.convert.files.office.docx_lists import LOOKS_OF_LISTS, LOOKS_OF_STYLES, Numbering, Styles
from gossamer.convert.files.office.docx_text import SKIPPED, Shared, Text
from gossamer.convert.files.office.drawings import Drawings
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.source import Source
from gossamer.model import Page


def read(source: Source) -> Page:
    """What a Word file says."""
    package = Package(source)
    main = package.main("word/document.xml")
    shared = _shared(package, main, Pointers(source.url))
    blocks = _part(shared, main).blocks
    notes = [block for kind in ("footnotes", "endnotes") for block in _notes(shared, main, kind)]
    around = _once(shared, [*package.related(main, "header"), *package.related(main, "footer")])
    writer = tagged.Writer()
    write([*blocks, *notes, *_comments(shared, main), *around], writer)
    html = writer.html()
    return page_of(source, html, titled(package.about(), html), shared.pointers, package.archive.problem)


def flat(source: Source) -> Page:
    """What a file says that Word saved as XML: the same text in one piece, without a ZIP file around it."""
    nothing = Package(Source(b"", source.kind))
    styles = Styles(tree([source.data], until="w:body"))
    shared = Shared(nothing, styles, Numbering(tree([])), Pointers(source.url), Drawings(nothing))
    text = Text(shared, "")
    problem = walk([source.data], text, SKIPPED)
    writer = tagged.Writer()
    write([*text.blocks, *(block for _, blocks in text.notes.values() for block in blocks)], writer)
    html = writer.html()
    return page_of(source, html, titled(About(), html), shared.pointers, problem)


def _shared(package: Package, main: str, pointers: Pointers) -> Shared:
    styles = Styles(package.tree(next(iter(package.related(main, "styles")), ""), LOOKS_OF_STYLES))
    numbering = Numbering(package.tree(next(iter(package.related(main, "numbering")), ""), LOOKS_OF_LISTS))
    return Shared(package, styles, numbering, pointers, Drawings(package))


def _part(shared: Shared, part: str) -> Text:
    text = Text(shared, part)
    shared.package.walk(part, text, SKIPPED)
    return text


def _notes(shared: Shared, main: str, kind: str) -> list[Block]:
    """In the order in which the text points to them; those it does not point to last."""
    found: list[tuple[int, list[Block]]] = []
    for part in shared.package.related(main, kind):
        for name, (_, blocks) in _part(shared, part).notes.items():
            number = shared.noted.get((kind, name))
            found.append((number or len(shared.noted) + 1, begun(blocks, f"[{number}] " if number else "")))
    return [block for _, blocks in sorted(found, key=lambda each: each[0]) for block in blocks]


def _comments(shared: Shared, main: str) -> list[Block]:
    return [
        Block("quote", labelled(block))
        for part in shared.package.related(main, "comments")
        for author, blocks in _part(shared, part).notes.values()
        for block in begun(blocks, tagged.words(f"{author}: ") if author else "")
    ]


def _once(shared: Shared, parts: list[str]) -> list[Block]:
    """Headers and footers. Each section may have three of both, and most say the same."""
    found: dict[Block, None] = {}
    for part in parts:
        found |= dict.fromkeys(_part(shared, part).blocks)
    return list(found)
