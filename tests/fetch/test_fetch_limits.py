"""How much of an answer is downloaded, by why it is asked for and what it says it is."""

from __future__ import annotations

import pytest

from gossamer.fetch import Limits
from gossamer.model import Kind

LIMITS = Limits(html=1, text=2, document=3, requisite=2, sitemap=5, robots=6, skip_types=("video/*", "x/y"))


@pytest.mark.parametrize(
    ("media_type", "page", "resource"),
    [
        ("text/html", 1, 1),
        ("application/xhtml+xml", 1, 1),
        ("text/plain", 2, 2),
        ("application/json", 2, 2),
        ("application/x+json", 2, 2),
        ("application/rss+xml", 2, 2),
        ("application/pdf", 3, 2),
        ("", 2, 2),
    ],
)
def test_a_page_may_be_as_long_as_its_kind_and_what_it_needs_no_longer_than_that(
    media_type: str, page: int, resource: int
) -> None:
    assert (LIMITS.cap(Kind.PAGE, media_type), LIMITS.cap(Kind.PROBE, media_type)) == (page, page)
    assert LIMITS.cap(Kind.RESOURCE, media_type) == resource
    assert (LIMITS.cap(Kind.SITEMAP, media_type), LIMITS.cap(Kind.ROBOTS, media_type)) == (5, 6)


@pytest.mark.parametrize(
    ("media_type", "skipped"),
    [("video/mp4", True), ("video/", True), ("x/y", True), ("x/yz", False), ("audio/mp3", False), ("", False)],
)
def test_types_that_are_not_wanted_are_left_where_they_are_unless_they_are_rules_or_part_of_a_page(
    media_type: str, skipped: bool
) -> None:
    assert {kind for kind in Kind if LIMITS.skips(kind, media_type)} == ({Kind.PAGE, Kind.PROBE} if skipped else set())


@pytest.mark.parametrize("media_type", ["video/mp4", "audio/mpeg", "font/woff2"])
def test_films_and_sounds_are_not_downloaded_unless_asked_for(media_type: str) -> None:
    assert Limits().skips(Kind.PAGE, media_type)
    assert not Limits().skips(Kind.PAGE, "text/html")
