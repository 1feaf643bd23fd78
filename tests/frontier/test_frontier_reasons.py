"""What strangers say is kept short: no server makes the rows of a commit grow."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
from small_web import Answer, SmallWeb, crawl_small

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.answer.outcome import Act, judge
from gossamer.frontier.entries import META, REASON_MOST, Entry, State
from gossamer.frontier.ledger import OTHER, REASONS_MOST, WORDS_MOST, Counts, Ledger
from gossamer.model import Capture, Visit
from gossamer.store.table.table import Table

ROOT = "http://a.example/"


def entry(reason: str, state: State = State.EXCLUDED) -> Entry:
    return Entry(state, 0, 0.0, reason)


def test_a_counter_has_so_many_reasons_and_their_sum_is_right() -> None:
    counts, dice, kept = Counts(), Random(3), list[Entry]()
    for number in range(5_000):
        if kept and dice.random() < 0.45:
            counts.shift(kept.pop(dice.randrange(len(kept))), -1)
        else:
            words = f"media type {'x' * dice.choice((3, 60_000))}/{dice.randrange(400)} is not wanted"
            kept.append(entry(words if dice.random() < 0.8 else "robots.txt forbids it", dice.choice(list(State)[2:])))
            counts.shift(kept[-1], 1)
        for reasons, state in ((counts.failures, State.FAILED), (counts.exclusions, State.EXCLUDED)):
            assert len(reasons) <= REASONS_MOST + 1
            assert sum(reasons.values()) == sum(each.state is state for each in kept), number
            assert min(reasons.values(), default=1) > 0
    for each in kept:
        counts.shift(each, -1)
    assert counts == Counts()


def test_counters_that_had_no_bound_shrink_when_they_are_loaded(tmp_path: Path) -> None:
    old = Counts(excluded=30_001, exclusions={"robots.txt forbids it": 29_701})
    old.exclusions |= {f"media type {number}{'x' * 1_000} is not wanted": 1 for number in range(300)}
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        table.put(META, b"counts", msgspec.msgpack.encode(old))
        ledger = Ledger(table)
        assert ledger.counts.exclusions == {"robots.txt forbids it": 29_701, OTHER: 300}
        gone = entry(next(words for words in old.exclusions if words.startswith("media")))
        ledger.counts.shift(gone, -1)
        assert ledger.counts.exclusions[OTHER] == 299
        ledger.save()
        assert len(table.get(META, b"counts") or b"") < 1_000


def test_a_content_type_that_is_none_is_not_repeated() -> None:
    for said in (f"image/{'x' * 60_000}", f"{'x' * 200}/png", "image/\x1b[2J", "image"):
        capture = Capture(Visit(ROOT, method="HEAD"), 0.0, 0.1, 200, (("content-type", said),))
        assert judge(capture, lambda media_type: False).act is Act.GET, said
    capture = Capture(Visit(ROOT, method="HEAD"), 0.0, 0.1, 200, (("content-type", "Image/PNG; x=y"),))
    assert judge(capture, lambda media_type: False).reason == "media type image/png is not wanted"


def test_an_entry_keeps_short_what_a_server_said(tmp_path: Path) -> None:
    fields = (("etag", '"' + "e" * 60_000 + '"'), ("last-modified", "m" * 60_000))
    web = SmallWeb({ROOT: Answer(headers=fields), f"{ROOT}robots.txt": Answer(status=404)})
    kept = crawl_small(web, tmp_path, ROOT).entries[ROOT]
    assert (kept.state, kept.etag, kept.modified) == (State.DONE, None, None)
    long = entry("x").after(0.0, "y" * 60_000, reason="z" * 60_000)
    assert (len(long.reason), len(long.history[-1][1])) == (REASON_MOST, REASON_MOST)
    assert WORDS_MOST <= REASON_MOST
