"""What others call a page."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gossamer.graph import anchors, lookup
from gossamer.graph.gather import folding
from gossamer.graph.log import LinkLog, chunks
from gossamer.model import Link
from gossamer.urls import keys

A, B, C = "http://a.org/", "http://b.org/", "http://c.org/"


def made(
    folder: Path, *links: tuple[str, str, str], ranges: int = 1, folded: dict[str, str] | None = None
) -> lookup.Lookup:
    """Each link as the site it stands on, its target and its anchor."""
    folder.mkdir(exist_ok=True)
    with closing(LinkLog(folder / "links", 0)) as log:
        for number, (site, target, anchor) in enumerate(links):
            log.add(f"http://{site}/{number}", site, [Link(target, anchor)])
            if number % 2:
                log.write()
        length = log.write()
    prints = {keys.fingerprint(old): keys.fingerprint(new) for old, new in (folded or {}).items()}
    anchors.gather(lambda: chunks(folder / "links", length), folder, folding(prints), ranges)
    return lookup.Lookup(folder, anchors.NAME)


@pytest.mark.parametrize("ranges", [1, 5])
def test_each_site_has_one_voice(tmp_path: Path, ranges: int) -> None:
    found = made(
        tmp_path,
        ("x.org", A, "the A page"),
        ("x.org", A, "click here"),
        ("y.org", A, "Ä"),
        ("x.org", B, "bee"),
        ("y.org", B, ""),
        ranges=ranges,
    )
    assert sorted((found.get(keys.fingerprint(A)) or "").split("\n")) == ["the A page", "Ä"]
    assert found.get(keys.fingerprint(B)) == "bee"
    assert found.get(keys.fingerprint(C)) is None
    assert len(found) == 2
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("rows", "words"))]


def test_anchors_of_a_copy_are_those_of_its_original(tmp_path: Path) -> None:
    found = made(tmp_path, ("x.org", A, "one"), ("y.org", B, "two"), folded={B: A})
    assert set((found.get(keys.fingerprint(A)) or "").split("\n")) == {"one", "two"}
    assert found.get(keys.fingerprint(B)) is None


def test_a_page_keeps_the_anchors_of_so_many_sites(tmp_path: Path) -> None:
    found = made(tmp_path, *((f"s{number}.org", A, f"call {number}") for number in range(300)))
    assert len((found.get(keys.fingerprint(A)) or "").split("\n")) == anchors.SITES_MOST


def test_a_web_without_anchors_answers_nothing(tmp_path: Path) -> None:
    assert made(tmp_path, ("x.org", A, "")).get(keys.fingerprint(A)) is None
    assert made(tmp_path / "empty").get(1) is None


def test_texts_are_found_by_their_fingerprints(tmp_path: Path) -> None:
    prints = np.array([3, 2**63, 2**64 - 1], np.uint64)
    lookup.write(tmp_path, "names", [(prints[:1], [b"three"]), (prints[1:], [b"", "größer".encode()])])
    found = lookup.Lookup(tmp_path, "names")
    assert [found.get(each) for each in (0, 3, 2**63, 2**64 - 1)] == [None, "three", "", "größer"]
