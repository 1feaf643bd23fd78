"""What links bring to single addresses: a share of each page that links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gossamer.graph.log import LinkLog, chunks
from gossamer.graph.received import Wanted, received
from gossamer.model import Link
from gossamer.urls import keys


def asked(*urls: str) -> Wanted:
    """Each is a site of its own."""
    prints = [keys.fingerprint(url) for url in urls]
    return Wanted(np.array(prints, np.uint64), np.array([keys.digest(url.encode()) for url in urls], np.uint64))


def told(
    tmp_path: Path, links: dict[str, list[Link]], moved: dict[str, str], wanted: Sequence[str]
) -> dict[str, tuple[float, bool]]:
    log = LinkLog(tmp_path / "log", 0)
    for source, targets in links.items():
        log.add(source, source, targets)
    length = log.write()
    for source, target in moved.items():
        log.fold(source, "site", target, copied=source == B)
    length = log.write()
    log.close()
    order = sorted(wanted, key=keys.fingerprint)
    found = received(
        chunks(tmp_path / "log", length),
        asked(*order),
    )
    return dict(zip(order, zip(found.ranks.tolist(), found.redirected.tolist(), strict=True), strict=True))


A, B, C, D, E = (f"http://{name}.test/" for name in "abcde")


def test_links_from_other_sites_are_told_apart(tmp_path: Path) -> None:
    log = LinkLog(tmp_path / "log", 0)
    log.add(C, A, [Link(A)])
    log.add(D, D, [Link(A), Link(B)])
    length = log.write()
    log.close()
    found = received(chunks(tmp_path / "log", length), asked(A))
    assert (found.ranks.tolist(), found.foreign.tolist()) == ([1.5], [0.5])


def test_a_page_shares_what_it_has_among_its_links(tmp_path: Path) -> None:
    links = {C: [Link(A), Link(B)], D: [Link(A)], E: [Link(B, rel="nofollow")]}
    assert told(tmp_path, links, {}, [A, B]) == {A: (1.5, False), B: (0.5, False)}


def test_those_that_are_asked_about_have_no_say(tmp_path: Path) -> None:
    assert told(tmp_path, {A: [Link(B)], C: [Link(A)]}, {}, [A, B]) == {A: (1.0, False), B: (0.0, False)}


def test_a_redirect_is_told_but_a_copy_is_none(tmp_path: Path) -> None:
    found = told(tmp_path, {}, {C: A, B: D}, [A, B, D])
    assert found == {A: (0.0, True), B: (0.0, False), D: (0.0, False)}


def test_an_address_that_redirects_no_more_is_forgotten(tmp_path: Path) -> None:
    log = LinkLog(tmp_path / "log", 0)
    log.fold(C, "site", A)
    log.write()
    log.add(C, "site", [Link(B)])
    length = log.write()
    log.close()
    found = received(chunks(tmp_path / "log", length), asked(A))
    assert found.redirected.tolist() == [False]


def test_nothing_is_asked_for_and_nothing_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, {A: [Link(B)]}, {}, []) == {}
