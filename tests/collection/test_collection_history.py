"""A web that changes, crawled three times: versions, revisit records, texts, differences and times are right."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.collection.ask.differences import LINES_MOST, WORK_MOST, difference, words_changed
from gossamer.collection.ask.opened import Opened
from gossamer.errors import NotFound
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Capture, Page, Visit
from gossamer.store.warc.reader import records
from gossamer.store.warc.warc import REVISIT_EQUAL, REVISIT_NOT_MODIFIED
from gossamer.testing import Changes, Copies, MadeWeb, Redirects, VirtualClock, WebSpec

ROUNDS = 3
DAYS = 2


class Rounds:
    """A web that was crawled three times, and what was true each time."""

    def __init__(self, folder: Path, spec: WebSpec, *, validators: bool = True) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(spec, clock=self.clock)
        self.collection = gossamer.open(folder)
        self.validators = validators
        self.bodies: list[dict[str, bytes]] = []
        self.statuses: list[dict[str, int]] = []
        self.ends: list[datetime] = []
        self.text_records: list[int] = []
        for number in range(ROUNDS):
            self._crawl(number)

    def _crawl(self, number: int) -> None:
        self.bodies.append({})
        self.statuses.append({})
        asked = {"revisit": True} if number else {"scope": "any", "sitemaps": "never"}
        seeds = () if number else (self.web.seed,)
        outside = Outside(self.clock, self._fetch)
        self.clock.run(self.collection.crawl_async(*seeds, outside=outside, **asked))
        self.ends.append(datetime.fromtimestamp(self.clock.wall(), UTC))
        self.text_records.append(sum(1 for path in self.files("texts") for _ in records(path)))
        self.clock.advance(DAYS * 86_400)

    async def _fetch(self, visit: Visit) -> Capture:
        asked = visit if self.validators else Visit(visit.url, visit.kind, visit.method, visit.depth, visit.hops)
        capture = await self.web.fetch(asked)
        self.statuses[-1][visit.url] = capture.status
        if capture.status == 200:
            self.bodies[-1][visit.url] = capture.body
        return capture if self.validators else _for(capture, visit)

    def files(self, room: str) -> list[Path]:
        return sorted((self.collection.path / "shards" / "00" / room).glob("*.warc.gz"))

    def pages(self) -> list[str]:
        return [page.url for page in self.collection.pages()]

    def body(self, url: str, number: int) -> bytes:
        """What a page was in a round: the last 200 up to then."""
        return next(bodies[url] for bodies in reversed(self.bodies[: number + 1]) if url in bodies)


def _for(capture: Capture, visit: Visit) -> Capture:
    return replace(capture, visit=visit)


SPEC = WebSpec(
    seed=8,
    hosts=2,
    pages=12,
    copies=Copies(exact=0.3),
    redirects=Redirects(chains=0.2),
    changes=Changes(pages=0.5, rate=(0.5, 2.0)),
)


@pytest.fixture(scope="module", params=["validators", "none", "gzip"])
def rounds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rounds]:
    spec = replace(SPEC, gzip=request.param == "gzip")
    made = Rounds(tmp_path_factory.mktemp("rounds") / "web", spec, validators=request.param == "validators")
    yield made
    made.collection.close()


def test_the_web_changed_and_did_not_change(rounds: Rounds) -> None:
    changed = [url for url in rounds.pages() if rounds.body(url, 0) != rounds.body(url, 2)]
    assert 4 < len(changed) < len(rounds.pages()) - 4


def test_every_page_has_a_version_for_every_answer_and_each_says_what_it_said(rounds: Rounds) -> None:
    for url in rounds.pages():
        versions = [each for each in rounds.collection.history(url) if each.number]
        assert len(versions) == sum(statuses.get(url) == 200 for statuses in rounds.statuses)
        for number, end in enumerate(rounds.ends):
            assert rounds.collection.page(url, at=end).capture.body == rounds.body(url, number)


def test_what_has_not_changed_is_told_so(rounds: Rounds) -> None:
    for url in rounds.pages():
        told = [each.change for each in rounds.collection.history(url)]
        same = [rounds.body(url, n) == rounds.body(url, n - 1) for n in range(1, ROUNDS)]
        assert told == ["first", *("unchanged" if each else "changed" for each in same)]


def test_an_unchanged_page_costs_a_304_or_a_revisit_record_and_nothing_else(rounds: Rounds) -> None:
    found = [record for path in rounds.files("captures") for record in records(path)]
    responses = Counter(record.url for record in found if record.type == "response")
    profiles = Counter(record.field("warc-profile") for record in found if record.type == "revisit")
    for url in rounds.pages():
        bodies = [rounds.body(url, number) for number in range(ROUNDS)]
        assert responses[url] <= sum(a != b for a, b in zip([b"", *bodies], bodies, strict=False))
    assert profiles[REVISIT_EQUAL]
    assert bool(profiles[REVISIT_NOT_MODIFIED]) is rounds.validators
    changed = sum(
        rounds.body(url, number) != rounds.body(url, number - 1) for url in rounds.pages() for number in (1, 2)
    )
    assert rounds.text_records[2] - rounds.text_records[0] <= 3 * changed


def test_a_time_without_a_zone_is_one_of_utc(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        url, then = changed_page(rounds), rounds.ends[0]
        assert rounds.collection.diff(url, then.replace(tzinfo=None)) == rounds.collection.diff(url, then)
        samples = rounds.collection.series(then.replace(tzinfo=None))
        assert samples == rounds.collection.series(then)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_revisits_of_another_address_name_it(rounds: Rounds) -> None:
    found = [record for path in rounds.files("captures") for record in records(path)]
    by_id = {record.place.record: record for record in found}
    others = 0
    for record in found:
        if record.original is not None:
            original = by_id[record.original.record]
            assert original.type == "response"
            assert (original.url, original.began) == (record.original.url, record.original.began)
            others += original.url != record.url
    assert others


def test_nothing_is_indexed_again_that_says_the_same(rounds: Rounds) -> None:
    shard_reader = ShardIndex(rounds.collection.path / "shards" / "00" / "index")
    for shown in shard_reader.all():
        changed = [number for number in (1, 2) if rounds.body(shown.url, number) != rounds.body(shown.url, number - 1)]
        assert shown.date <= rounds.ends[max(changed, default=0)].timestamp()


def test_differences_are_the_words_that_changed(rounds: Rounds) -> None:
    changed = 0
    for url in rounds.pages():
        editions = [each for each in rounds.collection.history(url) if each.number]
        for old, new in pairwise(editions):
            found = rounds.collection.diff(url, old.number, new.number)
            before, after = (rounds.collection.page(url, at=each.fetched).content for each in (old, new))
            assert bool(found.lines) is (before != after)
            gone = [piece.text for line in found.lines for piece in line.pieces if piece.sign != "+"]
            come = [piece.text for line in found.lines for piece in line.pieces if piece.sign != "-"]
            assert set(" ".join(gone).split()) <= set(f"{before} {editions[0].title}".split())
            assert set(" ".join(come).split()) <= set(f"{after} {editions[0].title}".split())
            if new.change == "changed":
                assert new.words == words_changed(before, after)
                changed += 1
    assert changed > 4


def test_the_collection_verifies_after_every_change(rounds: Rounds) -> None:
    assert rounds.collection.verify().problems == []


def test_before_the_first_version_it_says_when_that_was(rounds: Rounds) -> None:
    url = rounds.pages()[0]
    first = rounds.collection.history(url)[0].fetched
    with pytest.raises(NotFound, match=f"was not in the collection yet .* the first version is of {first:%Y-%m-%d}"):
        rounds.collection.page(url, at=first - timedelta(seconds=1))


def test_a_page_that_never_was_has_no_history(rounds: Rounds) -> None:
    assert rounds.collection.history("http://h0.example/nothing") == []
    with pytest.raises(NotFound, match="has no version; there is nothing to compare"):
        rounds.collection.diff("http://h0.example/nothing")
    with pytest.raises(NotFound, match="no such version as 9; its versions are 1"):
        rounds.collection.diff(changed_page(rounds), 9)


def test_each_version_is_read_once_to_be_compared_with_both_beside_it(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, times = Opened._read, Counter[float]()

    def counted(opened: Opened, capture: Capture) -> Page:
        times[capture.began] += 1
        return read(opened, capture)

    monkeypatch.setattr(Opened, "_read", counted)
    for url in rounds.pages():
        times.clear()
        changes = [each.change for each in rounds.collection.history(url)].count("changed")
        assert max(times.values(), default=1) == 1
        if changes == ROUNDS - 1:
            break
    else:
        pytest.fail("no page has changed every time")


def changed_page(rounds: Rounds) -> str:
    return next(url for url in rounds.pages() if any(e.change == "changed" for e in rounds.collection.history(url)))


# ------------------------------------------------------------------- differences


def test_words_within_a_line_are_told_from_lines() -> None:
    old = "title\nthe price is ten euros\nthis line goes away entirely\nend"
    new = "title\nthe price is twelve euros\nend\nand more"
    told = [(line.sign, [tuple(piece) for piece in line.pieces]) for line in difference(old, new)]
    assert told == [
        ("=", [("=", "title")]),
        ("~", [("=", "the price is"), ("-", " ten"), ("+", " twelve"), ("=", " euros")]),
        ("-", [("-", "this line goes away entirely")]),
        ("=", [("=", "end")]),
        ("+", [("+", "and more")]),
    ]
    assert difference(old, old) == []


def test_texts_that_are_too_long_to_compare_are_told_as_rewritten() -> None:
    old = "\n".join(f"a {number}" for number in range(3 * LINES_MOST))
    new = "\n".join(f"b {number}" for number in range(3 * LINES_MOST))
    assert {line.sign for line in difference(old, new)} <= {"-", "+", "~"}
    assert words_changed(old, new) == (3 * LINES_MOST, 3 * LINES_MOST)


def costly(mark: str) -> str:
    """A line in which every other word stands in the other text too, so that the rest is compared once for each."""
    return " ".join(f"w{place % 100} {mark}{place}" for place in range(500))


def test_two_texts_are_compared_for_so_long_and_no_longer() -> None:
    old = "\n".join(f"{costly('x')} a{number}" for number in range(40))
    new = "\n".join(f"{costly('y')} b{number}" for number in range(40))
    signs = [line.sign for line in difference(old, new)]
    assert signs.count("~") == 4 == WORK_MOST // (500 * 5 * 1_000)
    assert signs[-2:] == ["-", "+"]


def test_it_is_known_how_many_lines_are_left_out() -> None:
    old = [f"line {number}" for number in range(20)]
    new = [*old[:8], "another", *old[9:18], "the last but one", old[19]]
    assert [line.skipped for line in difference("\n".join(old), "\n".join(new)) if line.skipped] == [6, 5]


def changed_text(seed: int) -> tuple[list[str], list[str]]:
    """A long text with lines that stand everywhere, and the same with four places rewritten."""
    draw = random.Random(seed)
    old = [draw.choice(["edit", "more", "", f"line {number}"]) for number in range(300)]
    new = list(old)
    for _ in range(4):
        place = draw.randrange(len(new))
        new[place : place + draw.randrange(3)] = [f"other words {draw.random()}"] * draw.randrange(3)
    return old, new


@pytest.mark.parametrize("seed", [104, 209, 265])
def test_a_line_that_stands_everywhere_is_not_shown_as_gone_and_new(seed: int) -> None:
    """In a long text common lines, such as `edit`, did not count, so that both versions having them was not seen."""
    old, new = changed_text(seed)
    lines = difference("\n".join(old), "\n".join(new))
    gone, came = ({line.pieces[0].text for line in lines if line.sign == sign} for sign in "-+")
    assert gone & came == set()
