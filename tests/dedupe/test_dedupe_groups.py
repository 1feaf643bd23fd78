"""Copies in groups: each is a copy of the page that stands for it, not only of one that is a copy of that."""

from __future__ import annotations

import random

import pytest

from gossamer.dedupe import groups, print_of, resemblance
from gossamer.dedupe.groups import Candidate, Group, Member, cut
from gossamer.dedupe.pages import packed

WORDS = [f"word{number}" for number in range(5_000)]


def text_of(seed: int, length: int = 200) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def member(
    name: str, text: list[str], site: str = "a.test", content: str = "", rank: float = 0.0, title: str = ""
) -> Member:
    found, url = print_of(" ".join(text)), f"http://{site}/{name}"
    row = packed(found, site) if text else None
    return Member(Candidate(url, site, content or url, rank=rank), row, title)


def drifting(steps: int, changed: int) -> list[list[str]]:
    """Each differs from the one before it in so many words, always others."""
    texts = [text_of(1)]
    for step in range(steps):
        texts.append([*texts[-1]])
        texts[-1][step * changed : (step + 1) * changed] = text_of(100 + step, changed)
    return texts


def urls(group: Group) -> set[str]:
    return {copy.url.rpartition("/")[2] for copy in group.copies}


def test_a_chain_of_small_changes_is_cut_where_the_ends_have_little_in_common() -> None:
    texts = drifting(8, 12)
    members = [member(str(at), text, rank=-at) for at, text in enumerate(texts)]
    groups = list(cut(members))
    assert groups[0].url == "http://a.test/0"
    assert "8" not in urls(groups[0])
    by_url = {each.candidate.url: text for each, text in zip(members, texts, strict=True)}
    for group in groups:
        for copy in group.copies:
            assert resemblance(" ".join(by_url[group.url]), " ".join(by_url[copy.url]), 2) > 0.7
    assert sum(len(group.copies) + 1 for group in groups) <= len(members)


def test_a_copy_tells_how_alike_it_is_and_whether_the_bytes_are_the_same() -> None:
    text = text_of(1)
    edited = [*text[:50], "quite", "different", *text[52:]]
    members = [
        member("first", text, content="x", rank=2.0),
        member("bytes", text, content="x"),
        member("words", [word.upper() for word in text]),
        member("near", edited, site="b.test"),
    ]
    (group,) = cut(members)
    told = {copy.url.rpartition("/")[2]: copy for copy in group.copies}
    assert [copy.url.rpartition("/")[2] for copy in group.copies] == ["bytes", "words", "near"]
    assert (told["bytes"].exact, told["words"].exact, told["near"].exact) == (True, False, False)
    assert told["words"].resemblance == 1.0
    assert 0.9 < told["near"].resemblance < 1.0
    assert (told["near"].same_site, told["bytes"].same_site) == (False, True)


def test_pages_without_a_print_are_copies_only_when_their_bytes_are_the_same() -> None:
    members = [member("a", [], content="x"), member("b", [], content="x"), member("c", [], content="y")]
    (group,) = cut(members)
    assert group.url == "http://a.test/a"
    assert urls(group) == {"b"}


def test_a_page_that_is_alone_is_no_group() -> None:
    assert list(cut([member("a", text_of(1))])) == []
    assert list(cut([member("a", text_of(1)), member("b", text_of(2))])) == []


# ------------------------------------------------------------ alike, about something else


def pages_of_a_template(count: int, *sites: str) -> list[Member]:
    """Pages that differ in the name of their subject, each on several sites."""
    text = text_of(1)
    return [
        member(f"{number}", [*text, f"subject{number}"], site, rank=-number, title=f"{number}")
        for number in range(count)
        for site in sites
    ]


def by_name(one: str, other: str) -> bool:
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def test_pages_of_one_template_are_alike_and_each_stands_for_itself() -> None:
    (group,) = cut(pages_of_a_template(4, "a.test"), by_name)
    assert group.copies == ()
    assert {copy.url for copy in group.alike} == {f"http://a.test/{number}" for number in (1, 2, 3)}
    assert not any(copy.says_same for copy in group.alike)


def test_each_page_of_a_template_stands_for_its_own_copies() -> None:
    first, *others = cut(pages_of_a_template(4, "a.test", "b.test"), by_name)
    assert {copy.url for copy in first.alike} == {f"http://a.test/{number}" for number in (1, 2, 3)}
    assert [(group.url, [copy.url for copy in group.copies]) for group in (first, *others)] == [
        (f"http://a.test/{number}", [f"http://b.test/{number}"]) for number in range(4)
    ]
    assert not any(group.alike for group in others)
    assert all(copy.says_same for group in (first, *others) for copy in group.copies)


def test_in_a_crowd_a_page_is_compared_with_few_and_still_with_the_one_that_has_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str]] = []

    def noting(one: str, other: str) -> bool:
        asked.append((one, other))
        return by_name(one, other)

    monkeypatch.setattr(groups, "HEADS_MOST", 5)
    count = 40
    found = list(cut(pages_of_a_template(count, "a.test", "b.test"), noting))
    assert sum(len(group.copies) for group in found) == count
    assert len(asked) <= 2 * count * (groups.COMPARED + 1)


def test_bytes_that_are_the_same_say_the_same_whatever_is_read() -> None:
    text = text_of(1)
    members = [
        member("first", text, rank=9.0),
        member("a", [*text, "more"], content="x", rank=2.0),
        member("b", [*text, "more"], content="x"),
    ]
    first, second = cut(members, lambda one, other: False)
    assert (first.url, [copy.url for copy in first.alike]) == ("http://a.test/first", ["http://a.test/a"])
    assert (second.url, urls(second)) == ("http://a.test/a", {"b"})


def test_pages_with_the_same_words_and_title_are_not_read() -> None:
    def never(one: str, other: str) -> bool:
        raise AssertionError

    text = text_of(1)
    (group,) = cut([member("a", text, title="Fish"), member("b", text, title="Fish")], never)
    assert urls(group) == {"b"}
