"""PowerPoint files (PPTX and its kin): slides in the order of the presentation, the notes of each after it.

A slide is its title as a heading, then its other shapes in the order in which they are drawn, as screen readers have
them. The footer of a slide stands once, at the end, and so does what its layout and its master show by themselves;
their placeholders, which say where to click, are left out, and the number and the date of a slide.
"""

from __future__ import annotations

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.office.drawings import Drawings
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.office.shapes import Shapes, Shared
from gossamer.convert.files.page import Pointers, page_of, titled
from gossamer.convert.source import Source
from gossamer.model import Page


def read(source: Source) -> Page:
    """What a presentation says."""
    package = Package(source)
    main = package.main("ppt/presentation.xml")
    shared = Shared(package, Pointers(source.url), Drawings(package))
    blocks: list[Block] = []
    footers: dict[Block, None] = {}
    behind: dict[Block, None] = {}
    for part in _slides(package, main):
        slide = _part(shared, part)
        blocks += [*slide.titles, *slide.blocks, *_notes(shared, part)]
        footers |= dict.fromkeys(slide.footers)
        behind |= dict.fromkeys(_behind(shared, part))
    writer = tagged.Writer()
    write([*blocks, *(footers | behind)], writer)
    html = writer.html()
    return page_of(source, html, titled(package.about(), html), shared.pointers, package.archive.problem)


def _slides(package: Package, main: str) -> list[str]:
    """In order; where that is damaged, by the pointers to them."""
    listed = [package.target(main, slide.get("r:id")) for slide in package.tree(main).iter("p:sldId")]
    return [part for part in listed if part] or package.related(main, "slide")


def _part(shared: Shared, part: str) -> Shapes:
    shapes = Shapes(shared, part)
    shared.package.walk(part, shapes)
    return shapes


def _behind(shared: Shared, slide: str) -> list[Block]:
    """What the layout of a slide and the master of that show by themselves. Each is read once."""
    package = shared.package
    layouts = package.related(slide, "slideLayout")
    masters = [master for layout in layouts for master in package.related(layout, "slideMaster")]
    return [block for part in (*layouts, *masters) for block in _part(shared, part).free]


def _notes(shared: Shared, slide: str) -> list[Block]:
    """What the speaker says, and what others said about the slide."""
    package = shared.package
    spoken = [block for part in package.related(slide, "notesSlide") for block in _part(shared, part).spoken]
    said = [line for part in package.related(slide, "comments") for line in _comments(package, part)]
    return [Block("quote", block.line) for block in spoken] + [Block("quote", tagged.words(line)) for line in said]


def _comments(package: Package, part: str) -> list[str]:
    """Those of PowerPoint until 2019 are in p:text, those of later ones in paragraphs."""
    root = package.tree(part)
    return [text.text or "" for name in ("p:text", "a:t") for text in root.iter(name)]
