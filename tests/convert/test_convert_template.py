"""What is on many pages of a host is taken out of the content, and nothing that belongs to the page is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from content_of import outline_of

from gossamer.convert.content.marks import hashes
from gossamer.convert.html.article import without_template
from gossamer.convert.html.template import Hashes, Mask, Runs, without

LONG = "Subscribe to our letter and read it every week, for nothing at all."
OTHER = "This site uses what every site uses, and asks you to agree to that."
NEWS = "What is told here was never told before, and on no other page of this site."


def runs(*blocks: str, headings: tuple[int, ...] = (), terms: tuple[int, ...] = ()) -> Runs:
    """Each block in two runs, as a link within it would make them."""
    parts = [part for block in blocks for part in (block[: len(block) // 2], block[len(block) // 2 :])]
    starts = np.cumsum([0, *(len(part) for part in parts)]).astype(np.int32)
    numbers = np.repeat(np.arange(3, 3 + len(blocks), dtype=np.int32), 2)
    lists = np.where(np.isin(numbers - 3, terms), 7, -1).astype(np.int32)
    return Runs("".join(parts).encode(), starts, numbers, np.isin(numbers - 3, headings), lists)


def knowing(*blocks: str) -> Callable[[Hashes], Mask]:
    text, sizes = "".join(blocks).encode(), [len(block.encode()) for block in blocks]
    ends = np.cumsum(sizes, dtype=np.int32)
    marks = hashes(text, ends - np.array(sizes, np.int32), ends)
    return lambda met: np.isin(met, marks)


def left(page: Runs, *known: str, keep: Mask | None = None) -> list[int]:
    """The blocks that stay."""
    corrected = without(page, np.ones(len(page.numbers), np.bool_) if keep is None else keep, knowing(*known))
    whole = corrected.reshape(-1, 2)
    assert (whole[:, 0] == whole[:, 1]).all(), "a block stays or goes as a whole"
    return np.flatnonzero(whole[:, 0]).tolist()


def test_blocks_of_the_template_go_and_all_others_stay() -> None:
    assert left(runs(NEWS, LONG, f" {OTHER}\n", NEWS), LONG, OTHER) == [0, 3]


def test_a_page_of_which_little_would_be_left_stays_as_it_is() -> None:
    assert left(runs(LONG, OTHER, LONG), LONG, OTHER) == [0, 1, 2]
    assert left(runs(LONG, OTHER, LONG, OTHER, "Hello there, you."), LONG, OTHER) == [0, 1, 2, 3, 4]


def test_a_heading_stays_with_what_it_stands_over() -> None:
    page = runs("Examples", NEWS, "Related", LONG, "More", headings=(0, 2, 4))
    assert left(page, "Examples", "Related", LONG, "More") == [0, 1]


def test_a_heading_stays_if_anything_below_it_does() -> None:
    assert left(runs(NEWS, "Options", LONG, NEWS, headings=(1,)), "Options", LONG) == [0, 1, 3]


def test_a_list_of_terms_stays_whole_if_a_part_of_it_does() -> None:
    page = runs(NEWS, "-q", "--quiet", "Say nothing of this.", LONG, terms=(1, 2, 3))
    assert left(page, "-q", "--quiet", LONG) == [0, 1, 2, 3]
    assert left(page, "-q", "--quiet", "Say nothing of this.", LONG) == [0]


def test_headings_upon_headings_stay_together() -> None:
    assert left(runs("Part", "Examples", NEWS, headings=(0, 1)), "Part", "Examples") == [0, 1, 2]


def test_a_label_stays_and_a_row_of_them_goes() -> None:
    assert left(runs(NEWS, "Price", "12 crowns", "Weight", "3 stone", NEWS), "Price", "Weight") == [0, 1, 2, 3, 4, 5]
    assert left(runs(NEWS, "Home", "About us", "Contact", NEWS), "Home", "About us", "Contact") == [0, 4]


def test_who_wrote_and_when_stays_between_what_was_written() -> None:
    page = runs(NEWS, "ann", "3 May 2024", NEWS, "bob", "3 May 2024", NEWS)
    assert left(page, "ann", "bob", "3 May 2024") == [0, 1, 2, 3, 4, 5, 6]
    assert left(runs("Home", "About us", NEWS, "Terms", "Contact"), "Home", "About us", "Terms", "Contact") == [2]


def test_terms_of_a_page_that_many_pages_share_are_found_in_its_markup() -> None:
    options = "<dl><dt>-q<dt>--quiet<dd>{}<dt>-v<dt>--verbose<dd><dl><dt>-v<dt>--verbose<dd>{}</dl></dl>"
    body = f"<dl><dt>Home<dt>About us</dl><p>{NEWS}</p>{options.format(NEWS, OTHER)}<p>{LONG}</p>"
    outline = outline_of(body.encode())
    keep = np.ones(len(outline.owners), np.bool_)
    known = knowing("Home", "About us", "-q", "--quiet", "-v", "--verbose", OTHER, LONG)
    assert without_template(known)(outline, keep).tolist() == [False] * 2 + [True] * 9 + [False]


def test_what_was_left_out_before_is_not_asked_about() -> None:
    asked: list[int] = []

    def template(hashes: Hashes) -> Mask:
        asked.append(len(hashes))
        return np.zeros(len(hashes), np.bool_)

    page = runs(NEWS, LONG, NEWS)
    keep = np.array([True, True, False, False, True, True])
    assert without(page, keep, template) is keep
    assert asked == [2]
    assert left(page, LONG, keep=keep) == [0, 2]
    nothing = np.zeros(6, np.bool_)
    assert without(page, nothing, template) is nothing
