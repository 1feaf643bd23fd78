"""What is a change, and what is a trifle?"""

from __future__ import annotations

from gossamer.freshness.content import BLOCKS, content_print, difference, is_change, restlessness

PAGE = "\n".join(f"Paragraph {number} says something of its own." for number in range(40))


def test_the_same_words_are_no_difference() -> None:
    assert difference(content_print(PAGE), content_print(PAGE)) == 0.0
    assert difference(content_print(""), content_print("")) == 0.0


def test_one_other_word_is_a_small_difference() -> None:
    for number in range(40):
        other = PAGE.replace(f"Paragraph {number} says", f"Paragraph {number} tells")
        assert 0 < difference(content_print(PAGE), content_print(other)) <= 0.25


def test_other_words_are_a_large_one() -> None:
    other = PAGE.replace("says", "told")
    assert difference(content_print(PAGE), content_print(other)) == 1.0
    assert difference(content_print("one line"), content_print("another line")) == 1.0
    assert difference(content_print(""), content_print("a line")) == 1.0


def test_half_of_it_is_about_a_half() -> None:
    lines = PAGE.split("\n")
    other = "\n".join([*lines[:20], *(f"{line} And more." for line in lines[20:])])
    assert 0.3 < difference(content_print(PAGE), content_print(other)) < 0.95


def test_it_takes_some_dozen_bytes() -> None:
    assert len(content_print(PAGE * 100)) == 8 + 4 * BLOCKS
    assert len(content_print("\ud800 lone")) < 20


def looks(*pages: str) -> list[bool]:
    """Which of the visits after the first found a change."""
    found, restless, before = [], 0, content_print(pages[0])
    for page in pages[1:]:
        after = content_print(page)
        differs = difference(before, after)
        found.append(is_change(differs, restless))
        restless, before = restlessness(differs, restless), after
    return found


def test_a_clock_is_a_change_twice_and_then_a_trifle() -> None:
    clocked = [f"{PAGE}\nIt is {hour}:00 now." for hour in range(6)]
    assert looks(*clocked) == [True, True, False, False, False]


def test_what_is_new_beside_a_clock_is_a_change() -> None:
    clocked = [f"{PAGE}\nIt is {hour}:00 now." for hour in range(4)]
    news = "\n".join(f"Today's news, number {number}." for number in range(40))
    assert looks(*clocked, f"{PAGE}\n{news}\nIt is 4:00 now.") == [True, True, False, True]


def test_an_edit_now_and_then_is_a_change_each_time() -> None:
    edited = PAGE.replace("Paragraph 3 says", "Paragraph 3 tells")
    again = edited.replace("Paragraph 9 says", "Paragraph 9 tells")
    assert looks(PAGE, PAGE, edited, edited, again, again, PAGE) == [False, True, False, True, False, True]
