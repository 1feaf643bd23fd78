"""What is not worth a fetch now is put back to where its kind is due."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from books import books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.queue.rank import distance
from gossamer.frontier.worth.crawl_traps import Place
from gossamer.frontier.worth.url_patterns import Template, template

URL = "http://a.example/calendar/2031"


def test_an_address_goes_where_its_kind_is_put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with books(tmp_path) as held:
        worth = held.frontier._parts.worth
        entry = Entry(State.QUEUED, 1, 0.0, sunk=2)

        def behind(kind: Template, before: Place, least: int) -> Place | None:
            assert (kind, before, least) == (template(URL), Place(distance(entry.rank), 2), 0)
            return Place(7, 3)

        monkeypatch.setattr(worth._novelty, "sink", behind)
        assert worth.sink(URL, entry) == Place(7, 3)


def test_an_address_stands_for_the_simpler_one_that_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simple, keyed = "http://a.example/list", "http://a.example/list?session=1"
    with books(tmp_path) as held:
        held.frontier.add([Found(keyed, 2, "http://a.example/")])
        held.frontier.sift()
        parts: Any = held.frontier._parts
        monkeypatch.setattr(parts.worth, "simpler", lambda url: simple if url == keyed else url)
        assert parts.worth.sink(keyed, held.entry(keyed)) is None, "it goes out"
        stands = held.entry(simple)
        assert (stands.state.name, stands.depth, stands.referrer) == ("EXCLUDED", 2, "http://a.example/")
        assert keyed in stands.reason
        held.frontier.add([Found(simple, 2, "http://a.example/")])
        held.frontier.sift()
        assert held.state(simple) == "EXCLUDED"
