"""The examples of the textbooks come out as printed there."""

from __future__ import annotations

import pytest

from gossamer.dedupe import (
    byte_sum,
    chance,
    containment,
    crc,
    distance,
    resemblance,
    sampled,
    sha256,
    shingles,
    simhash,
    winnow,
)

TROPICAL_FISH = [
    ("01100001", 2),
    ("10101011", 2),
    ("11100110", 1),
    ("00011110", 1),
    ("00101101", 1),
    ("10001011", 1),
    ("00101010", 1),
    ("11000000", 1),
    ("10101110", 1),
    ("00111111", 1),
    ("10110101", 1),
    ("00100101", 1),
    ("11101110", 1),
]
"""tropical, fish, include, found, environments, around, world, including, both, freshwater, salt, water, species."""


def test_the_byte_sum_of_tropical_fish_is_508() -> None:
    assert byte_sum(b"Tropical fish") == 0x508


def test_a_byte_sum_does_not_see_the_order_and_the_others_do() -> None:
    assert byte_sum(b"Tropical fish") == byte_sum(b"fish Tropical")
    assert crc(b"Tropical fish") != crc(b"fish Tropical")
    assert sha256(b"Tropical fish") != sha256(b"fish Tropical")


def test_checksums_are_the_known_ones() -> None:
    assert crc(b"123456789") == 0xCBF43926
    assert sha256(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_sampling_keeps_the_hashes_that_four_divides() -> None:
    hashes = [938, 664, 463, 822, 492, 798, 78, 969, 143, 236, 913, 908, 694, 553, 870, 779]
    assert sampled(hashes, 4) == [664, 492, 236, 908]


def test_the_simhash_of_the_fish_page_is_10101111() -> None:
    assert simhash([(int(bits, 2), weight) for bits, weight in TROPICAL_FISH], 8) == 0b10101111


def test_winnowing_keeps_the_smallest_hash_of_each_window() -> None:
    hashes = [77, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98]
    assert sampled(hashes, 4) == [72, 8, 88, 72]
    assert winnow(hashes, 4) == [(3, 17), (6, 17), (8, 8), (11, 39), (15, 17)]


def test_a_rose_is_a_rose() -> None:
    assert shingles("a rose is a rose is a rose", 4) == {"a rose is a", "rose is a rose", "is a rose is"}


def test_resemblance_is_what_is_common_of_all() -> None:
    assert resemblance({1, 2, 3}, {2, 3, 4}) == 0.5
    assert resemblance("to be or not to be", "To be, or not to be!") == 1.0
    assert resemblance("one two three four", "five six seven eight") == 0.0
    assert resemblance("one two three four", "two three four five") == pytest.approx(1 / 3)
    assert resemblance("", "") == 1.0
    assert resemblance("", "word") == 0.0


def test_a_quotation_is_contained_but_does_not_resemble() -> None:
    page = " ".join(f"word{number}" for number in range(100))
    quotation = " ".join(f"word{number}" for number in range(40, 60))
    assert containment(quotation, page) == 1.0
    assert resemblance(quotation, page) < 0.2


@pytest.mark.parametrize(("alike", "expected"), [(0.5, 0.470), (0.7, 0.975), (0.8, 0.99964)])
def test_the_curve_of_twenty_bands_of_five_rows(alike: float, expected: float) -> None:
    assert chance(alike, 20, 5) == pytest.approx(expected, abs=5e-4)


def test_distance_counts_bits() -> None:
    assert distance(0b1010, 0b0110) == 2
    assert distance(0, 2**64 - 1) == 64
