"""A good site is crawled beside hostile ones as if they were not there, and each of them is noted for what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.hostile_servers import BEHAVIOURS, crawled, wrong

IMPATIENT = {"first_byte_seconds": 1.0, "idle_seconds": 1.0}
QUICK = (
    *("never answers", "closes at once", "resets at once", "stops in the body", "breaks off", "thousands of headers"),
    *("is garbage", "redirects for ever", "is many links", "is one word", "has a large robots.txt"),
)
"""Those that are noted within seconds."""
NEIGHBOURS = 70


def test_a_good_site_is_complete_and_polite_beside_hostile_ones(tmp_path: Path) -> None:
    seen = crawled(tmp_path / "web", QUICK, "--shards", "1", "--delay", "0.2", pages=30, settings=IMPATIENT)
    assert wrong(seen, pages=30, delay=0.2) == []
    assert all(seen.noted.values()), seen.noted


@pytest.mark.soak
def test_seventy_hostile_hosts_of_all_kinds(tmp_path: Path) -> None:
    """Their pages take long to read, so many are still under way when the good site is complete."""
    behaviours = (list(BEHAVIOURS) * NEIGHBOURS)[:NEIGHBOURS]
    seen = crawled(tmp_path / "web", behaviours, "--shards", "2", "--delay", "0.5")
    assert wrong(seen, pages=40, delay=0.5) == []
