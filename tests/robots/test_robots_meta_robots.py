from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.robots import Directives, read

NOTHING = Directives()


def header(*values: str) -> Directives:
    return read(values, [], "Gossamer/0.1 (+https://example.org/)")


def meta(content: str, name: str = "robots") -> Directives:
    return read([], [(name, content)], "Gossamer")


@pytest.mark.parametrize("ask", [header, meta])
@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("noindex", Directives(noindex=True)),
        ("NoFollow", Directives(nofollow=True)),
        ("none", Directives(noindex=True, nofollow=True)),
        (" noarchive ,, noindex ", Directives(noindex=True, noarchive=True)),
        ("noindex nofollow", Directives(noindex=True, nofollow=True)),
        ("noindex;nofollow", Directives(noindex=True, nofollow=True)),
        ("all", NOTHING),
        ("index, follow", NOTHING),
        ("index, noindex", Directives(noindex=True)),
        ("max-image-preview: none, max-snippet:-1", NOTHING),
        ("max-image-preview:none, nofollow", Directives(nofollow=True)),
        ("unavailable_after: none", NOTHING),
        ("", NOTHING),
    ],
)
def test_words_mean_the_same_in_header_and_meta(ask: object, words: str, meaning: Directives) -> None:
    assert callable(ask)
    assert ask(words) == meaning


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("gossamer: noindex", Directives(noindex=True)),
        ("GOSSAMER : noindex, nofollow", Directives(noindex=True, nofollow=True)),
        ("otherbot: noindex, nofollow", NOTHING),
        ("otherbot: noindex, gossamer: nofollow", Directives(nofollow=True)),
        ("noarchive, otherbot: noindex", Directives(noarchive=True)),
        ("*: noindex", Directives(noindex=True)),
        ("noindex: true", Directives(noindex=True)),
    ],
)
def test_a_header_may_be_addressed_to_one_agent(value: str, meaning: Directives) -> None:
    assert header(value) == meaning


@pytest.mark.parametrize(
    "date",
    [
        "25 Jun 2010 15:00:00 PST",
        "Fri, 25 Jun 2010 15:00:00 PST",
        "Friday, 25-Jun-10 15:00:00 UTC",
        "2010-06-25T15:00:00+00:00",
        "Jun 25, 2010 3:00 pm",
    ],
)
def test_a_date_addresses_nobody(date: str) -> None:
    assert header(f"unavailable_after: {date}, noindex") == Directives(noindex=True)
    assert header(f"otherbot: unavailable_after: {date}, noindex") == NOTHING


def test_a_meta_element_for_somebody_else_is_not_for_us() -> None:
    assert meta("noindex", name="otherbot") == NOTHING
    assert meta("noindex", name=" GOSSAMER ") == Directives(noindex=True)


def test_the_strictest_of_header_and_meta_wins() -> None:
    both = read(["nofollow", "all"], [("robots", "noindex"), ("gossamer", "index, follow")], "Gossamer")
    assert both == Directives(noindex=True, nofollow=True)


@given(
    st.lists(st.text(max_size=60), max_size=3),
    st.lists(st.tuples(st.text(max_size=9), st.text(max_size=60)), max_size=3),
    st.text(),
)
def test_no_text_raises(headers: list[str], metas: list[tuple[str, str]], agent: str) -> None:
    assert isinstance(read(headers, metas, agent), Directives)
