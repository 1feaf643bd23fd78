"""What a seed without a scheme means, and how a million of them are known by fingerprints."""

from __future__ import annotations

import random

import pytest

from gossamer.errors import InvalidURL
from gossamer.urls.keys import fingerprint
from gossamer.urls.seed_prints import Prints, SeedPrints
from gossamer.urls.seeds import address, as_listed, as_seed, in_place_of, is_guessed


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("HTTP://Example.org", "http://example.org/"),
        (" https://example.org/a ", "https://example.org/a"),
        ("example.org", "example.org/"),
        ("Example.org/a?b=c:d", "example.org/a?b=c:d"),
        ("example.org?at=10:30", "example.org/?at=10:30"),
        ("example.org:8080/a", "http://example.org:8080/a"),
        ("example.org:80", "http://example.org/"),
        ("127.0.0.1/a", "http://127.0.0.1/a"),
        ("[::1]", "http://[::1]/"),
        ("localhost", "http://localhost/"),
        ("www.localhost/a", "http://www.localhost/a"),
        ("notlocalhost", "notlocalhost/"),
    ],
)
def test_a_seed_is_kept_without_a_scheme_unless_http_can_only_be_meant(text: str, kept: str) -> None:
    assert as_seed(text) == kept
    assert as_seed(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "htttps//example.org",
        "https:// /",
        "http//x",
        "a b",
        "https://",
        "http:/",
        "https:",
        "HTTP:/x",
        "ftp:/",
        "file:/etc",
        "gemini:/a.org",
        "mailto:me",
    ],
)
def test_a_slip_is_no_seed_and_is_repeated_in_the_message(text: str) -> None:
    with pytest.raises(InvalidURL) as told:
        as_seed(text)
    assert str(told.value).startswith(f"seed {text!r}: ")


def test_https_is_asked_first_and_http_in_its_place() -> None:
    assert address("example.org/a") == "https://example.org/a"
    assert in_place_of("https://example.org/a") == "http://example.org/a"
    assert address("http://example.org/a") == "http://example.org/a"
    assert [is_guessed(seed) for seed in ("example.org/", "http://example.org/", "https://example.org/")] == [
        True,
        False,
        False,
    ]


# -------------------------------------------------------------------------------- prints


def test_prints_know_each_text_once_however_it_came_in() -> None:
    prints, chance = Prints(), random.Random(3)
    known: set[str] = set()
    for _ in range(300):
        texts = [f"text {chance.randrange(400)}" for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            prints.update(texts)
            known.update(texts)
        else:
            for text in texts:
                assert prints.add(text) is (text not in known)
                known.add(text)
        if chance.random() < 0.3:
            assert len(prints) == len(known)
        asked = f"text {chance.randrange(500)}"
        assert (asked in prints) is (asked in known)
    assert all(text in prints for text in known)


def test_prints_of_one_beginning_are_told_apart() -> None:
    """With 4,096 beginnings, some of these have several, and neighbours of every kind."""
    texts = [f"text {number}" for number in range(20_000)]
    prints = Prints()
    prints.update(texts[::2])
    assert [prints.add(text) for text in texts] == [False, True] * 10_000
    assert len(prints) == 20_000
    assert max(len(marks) for marks in prints._sorted.values()) < 40, "one more moves a few others"
    assert sorted(mark for marks in prints._sorted.values() for mark in marks) == sorted(map(fingerprint, texts))


def test_what_was_not_put_in_is_not_there() -> None:
    prints = Prints()
    assert "a" not in prints
    assert len(prints) == 0
    prints.update([])
    assert "a" not in prints
    prints.add("b")
    assert "a" not in prints


def test_seeds_are_known_by_address_origin_and_the_place_around_them() -> None:
    seeds = SeedPrints()
    assert not seeds.some
    assert seeds.add("http://a.test/x", "a.test")
    assert not seeds.add("http://a.test/x", "another place")
    assert seeds.some
    assert seeds.has("http://a.test/x")
    assert not seeds.has("http://a.test/y")
    assert seeds.has_origin("http://a.test")
    assert not seeds.has_origin("https://a.test")
    assert seeds.reach(["test", "a.test"])
    assert not seeds.reach(["another place", "test"])
    assert not seeds.reach([])


def test_many_seeds_at_once_are_the_same() -> None:
    seeds = SeedPrints()
    seeds.load([], lambda url: url)
    assert not seeds.some
    seeds.load(["http://a.test/x", "http://b.test/"], lambda url: url[:13])
    assert seeds.some
    assert seeds.has("http://b.test/")
    assert seeds.has_origin("http://a.test")
    assert seeds.reach(["http://b.test"])
    seeds.load([], lambda url: url)
    assert seeds.some
    assert not seeds.add("http://b.test/", "x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mailto:a@b.test", "seed 'mailto:a@b.test': is an address of mail; "),
        ("mailto:me:secret@b.test", "seed '...@b.test': is an address of mail; "),
        ("http:/a.test", "seed 'http:/a.test': its scheme is not written out; "),
        ("./seeds.txt", "seed './seeds.txt': is the name of a file, and no file here has it; "),
        ("..", "seed '..': is the name of a file"),
    ],
)
def test_what_is_no_seed_is_told_in_words(text: str, words: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        as_seed(text)
    assert str(caught.value).startswith(words)


def test_a_slip_in_a_list_is_told_as_one_and_not_as_another_protocol() -> None:
    with pytest.raises(InvalidURL, match="did you mean http://"):
        as_listed("htp://example.org/")
    with pytest.raises(InvalidURL, match="name one of ftp in the command"):
        as_listed("ftp://example.org/")


@pytest.mark.parametrize(
    "text", ["data:" + "x" * 16_000, f"http://me:{'secret' * 1_000}@[", "gemini://" + "[" * 16_000]
)
def test_a_long_seed_is_not_repeated_whole_and_no_part_of_a_password(text: str) -> None:
    for read in (as_seed, as_listed):
        with pytest.raises(InvalidURL) as caught:
            read(text)
        assert len(str(caught.value)) < 1_000
        assert "secret" not in str(caught.value)
