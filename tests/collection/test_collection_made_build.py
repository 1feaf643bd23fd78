"""A build of a shard made by hand: what is read, what is not, and what follows from it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_shard import BEGAN, A, B, C, Shard, came, made
from msgspec.structs import replace

from gossamer import convert
from gossamer.collection.derive import build as builds
from gossamer.collection.derive import shard_build
from gossamer.collection.derive.shard_build import Built, Job
from gossamer.dedupe.blocks import BARE
from gossamer.dedupe.pages import Pages
from gossamer.engine import Reports
from gossamer.errors import StorageError
from gossamer.frontier.answer.poison_pages import DEATHS, PoisonPages
from gossamer.frontier.ledger import Ledger
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Page
from gossamer.plan import Plan
from gossamer.store.warc.warc import payload_digest

WORDS = " ".join(f"word{number} that stands only here" for number in range(60))
PAGE = f"<title>Long</title><p>{WORDS}</p>".encode()
NEARLY = PAGE.replace(b"word7 ", b"another ")


def job(tmp_path: Path, anew: bool = False) -> Job:
    return Job(tmp_path / "web", Plan(shards=1), anew)


def built(tmp_path: Path, anew: bool = False) -> Built:
    return list(shard_build.steps(job(tmp_path, anew), 0))[-1]


def not_read(shard: Shard, url: str, body: bytes = PAGE, kind: str = "killed") -> None:
    page = Page(url, "text/html", digest=payload_digest(body), problem="oops", unread=kind)  # type: ignore[arg-type] # one of its words
    shard.archive.append(came(url, body), page)
    shard.enter(url)


def text_of(shard: Shard, url: str) -> str:
    page = shard.archive.page(url, shard.row(url))
    return page.text if page else ""


def indexed(shard: Shard) -> set[str]:
    return set(ShardIndex(shard.place / "index", writable=False).urls())


# ----------------------------------------------------------------- what was not read


def test_pages_that_no_crawl_could_read_are_read_found_and_compared(tmp_path: Path) -> None:
    with made(tmp_path / "web") as shard:
        not_read(shard, A)
        not_read(shard, B, NEARLY)
        shard.commit()
    found = built(tmp_path)
    assert (found.texts, found.unread, found.looked, found.pages) == (2, 0, 2, 2)
    with made(tmp_path / "web") as shard:
        assert "word7 that stands" in text_of(shard, A)
        assert set(Pages(shard.table).of([A, B])) == {A, B}
        (copy,) = [url for url in (A, B) if shard.row(url).near_copy_of]
        assert Ledger(shard.table).counts.near_duplicates == 1
        assert indexed(shard) == {A, B} - {copy}
        assert [url for url, _ in shard.archive.not_read()] == []
    assert built(tmp_path) == Built(looked=2, pages=2)


def test_a_page_that_kills_every_reader_is_left_alone_until_there_is_another_reader(tmp_path: Path) -> None:
    with made(tmp_path / "web") as shard:
        not_read(shard, A, kind="mistake")  # hopeless for the reader of today
        not_read(shard, B, b"<p>other words")
        not_read(shard, C, b"<p>third words")
        shard.commit()
        for url in (A, B) * DEATHS:
            noted = PoisonPages(shard.place / "reading", shard.table)
            noted.reading(url)  # and never came to its end
            noted.close()
            PoisonPages(shard.place / "reading", shard.table).close()
        shard.commit()
    found = built(tmp_path)
    assert (found.texts, found.unread) == (2, 1)
    with made(tmp_path / "web") as shard:
        assert [url for url, _ in shard.archive.not_read()] == [A]
        assert indexed(shard) == {B, C}


def test_the_page_that_the_last_life_died_on_is_remembered_before_it_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path / "web") as shard:
        not_read(shard, A)
        shard.commit()
        noted = PoisonPages(shard.place / "reading", shard.table)
        noted.reading("http://killer.test/")
        noted.close()

    def out_of_memory(*_: object, **__: object) -> Page:
        raise MemoryError

    monkeypatch.setattr(shard_build, "again", out_of_memory)
    with pytest.raises(MemoryError):
        built(tmp_path)
    with made(tmp_path / "web") as shard:
        poison_pages = PoisonPages(shard.place / "reading", shard.table)
        assert poison_pages._deaths == {b"http://killer.test/": 1}
        poison_pages.close()


def test_how_far_it_is_with_what_was_not_read_is_told_batch_by_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path / "web") as shard:
        for number in range(5):
            not_read(shard, f"{A}{number}", b"<p>page %d" % number)
        shard.commit()
    monkeypatch.setattr(shard_build, "BATCH", 2)
    steps = [step for step in shard_build.steps(job(tmp_path), 0) if step.texts]
    assert [(step.texts, step.unread) for step in steps] == [(2, 0), (4, 0), (5, 0)]


# ------------------------------------------------------------------------- all others


def test_only_what_lacks_its_text_is_read_unless_all_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path / "web") as shard:
        for number, url in enumerate((A, B)):
            shard.keep(url, b"<p>page %d" % number)
            shard.enter(url)
        shard.keep(C, b"", status=404)
        shard.archive.versions.add(B, replace(shard.row(B), text=None))
        shard.commit()
    met: list[str] = []
    read = shard_build.Shard.read

    def noted(self: Any, capture: Any, template: Any) -> Page:
        met.append(capture.visit.url)
        return read(self, capture, template)

    monkeypatch.setattr(shard_build.Shard, "read", noted)
    found = built(tmp_path)
    assert (found.looked, found.texts, found.indexed, met) == (2, 1, 3, [B])
    met.clear()
    found = built(tmp_path, anew=True)
    assert (found.looked, found.texts, found.indexed, met) == (2, 2, 3, [A, B])
    with made(tmp_path / "web") as shard:
        assert [text_of(shard, url).strip() for url in (A, B)] == ["page 0", "page 1"]
        assert len(list((shard.place / "texts").glob("*.warc.gz"))) == 1  # the old ones are gone


def test_the_copy_of_a_page_that_is_gone_gets_a_text_of_its_own(tmp_path: Path) -> None:
    there, gone = f"{A}there", f"{A}gone"
    with made(tmp_path / "web") as shard:
        for number, url in enumerate((A, there, gone)):
            shard.keep(url, b"<p>page %d" % number)
        shard.archive.versions.add(there, replace(shard.row(there), text=None, text_of=A, text_began=BEGAN))
        shard.archive.versions.add(gone, replace(shard.row(gone), text=None, text_of=A, text_began=BEGAN + 5))
        shard.commit()
    assert built(tmp_path).texts == 1
    with made(tmp_path / "web") as shard:
        assert (shard.row(there).text_of, shard.row(gone).text_of) == (A, None)
        assert text_of(shard, gone).strip() == "page 2"


def test_captures_that_cannot_be_read_are_told_up_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with made(tmp_path / "web") as shard:
        for number in range(4):
            shard.keep(f"{A}{number}", b"<p>%d" % number)
        shard.commit()
        path = shard.archive.path(shard.row(f"{A}0"))
        path.write_bytes(path.read_bytes()[:100])
    monkeypatch.setattr(shard_build, "PROBLEMS_MOST", 3)
    found = built(tmp_path, anew=True)
    assert [words.partition(": ")[0] for words in found.problems] == [f"{A}{number}" for number in range(3)]
    assert found.texts == 0


def test_what_cannot_be_read_today_says_what_it_said_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with made(tmp_path / "web") as shard:
        shard.keep(A, b"<p>page", words="before")
        shard.keep(B, b"<p>new")
        shard.archive.versions.add(B, replace(shard.row(B), text=None))
        shard.commit()

    def broken(*_: object, **__: object) -> Page:
        raise ZeroDivisionError

    monkeypatch.setattr(convert, "read", broken)
    assert built(tmp_path, anew=True).texts == 0
    with made(tmp_path / "web") as shard:
        assert text_of(shard, A).strip() == "before"
        assert [url for url, _ in shard.archive.unread.all()] == [B]


def test_a_lack_of_the_machine_ends_a_build_and_an_odd_page_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path / "web") as shard:
        reader = shard_build.Shard(
            job(tmp_path), shard.table, shard.archive, PoisonPages(tmp_path / "reading", shard.table)
        )
        errors: list[Exception] = [ZeroDivisionError("odd"), OSError(28, "No space left on device")]

        def broken(*_: object, **__: object) -> Page:
            raise errors.pop(0)

        monkeypatch.setattr(convert, "read", broken)
        assert reader.read(came(A), BARE).unread == "mistake"
        with pytest.raises(StorageError):
            reader.read(came(A), BARE)


# ----------------------------------------------------------------------------- shards


def test_one_shard_is_built_here_and_every_step_is_told(tmp_path: Path) -> None:
    with made(tmp_path / "web") as shard:
        shard.keep(A)
        shard.commit()
    told: list[Built] = []
    found = asyncio.run(builds.build(job(tmp_path), -1, told.append))
    assert (told[-1].looked, told[-1].indexed) == (found.looked, found.indexed) == (1, 1)
    assert found.seconds >= told[-1].seconds >= 0
    assert found.seconds < 600


def test_a_shard_that_is_alone_ends_after_its_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [Built(1), Built(2), Built(3)]
    monkeypatch.setattr(shard_build, "steps", lambda job, index: iter(steps))
    told: list[Any] = []

    def listen(heard: Any, lost: Any, orphaned: Any) -> None:
        link.orphaned = orphaned

    def well() -> None:
        told.append("well")
        if len(told) == 4:
            link.orphaned()

    link: Any = SimpleNamespace(
        index=0, listen=listen, tell=lambda message: told.append(builds._built(message).looked), well=well
    )
    asyncio.run(builds.work(job(tmp_path), link))
    assert told == [1, "well", 2, "well"]


def test_several_shards_are_processes_that_hold_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_crews: list[Any] = []
    did: list[str] = []

    class FakeCrew:
        def __init__(self, work: Any, count: int, reports: Reports, **named: Any) -> None:
            self.count, self.reports, self.named = count, reports, named
            made_crews.append(self)

        def terminate(self) -> None:
            did.append("terminated")

        async def run(self) -> None:
            for index in range(self.count):
                self.reports.heard(index, builds._encode(Built(looked=index + 1)))
            self.reports.failed(0, ValueError())

    monkeypatch.setattr(builds, "Crew", FakeCrew)
    told: list[int] = []
    job = Job(tmp_path, Plan(shards=3), False)
    found = asyncio.run(builds.build(job, 99, lambda built: told.append(built.looked)))
    assert (told, found.looked, did) == ([1, 3, 6], 6, ["terminated"])
    assert (made_crews[0].count, made_crews[0].named["outfit"].keep) == (3, (99,))
