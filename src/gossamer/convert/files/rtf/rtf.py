"""Rich Text Format: the body, then notes, comments, headers and footers.

Our own reader of RTF 1.9.1 with what matters to readers of its text: encodings of fonts, Unicode with its
replacements, fields, tables, lists, notes; pictures, objects, hidden and deleted text are passed over. striprtf, the
best of the libraries, has no structure and knows no links.
"""

from __future__ import annotations

from gossamer import tagged
from gossamer.convert.files.flow import Block, begun, labelled, write
from gossamer.convert.files.page import Pointers, page_of, titled
from gossamer.convert.files.rtf.text import Text
from gossamer.convert.source import Source
from gossamer.model import Page

SIGNATURE = b"{\\rtf"


def read(source: Source) -> Page:
    """What an RTF file says."""
    pointers = Pointers(source.url)
    text = Text(pointers)
    text.read(source.data)
    writer = tagged.Writer()
    write(_blocks(text), writer)
    html = writer.html()
    problem = "" if source.data.lstrip().startswith(SIGNATURE) else "does not begin as RTF does"
    return page_of(source, html, titled(text.about(), html), pointers, problem)


def _blocks(text: Text) -> list[Block]:
    blocks: list[Block] = []
    around: dict[Block, None] = {}
    for story in text.finished():
        if story.kind == "note":
            blocks += begun(story.blocks, "" if not story.number else f"[{story.number}] ")
        elif story.kind == "comment":
            blocks += (Block("quote", labelled(block)) for block in story.blocks)
        elif story.kind == "around":
            around |= dict.fromkeys(story.blocks)
        else:
            blocks += story.blocks
    return [*blocks, *around]
