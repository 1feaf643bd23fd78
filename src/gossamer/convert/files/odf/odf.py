"""OpenDocument files (ODT, ODS, ODP; ISO/IEC 26300) and those of OpenOffice 1: body, notes, comments, headers, footers.

All three kinds are one vocabulary, so one reader serves them. Deleted text is kept apart in such files and left there;
macros are programs, not text.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from xml.etree.ElementTree import Element

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.flow import Block, begun, labelled, write
from gossamer.convert.files.markup import tree, walk
from gossamer.convert.files.odf.masters import Masters
from gossamer.convert.files.odf.styles import Styles
from gossamer.convert.files.odf.text import SKIPPED, Kept, Text
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.zip.zipped import Archive
from gossamer.convert.source import Source
from gossamer.model import Page

_SMALL = 32 << 20
_BODY, _MASTERS = "office:body", "office:master-styles"


def read(source: Source) -> Page:
    """What an OpenDocument file says."""
    archive = Archive(source.data, source.allowance)
    if b"encryption-data" in archive.read("META-INF/manifest.xml", _SMALL):
        archive.note("it is encrypted")
        return page_of(source, "", About(), problem=archive.problem)
    common = tree(archive.pieces("styles.xml", _SMALL), until=_MASTERS)
    styles = Styles(common, tree(archive.pieces("content.xml"), until=_BODY))
    pointers = Pointers(source.url)
    text = Text(styles, pointers, _objects(archive, styles, pointers))
    _walk(archive, "content.xml", text)
    masters = Masters(text.kept.masters)
    walk(archive.pieces("styles.xml", _SMALL), masters)
    writer = tagged.Writer()
    write([*text.blocks, *_beside(text.kept), *masters.blocks], writer)
    html = writer.html()
    return page_of(
        source, html, titled(_about(tree(archive.pieces("meta.xml", _SMALL))), html), pointers, archive.problem
    )


def flat(source: Source) -> Page:
    """What an OpenDocument file says that is one part of XML, without a ZIP file around it."""
    pointers = Pointers(source.url)
    text = Text(Styles(tree([source.data], until=_BODY)), pointers, lambda _: [])
    problem = walk([source.data], text, SKIPPED)
    writer = tagged.Writer()
    write([*text.blocks, *_beside(text.kept)], writer)
    html = writer.html()
    return page_of(source, html, titled(_about(tree([source.data], until=_BODY)), html), pointers, problem)


def _walk(archive: Archive, part: str, text: Text) -> None:
    if part not in archive:
        archive.note(f"its part {part!r} is missing")
    elif problem := walk(archive.pieces(part), text, SKIPPED):
        archive.note(f"{part!r}: {problem}")


def _objects(archive: Archive, styles: Styles, pointers: Pointers) -> Callable[[str], list[Block]]:
    """Reads charts and other objects, which are documents in folders of their own: each once, none within another."""
    drawn: set[str] = set()

    def blocks(folder: str) -> list[Block]:
        part = posixpath.normpath(posixpath.join(folder, "content.xml"))
        if part in drawn or part not in archive or part == "content.xml":
            return []
        drawn.add(part)
        text = Text(styles, pointers, lambda _: [])
        _walk(archive, part, text)
        return text.blocks

    return blocks


def _beside(kept: Kept) -> list[Block]:
    """Notes, comments, and the footers of slides."""
    blocks = [block for number, note in enumerate(kept.notes, 1) for block in begun(note, f"[{number}] ")]
    for author, comment in kept.comments:
        said = begun(comment, tagged.words(f"{author}: ") if author else "")
        blocks += [Block("quote", labelled(block)) for block in said]
    return blocks + list(dict.fromkeys(kept.footers))


def _about(meta: Element) -> About:
    said: dict[str, str] = {}
    for element in meta.iter():
        said.setdefault(element.tag, (element.text or "").strip())
    return About(
        title=said.get("dc:title", ""),
        author=said.get("meta:initial-creator") or said.get("dc:creator", ""),
        published=file_seconds(said.get("meta:creation-date", "")),
        modified=file_seconds(said.get("dc:date", "")),
    )
