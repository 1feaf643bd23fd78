"""Origins in memory: what comes from the disk does not stand there any more."""

from __future__ import annotations

from pathlib import Path

from books import books

from gossamer.frontier.discover.discovery import Found

A = "http://a.example"


def test_an_origin_that_is_brought_in_while_its_robots_txt_is_asked_for_does_not_wait_on_disk(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(f"{A}/")])
        held.frontier.sift()
        active, waiting = held.frontier._rooms.active, held.frontier._parts.waiting_origins
        active.get(A).asking = True
        waiting.wait(A, 3)
        active.bring_in(waiting.take(9, 9))
        assert waiting.take(9, 9) == [], "nobody brings it in again and again"
        assert waiting.at_work() == [A], "a crawl that is killed finds it again"
        active.get(A).asking = False
