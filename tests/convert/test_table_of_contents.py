"""A table of contents of the page itself is no content; a list of something else is, though its links stay there."""

from __future__ import annotations

import numpy as np
import pytest
from content_of import outline_of

from gossamer.convert.content.blocks import split
from gossamer.convert.content.table_of_contents import without_table_of_contents

TOPICS = ("Pools of connections", "Reset on return", "Dealing with disconnects", "Events of a pool")
SECTIONS = "".join(
    f"<h2 id=t{number}>{topic}</h2><p>What is said of it fills a paragraph, with a comma, and some more words.</p>"
    for number, topic in enumerate(TOPICS)
)
ITEMS = "".join(f"<li><a href='#t{number}'>{topic}</a></li>" for number, topic in enumerate(TOPICS))
OTHERS = "".join(f"<li><a href='/chapter{number}'>Chapter {number} of the manual</a></li>" for number in range(9))


def left(body: str) -> list[str]:
    """The blocks that are left of a page of which all is kept."""
    outline = outline_of(f"<html><body>{body}</body></html>".encode())
    numbers = split(outline).numbers
    kept = without_table_of_contents(outline, numbers, np.ones(numbers[-1] + 1, np.bool_))
    texts = [outline.text[begin:end].decode() for begin, end in zip(outline.starts, outline.starts[1:], strict=False)]
    blocks = [
        "".join(text for text, each in zip(texts, numbers, strict=True) if each == block).strip()
        for block in range(len(kept))
    ]
    return [block for block, is_kept in zip(blocks, kept, strict=True) if is_kept]


@pytest.mark.parametrize(
    "beside",
    [
        f"<ul>{ITEMS}</ul>",
        f"<ol>{ITEMS}</ol>",
        f"<ul><li><a href='#top'>Connection Pooling</a><ul>{ITEMS}</ul></li></ul>",
    ],
)
def test_it_goes_and_all_else_stays(beside: str) -> None:
    assert left(f"<h1 id=top>Connection Pooling</h1>{beside}{SECTIONS}") == left(
        f"<h1 id=top>Connection Pooling</h1>{SECTIONS}"
    )


def test_among_links_to_other_pages_only_its_own_part_goes() -> None:
    found = left(f"<ul>{OTHERS}<li><b>Connection Pooling</b><ul>{ITEMS}</ul></li></ul>{SECTIONS}")
    assert sum(block.startswith("Chapter") for block in found) == 9
    assert [block for block in found if block in TOPICS] == list(TOPICS), "the headings alone"


@pytest.mark.parametrize(
    "listed",
    [
        f"<ul>{OTHERS}</ul>",
        "".join(
            f"<ul><li><a href='#t{number}'>{topic}</a>: more than a heading says</li></ul>"
            for number, topic in enumerate(TOPICS)
        ),
        f"<ul>{ITEMS.replace('</li>', ' is what this part of the manual is about</li>')}</ul>",
        "<ul><li><a href='#t0'>Up</a></li><li><a href='#t1'>Down</a></li></ul>",
    ],
)
def test_what_is_no_table_of_contents_stays(listed: str) -> None:
    assert len(left(listed + SECTIONS)) > len(left(SECTIONS))


def test_a_page_that_is_nothing_else_keeps_it() -> None:
    assert left(f"<h1>Index</h1><ul>{ITEMS}</ul>") == ["Index", *TOPICS]
