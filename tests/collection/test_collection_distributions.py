"""How a collection is spread is counted from its rows and captures, and it is said where not all were looked at."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import gossamer
from docs_session import session
from docs_web import START, DocsWeb
from gossamer.collection.ask import distributions
from gossamer.testing import VirtualClock


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawled on two days: on the second some pages had changed, and some were gone."""
    place = tmp_path_factory.mktemp("spread")
    web = DocsWeb(VirtualClock(START))
    with pytest.MonkeyPatch.context() as patch:
        reader = session(place, web.clock, web.fetch, patch, web.pass_a_day)
        for command in ("gossamer crawl my-web https://example.org/ -q", "gossamer crawl my-web --revisit -q"):
            assert reader.run_command(command) == ("", 0)
    return place / "my-web"


def test_the_sums_are_those_of_a_count_of_all_addresses(folder: Path) -> None:
    with gossamer.open(folder) as web:
        found, pages = web.spread(), list(web.addresses(state="page"))
        asked = [each for each in web.addresses() if each.status or each.state == "failed"]
        assert any(each.visited and each not in asked for each in web.addresses()), "robots.txt forbids one"
        assert found.whole
        assert found.status == dict(sorted(Counter(str(each.status or "no answer") for each in asked).items()))
        assert {name: count for name, count in found.depth.items() if count} == Counter(
            str(each.depth) for each in pages
        )
        changed = [each for each in web.changes() if each.kind == "changed"]
        assert changed
        assert found.change["once"] == len(changed)
        assert sum(found.change.values()) <= sum(found.size.values())
        assert sum(found.size.values()) >= len(pages)


def test_of_many_addresses_the_first_are_looked_at_and_it_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributions, "WALKED", 3)
    with gossamer.open(folder) as web:
        found = web.spread()
        assert not found.whole
        assert sum(found.depth.values()) <= 3 * web.plan.shards


def test_nothing_is_left_out_between_two_bars() -> None:
    assert distributions._ordered({"0": 1, "3": 2}, ["0", "1", "2", "3", "4"]) == {"0": 1, "1": 0, "2": 0, "3": 2}
    assert distributions._ordered({}, ["0", "1"]) == {}
