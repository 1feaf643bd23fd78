"""After damage or a kill, part by part: what is posted again, taken in again, read again and marked again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer import plan as plans
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.recover import Recovery, _visit
from gossamer.collection.crawl.rereading import again, take_up
from gossamer.collection.derive import index_check, index_state, indexer
from gossamer.collection.derive.copy_marks import Mark, _marks
from gossamer.collection.derive.derived import Derived
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.derive.underived import LINKS_WHOLE, Underived, outdate
from gossamer.collection.folder import Folder
from gossamer.collection.maintain import remake
from gossamer.collection.maintain import repair as adopting
from gossamer.collection.maintain.replan import replan
from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.errors import Damaged, StorageError
from gossamer.frontier.entries import META
from gossamer.model import Capture, Kind, Link, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version
from gossamer.store.warc.records import Info
from gossamer.store.warc.warc import payload_digest, warc_files
from gossamer.urls import keys

A, B, C = (f"http://{name}.test/" for name in "abc")
BEGAN = 1_794_700_800.0
INFO = Info("Gossamer/1")


def site(url: str) -> str:
    return keys.host(url)


def came(url: str, body: bytes = b"<p>Hello", status: int = 200, after: float = 0.0, **more: Any) -> Capture:
    fields = more.pop("fields", (("content-type", "text/html"),))
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = f"HTTP/1.1 {status} x\r\n{lines}\r\n".encode()
    visit = more.pop("visit", Visit(url))
    return Capture(visit, BEGAN + after, 0.1, status, fields, b"GET / HTTP/1.1\r\n\r\n", head, body, body, **more)


def said(url: str, words: str = "Hello", **more: Any) -> Page:
    told = {
        "title": words,
        "text": words,
        "content": words,
        "html": f"<p>{words}</p>",
        "digest": payload_digest(b"<p>Hello"),
    }
    return Page(url, "text/html", "UTF-8", **(told | more))


class Shard:
    """An archive with its table, and what is made of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = Folder(folder)
        self.folder.make_shards(1)
        self.place = self.folder.shard(0)
        self.table = Table.open(self.folder.table(0), FAMILIES, writable=True)
        self.archive = Archive(self.table, self.place, lambda one: replace(one, body=one.wire))
        self.archive.texts.open(INFO, SystemClock(), prefix="gossamer", max_bytes=1 << 30)
        self.archive.open(INFO, SystemClock(), max_bytes=1 << 30)

    def keep(self, url: str, body: bytes = b"<p>Hello", after: float = 0.0, **more: Any) -> Capture:
        one = came(url, body, after=after)
        self.archive.append(one, said(url, **({"digest": payload_digest(body)} | more)))
        return one

    def commit(self) -> None:
        self.archive.prepare()
        self.table.commit()

    def row(self, url: str) -> Version:
        return next(self.archive.versions.of(url))

    @property
    def bench(self) -> WritableShard:
        return WritableShard(self.place, Plan(), self.table, self.archive, "gossamer")


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    made = Shard(tmp_path / "web")
    yield made
    made.archive.close()
    made.table.close()


# ----------------------------------------------------------------------------- findable


@pytest.fixture
def index(shard: Shard) -> Iterator[Indexer]:
    made = Indexer(shard.place, shard.table, shard.archive, site)
    yield made
    made.close()


def kept(shard: Shard, index: Indexer, one: Capture, page: Page) -> None:
    if (version := shard.archive.append(one, page)) is not None:
        index.keep(one, page, version)


def committed(shard: Shard, index: Indexer) -> set[str]:
    shard.archive.prepare()
    index.prepare()
    shard.table.commit()
    index.finish()
    return set(index._shard_index.urls())


def test_a_page_is_found_from_the_next_commit_on_and_not_when_it_is_gone(shard: Shard, index: Indexer) -> None:
    assert index_state.is_whole(shard.table)
    kept(shard, index, came(A), said(A, links=(Link(B),)))
    kept(shard, index, came(B, b"other"), said(B, noindex=True, digest=payload_digest(b"other")))
    kept(shard, index, came(C, b"third"), said(C, copy_of=A, digest=payload_digest(b"third")))
    kept(shard, index, came("http://a.test/robots.txt", visit=Visit(A, Kind.ROBOTS)), said(A))
    assert committed(shard, index) == {A}
    assert list(index_check.check(shard.place, shard.table, shard.archive)) == []
    kept(shard, index, came(A, b"no", 404, 5), Page(A))
    kept(shard, index, came("http://never.test/", b"no", 404, 5), Page("http://never.test/"))
    assert committed(shard, index) == set()


def test_a_redirect_takes_a_page_out_also_one_that_leads_nowhere(shard: Shard, index: Indexer) -> None:
    kept(shard, index, came(A), said(A))
    kept(shard, index, came(B, b"other"), said(B, digest=payload_digest(b"other")))
    assert committed(shard, index) == {A, B}
    kept(shard, index, came(A, b"", 302, 5, fields=(("location", C),)), Page(A))
    assert committed(shard, index) == {B}
    kept(shard, index, came(B, b"", 302, 5), Page(B))
    assert committed(shard, index) == set()
    assert list(index_check.check(shard.place, shard.table, shard.archive)) == []


def test_copies_and_errors_in_disguise_are_taken_out(shard: Shard, index: Indexer) -> None:
    for url, body in ((A, b"a"), (B, b"b"), (C, b"c")):
        kept(shard, index, came(url, body), said(url, digest=payload_digest(body)))
    assert committed(shard, index) == {A, B, C}
    index.fold(B, A)
    index.forget(C)
    assert committed(shard, index) == {A}


def test_the_index_is_committed_after_many_pages_or_some_seconds(
    shard: Shard, index: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished: list[int] = []
    finish = index.finish
    monkeypatch.setattr(index, "finish", lambda: (finished.append(1), finish()))
    monkeypatch.setattr(indexer, "COMMIT_EVERY", 3)
    for now in range(9):
        index.committed(float(now))
    assert finished == []
    for number in range(3):
        url = f"{A}{number}"
        kept(shard, index, came(url, b"%d" % number), said(url, digest=payload_digest(b"%d" % number)))
    index.prepare()
    shard.commit()
    index.committed(9.0)
    assert len(finished) == 1
    kept(shard, index, came(B, b"b"), said(B, digest=payload_digest(b"b")))
    index.prepare()
    shard.commit()
    for later in (10.0, 11.0, 11.9, 12.0):
        assert len(finished) == 1, later
        index.committed(later)
    assert len(finished) == 2


def test_what_the_index_lacks_after_a_crash_is_found_by_the_log(shard: Shard, index: Indexer) -> None:
    assert list(index.catch_up()) == []
    kept(shard, index, came(A), said(A))
    kept(shard, index, came(B, b"b", 200), said(B, noindex=True, digest=payload_digest(b"b")))
    index.prepare()
    shard.commit()
    index.close()  # before the index was committed
    again = Indexer(shard.place, shard.table, shard.archive, site)
    assert again._shard_index.covered < index_state.committed_length(shard.table)
    assert list(again.catch_up()) == [2]
    assert set(again._shard_index.urls()) == {A}
    assert list(again.catch_up()) == []
    again.close()
    index._log = again._log


def test_log_and_index_are_made_again_from_the_rows(shard: Shard, index: Indexer) -> None:
    for url, body in ((A, b"a"), (B, b"b")):
        shard.keep(url, body)
    shard.archive.append(came(C, b"", 301, fields=(("location", A),)), Page(C))
    shard.commit()
    outdate(shard.table)
    assert not index.whole
    assert list(index.remake()) == [3]
    assert index.whole
    assert set(index._shard_index.urls()) == {A, B}
    assert list(index_check.check(shard.place, shard.table, shard.archive)) == []


def test_what_is_wrong_with_log_and_index_is_told(shard: Shard, index: Indexer) -> None:
    kept(shard, index, came(A), said(A, links=(Link(B),)))
    assert committed(shard, index) == {A}
    shard.keep(B, b"b")
    shard.commit()
    problems = list(index_check.check(shard.place, shard.table, shard.archive))
    assert [problem.split(";")[0] for problem in problems] == [
        f"{B}: is not in the index",
        f"{B}: the log of links does not have the links of its text",
    ]
    shard.archive.versions.remove(B, BEGAN)
    shard.archive.mark(A, copy_of=B)
    problems = list(index_check.check(shard.place, shard.table, shard.archive))
    assert f"{A}: should not be in the index" in problems[0]
    shard.table.put(STATE, b"links", (1).to_bytes(8, "big"))
    assert list(index_check.check(shard.place, shard.table, shard.archive))


def test_imports_that_are_older_than_what_is_here_change_nothing(shard: Shard) -> None:
    derived = Derived(shard.place, shard.table, shard.archive, site)
    new, old = came(A, b"new", after=10), came(A, b"old", source="x@0")
    for one in (new, old):
        page = said(A, one.body.decode(), digest=payload_digest(one.body))
        version = shard.archive.append(one, page)
        assert version is not None
        derived.keep(one, page, version)
    shard.archive.prepare()
    derived.prepare()
    shard.table.commit()
    derived.committed(1.0)
    derived.finish()
    assert derived._findable._fresh == 0
    newer = came(A, b"newer", after=20, source="x@9")
    version = shard.archive.append(newer, said(A, digest=payload_digest(b"newer")))
    assert version is not None
    derived.keep(newer, said(A), version)
    assert derived._findable._fresh == 1
    derived.fold(A, B)
    derived.forget(A)
    assert derived._findable._fresh == 3
    derived.close()


def test_what_is_derived_hears_of_every_step(shard: Shard) -> None:
    derived = Derived(shard.place, shard.table, shard.archive, site)
    derived.close()
    did: list[str] = []

    class Spy:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, step: str) -> Any:
            return lambda *_, **__: did.append(f"{self._name} {step}") or [1, 2]

    derived._findable, derived._prints = Spy("index"), Spy("prints")  # type: ignore[assignment] # what they are asked for is enough
    derived.catch_up()
    derived.keep(came(A), said(A), None)  # type: ignore[arg-type] # handed on
    derived.fold(A, B)
    derived.forget(A)
    derived.mark(None)  # type: ignore[arg-type] # handed on
    derived.prepare()
    derived.committed(1.0)
    derived.finish()
    derived.finish(hurried=True)
    derived.close()
    assert did == [
        "index catch_up",
        "index keep",
        "prints keep",
        "index fold",
        "index forget",
        "prints prepare",
        "index prepare",
        "index committed",
        "index finish",
        "index gather",
        "index finish",
        "index close",
        "prints close",
    ]


def test_a_crawl_that_only_collects_leaves_the_rest_to_a_build(shard: Shard) -> None:
    shard.table.put(STATE, LINKS_WHOLE, b"1")
    shard.table.put(PRINTS, WHOLE, b"1")
    outdate(shard.table)
    assert (shard.table.get(STATE, LINKS_WHOLE), shard.table.get(PRINTS, WHOLE)) == (None, STALE)
    shard.table.put(STATE, LINKS_WHOLE, b"1")
    Underived(shard.place, shard.table, shard.archive, site)
    assert (shard.table.get(STATE, LINKS_WHOLE), shard.table.get(PRINTS, WHOLE)) == (None, None)
    outdate(shard.table)
    assert shard.table.get(PRINTS, WHOLE) is None


# -------------------------------------------------------------------------------- marks


def copy(url: str, digest: str, exact: bool = False) -> Any:
    return SimpleNamespace(url=url, digest=digest, exact=exact)


def test_of_near_copies_with_the_same_bytes_the_first_is_one_and_the_others_are_its_copies() -> None:
    copies = (copy(A, "d0", exact=True), copy(B, "d1"), copy(C, "d1"), copy("http://d.test/", "d2"))
    group: Any = SimpleNamespace(url="http://o.test/", copies=copies)
    assert list(_marks(group)) == [
        (A, Mark(copy_of="http://o.test/")),
        (B, Mark(near_copy_of="http://o.test/")),
        (C, Mark(copy_of=B)),
        ("http://d.test/", Mark(near_copy_of="http://o.test/")),
    ]
    assert Mark() == (None, None)


# ------------------------------------------------------------------------------- recover


class Taking:
    """A recovery whose frontier and reader are watched."""

    def __init__(self, shard: Shard, read: Any = None) -> None:
        self.did: list[tuple[Any, ...]] = []
        frontier: Any = SimpleNamespace(
            done=lambda answer: self.did.append(("done", answer.visit.url)),
            pass_over=lambda visit, reason: self.did.append(("passed", visit and visit.url, reason)),
        )
        fresh = Archive(shard.table, shard.place, lambda one: replace(one, body=one.wire))
        self.archive = fresh
        self.recovery = Recovery(
            shard.table,
            fresh,
            frontier,
            read or (lambda one: said(one.visit.url, digest=payload_digest(one.body))),
            lambda page: page,
            lambda one, page, new: self.did.append(("kept", one.visit.url, new is not None)),
            lambda corrections: None,
        )


def killed(shard: Shard, *urls: str) -> None:
    shard.commit()
    for number, url in enumerate(urls):
        shard.keep(url, b"<p>%d" % number)
    shard.archive.close()
    shard.table.drop_changes()


def test_what_a_kill_left_is_taken_in_as_it_came(shard: Shard) -> None:
    killed(shard, A, B)
    taking = Taking(shard)
    taking.recovery.roll_forward()
    assert taking.did == [("kept", A, True), ("done", A), ("kept", B, True), ("done", B)]
    assert shard.row(A).status == 200


def test_what_cannot_be_read_is_passed_over_now_and_later(shard: Shard) -> None:
    killed(shard, A, B)

    def read(one: Capture) -> Page:
        if one.visit.url == A:
            raise ZeroDivisionError
        return said(one.visit.url)

    for _ in range(2):
        taking = Taking(shard, read)
        taking.recovery.roll_forward()
        reason = "kept, but could not be taken in: ZeroDivisionError()"
        assert taking.did[0] == ("passed", A, reason)
        assert taking.did[1:] == [("kept", B, True), ("done", B)]
        assert taking.archive.passed.reason(A, BEGAN) == reason
        shard.archive.versions.remove(B, BEGAN)


def test_a_fault_of_the_machine_is_not_noted_of_a_page(shard: Shard) -> None:
    killed(shard, A)

    def read(one: Capture) -> Page:
        raise StorageError("the disk")

    taking = Taking(shard, read)
    with pytest.raises(StorageError):
        taking.recovery.roll_forward()
    assert (taking.did, taking.archive.passed.reason(A, BEGAN)) == ([], None)


def test_a_passed_capture_answers_the_visit_that_its_metadata_tell(shard: Shard) -> None:
    one = came(A, visit=Visit(A, depth=3))
    shard.archive.append(one, said(A))
    shard.archive.append(came(B, b"b", source="x@0"), said(B, digest=payload_digest(b"b")))
    first, imported = Archive(shard.table, shard.place, lambda each: each).files.uncommitted()
    assert _visit(first, A) == Visit(A, depth=3)
    assert _visit(imported, B) is None
    broken = replace(first, metadata=replace(first.metadata, block=b""))
    assert _visit(broken, A) == Visit(A)
    assert _visit(broken, "no address") is None


# ------------------------------------------------------------------------------ rereading


def unread(shard: Shard, url: str = A, kind: str = "killed") -> Version:
    page = Page(url, "text/html", digest=payload_digest(b"<p>Hello"), problem="oops", unread=kind)  # type: ignore[arg-type] # one of its words
    shard.archive.append(came(url), page)
    return shard.row(url)


def test_a_page_that_was_not_read_is_read_again_and_kept(shard: Shard) -> None:
    version = unread(shard)
    shard.archive.mark(A, near_copy_of=B)
    reread = again(shard.archive, lambda one: said(A, "now"), A, shard.row(A))
    assert reread is not None
    assert (reread.page.title, reread.page.near_copy_of) == ("now", B)
    assert reread.version == shard.row(A)
    assert shard.row(A).title == "now"
    assert version.text is None
    assert shard.row(A).text is not None


def test_a_page_that_cannot_be_read_today_either_is_noted_again(shard: Shard) -> None:
    version = unread(shard)
    broken = Page(A, "text/html", problem="still", unread="mistake")
    assert again(shard.archive, lambda one: broken, A, version) is None
    assert [note.problem for _, note in shard.archive.unread.all()] == ["still"]
    (shard.place / "captures" / version.file).write_bytes(b"")
    assert again(shard.archive, lambda one: said(A), A, version) is None


def test_at_the_start_of_a_crawl_unread_pages_are_taken_up(shard: Shard) -> None:
    unread(shard)
    unread(shard, B, "mistake")
    unread(shard, C)
    did: list[tuple[Any, ...]] = []
    entries = {A: SimpleNamespace(visit=lambda url: Visit(url, depth=7)), B: SimpleNamespace(visit=Visit)}
    frontier: Any = SimpleNamespace(
        ledger=SimpleNamespace(get=entries.get), reread=lambda one, page: did.append(("reread", one.visit, page.title))
    )
    taken = list(
        take_up(
            shard.archive, frontier, lambda one: said(A, "now"), lambda one, *_: did.append(("keep", one.visit.url))
        )
    )
    assert taken == [A, B, C]
    assert did == [("keep", A), ("reread", Visit(A, depth=7), "now")]
    assert [url for url, _ in shard.archive.unread.all()] == [B]  # a mistake is not made twice; C was removed


def test_what_a_build_has_read_meanwhile_is_only_followed(shard: Shard) -> None:
    version = unread(shard)
    shard.archive.read_again(A, version, said(A, "built"))
    did: list[str] = []
    frontier: Any = SimpleNamespace(
        ledger=SimpleNamespace(get=lambda url: SimpleNamespace(visit=Visit)),
        reread=lambda one, page: did.append(page.title),
    )
    list(take_up(shard.archive, frontier, lambda one: said(A), lambda one, *_: did.append("kept")))
    assert did == ["built"]
    assert list(shard.archive.unread.all()) == []


# --------------------------------------------------------------------------------- adopt


def test_captures_without_a_row_are_adopted(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, url in enumerate((A, B, C)):
        shard.keep(url, b"<p>%d" % number)
    shard.commit()
    assert adopting.adopt(shard.bench) == 0
    for url in (A, B, C):
        shard.archive.versions.remove(url, BEGAN)
    read = WritableShard.read

    def odd(bench: WritableShard, one: Capture) -> Page:
        if one.visit.url == B:
            raise ZeroDivisionError
        if one.visit.url == C:
            raise Damaged("so")
        return read(bench, one)

    monkeypatch.setattr(WritableShard, "read", odd)
    assert adopting.adopt(shard.bench) == 1
    assert shard.row(A).status == 200
    assert [(url, "ZeroDivisionError" in reason) for url, reason in shard.archive.passed.all()] == [(B, True)]
    assert shard.table.pending == 0

    def full(bench: WritableShard, one: Capture) -> Page:
        raise StorageError("the disk")

    monkeypatch.setattr(WritableShard, "read", full)
    with pytest.raises(StorageError):
        adopting.adopt(shard.bench)


def test_a_capture_without_its_metadata_is_adopted_by_its_address(shard: Shard) -> None:
    shard.archive.append(came("http://a.test/robots.txt", visit=Visit("http://a.test/robots.txt", Kind.ROBOTS)), Page())
    shard.keep(B, b"b")
    shard.commit()
    (path,) = warc_files(shard.place / "captures")
    for url, _ in list(shard.archive.versions.all()):
        shard.archive.versions.remove(url, BEGAN)
    from gossamer.store.warc.reader import records

    data = bytearray(path.read_bytes())
    for record in [each for each in records(path) if each.type == "metadata"]:
        data[record.place.offset + record.place.length // 2] ^= 0xFF
    path.write_bytes(data)
    assert adopting.adopt(shard.bench) == 2
    assert shard.row("http://a.test/robots.txt").kind is Kind.ROBOTS
    assert shard.row(B).kind is Kind.PAGE


# -------------------------------------------------------------------------------- repost


def test_links_and_redirects_to_a_lost_shard_are_posted_again(shard: Shard) -> None:
    links = (Link(B), Link(C, rel="nofollow"), Link(A))
    shard.keep(A, b"a", links=links)
    shard.archive.append(
        came("http://a.test/moved", b"", 301, fields=(("location", "/x"),)), Page("http://a.test/moved")
    )
    shard.archive.append(came("http://a.test/odd", b"", 302), Page("http://a.test/odd"))
    shard.commit()
    posted: list[Any] = []
    met: list[tuple[str, str]] = []
    commits: list[int] = []
    peers: Any = SimpleNamespace(
        owner=lambda url: 0 if url == A else 1,
        ours=lambda found, recent: posted.extend(found) or (),
        met=lambda digest, url: met.append((digest, url)),
        count=1,
        prepare=lambda: commits.append(1),
    )
    remake.repost(shard.bench, peers, {1})
    assert [(each.url, each.depth, each.referrer, each.hops, each.followed) for each in posted] == [
        (B, 1, A, 0, True),
        (C, 1, A, 0, False),
        ("http://a.test/x", 0, "http://a.test/moved", 1, True),
    ]
    assert (met, commits) == ([], [1])
    remake.repost(shard.bench, peers, {0})
    assert met == [(payload_digest(b"a"), A)]
    shard.archive.mark(A, copy_of=B)
    met.clear()
    remake.repost(shard.bench, peers, {0})
    assert met == []


# -------------------------------------------------------------------------------- replan


def test_a_plan_that_is_lost_comes_back_from_a_shard_or_from_the_captures(shard: Shard) -> None:
    plan = Plan(seeds=(A,), pages=7, shards=1)
    shard.folder.save_plan(plan)
    shard_identity.leave(shard.table, 0, plan)
    shard.archive.append(came(B, b"b"), said(B))
    shard.archive.append(came(C, b"c", visit=Visit(C, depth=1, referrer=B)), said(C))
    shard.archive.append(came("http://r.test/robots.txt", visit=Visit("http://r.test/robots.txt", Kind.ROBOTS)), Page())
    shard.archive.append(came("http://i.test/", b"i", source="x@0"), said("http://i.test/"))
    shard.commit()
    shard.table.close()
    assert replan(shard.folder) == ([], None)
    shard.folder.plan_file.write_bytes(b"")
    (words,), aside = replan(shard.folder)
    assert words.endswith("is empty; the settings of the last crawl are back")
    assert aside is not None
    assert aside.parent == shard.folder.path / "damaged"
    assert shard.folder.load_plan() == plan
    shard.folder.save_plan(plan.changed(shards=3))
    (words,), aside = replan(shard.folder)
    assert (words.endswith("has 3 shards, but 1 was made; it says so now"), aside) == (True, None)
    assert shard.folder.load_plan() == plan
    with Table.open(shard.folder.table(0), FAMILIES, writable=True) as table:
        table.delete(META, b"imprint")
        table.commit()
    shard.folder.plan_file.unlink()
    (words,), aside = replan(shard.folder)
    assert words.endswith("is missing; no copy of it was found: 1 seed is back, all else has its default")
    assert aside is None
    assert shard.folder.load_plan() == Plan(seeds=(B,), shards=1)
    shard.folder.plan_file.write_text(plans.dump(plan).replace("pages = 7", "pages = ["))
    (words,), aside = replan(shard.folder)
    assert "no copy of it was found" in words
