"""Which visit goes out next: questions of other sites take turns with pages, and nobody who is due is overlooked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.rules import WatchRules
from gossamer.model import Capture, Kind, Visit

SITE = "http://good.example"


def site_of(held: Books, pages: int) -> Origin:
    """An origin whose rules are known and that has so many pages queued."""
    held.frontier.add([Found(f"{SITE}/{number}") for number in range(pages)])
    held.frontier.sift()
    active, access = held.frontier._rooms.active, held.frontier._parts.access
    origin = active.get(SITE)
    access.learn(origin, Capture(access.ask(origin), held.clock.wall(), 0.1, 404))
    return origin


def test_after_a_page_it_is_the_turn_of_the_next_question_of_another_site(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        origin = site_of(held, 4)
        origin.urgent += [Visit(f"{SITE}/rules", Kind.ROBOTS, owner=f"http://{number}.example") for number in range(3)]
        taken = [held.frontier._rooms.choice._take(origin) for _ in range(6)]
        kinds = [visit.kind for visit in taken if visit]
        assert kinds == [Kind.ROBOTS, Kind.PAGE] * 3


@pytest.mark.parametrize("coming", ["near", "farther"])
def test_an_origin_that_comes_from_the_disk_is_asked_at_once(
    tmp_path: Path, coming: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with books(tmp_path) as held:
        choice, there = held.frontier._rooms.choice, ["http://a.example"]
        brought: list[str] = []

        def once(which: str) -> Callable[..., list[str]]:
            return lambda **_: [there.pop()] if which == coming and there else []

        schedule = SimpleNamespace(
            thin=False,
            near=once("near"),
            farther=once("farther"),
            pop=lambda put_off: (brought[0], "its address") if brought else None,
        )
        monkeypatch.setattr(choice, "_schedule", schedule)
        monkeypatch.setattr(choice, "_active", SimpleNamespace(bring_in=brought.extend, forget=None))
        assert list(map(str, choice._pop() or ())) == ["http://a.example", "its address"]
        brought.clear()
        assert choice._pop() is None, "and nobody is left"


def test_only_what_is_new_is_judged_by_what_it_may_bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with books(tmp_path, watch=WatchRules()) as held:
        origin = site_of(held, 2)
        choice, watch = held.frontier._rooms.choice, held.frontier._watch
        judged: list[str] = []
        monkeypatch.setattr(choice._worth, "sink", lambda url, entry: judged.append(url))
        first, second = choice._take(origin), choice._take(origin)
        assert first is not None
        assert second is not None
        assert judged == [first.url, second.url]
        held.answered(first.url)
        held.clock.advance(400 * 86_400)
        assert watch is not None
        watch.wake()
        again = choice._take(site_of(held, 2))
        assert again is not None
        assert (again.url, judged) == (first.url, [first.url, second.url])
