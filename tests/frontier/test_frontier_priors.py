"""What is known of pages like one is the same whether it is in memory or in the table."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.freshness.rate_estimator import History, Prior
from gossamer.frontier.revisit import priors
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.frontier.revisit.priors import Priors
from gossamer.store.table.table import Table

URLS = [f"http://{host}.example/{part}/{page}" for host in "abc" for part in ("news", "notes", "old") for page in "xy"]


@pytest.mark.parametrize("kept", [4, priors.KEPT])
def test_groups_in_memory_say_what_their_rows_say(tmp_path: Path, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priors, "KEPT", kept)
    chance = random.Random(5)
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        held = Priors(table)
        for _ in range(400):
            url = chance.choice(URLS)
            held.seen(url, chance.expovariate(1), chance.random() < 0.3 + 0.6 * ("news" in url))
        held.save()
        table.commit()
        for url in URLS:
            row = PageChanges(history=History().seen(1.0, True), claimed=86_400.0 * ("x" in url))
            assert held.rate(url, row) == pytest.approx(Priors(table).rate(url, row), rel=1e-3)
        assert held.rate(URLS[0], PageChanges()) > 2 * held.rate(URLS[2], PageChanges())


def test_a_visit_elsewhere_moves_a_page_of_which_nothing_is_known(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        held = Priors(table)
        assert held.rate(URLS[0], PageChanges()) == pytest.approx(priors.USUAL)
        for _ in range(20):
            held.seen(URLS[-1], 1.0, changed=True)
        assert held.rate(URLS[0], PageChanges()) > 5 * priors.USUAL


def test_a_rate_is_the_same_wherever_it_is_looked_for() -> None:
    chance, prior = random.Random(7), Prior.of(1 / 30, 0.5)
    for _ in range(200):
        history = History()
        for _ in range(chance.randint(0, 12)):
            history = history.seen(chance.lognormvariate(0, 2), chance.random() < 0.5)
        near = chance.lognormvariate(0, 4)
        assert history.rate(prior, near) == pytest.approx(history.rate(prior), rel=1e-5)
