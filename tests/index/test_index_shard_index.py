"""The index of a shard: what is in it, and what it covers."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import time
from pathlib import Path

import pytest
import tantivy

import gossamer.index.shard_index as module
from gossamer.engine.proc import looks
from gossamer.errors import Damaged
from gossamer.index import entry, opening
from gossamer.index.anchor_index import AnchorIndex
from gossamer.index.entry import Entry
from gossamer.index.facets import kinds, places
from gossamer.index.shard_index import ShardIndex
from gossamer.index.soundness import part_sizes, problems


def test_a_page_takes_the_place_of_what_was_there_of_it(tmp_path: Path) -> None:
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.add(Entry("http://a.org/", "Old", body="apples"))
    shard_index.commit(1)
    shard_index.add(Entry("http://a.org/", "New", body="pears"))
    shard_index.commit(2)
    searcher = shard_index.index.searcher()
    assert searcher.doc_freq("body", "pears") == 1
    assert searcher.num_docs == 2  # the page, and the row that says what is covered
    shard_index.close()


def test_an_index_tells_what_it_covers_after_it_was_opened_again(tmp_path: Path) -> None:
    shard_index = ShardIndex(tmp_path / "index")
    assert shard_index.covered == 0
    shard_index.add(Entry("http://a.org/", body="one"))
    shard_index.commit(17)
    shard_index.add(Entry("http://a.org/lost", body="two"))
    shard_index.close()
    again = ShardIndex(tmp_path / "index")
    assert again.covered == 17
    assert again.index.searcher().doc_freq("body", "two") == 0


def in_parts(folder: Path, number: int) -> ShardIndex:
    """A page for each part, and the last change that it covers."""
    index = ShardIndex(folder)
    for each in range(number):
        index.add(Entry(f"https://example.org/{each}", "A page", "", "water", "example.org", "text/html", "en", 0.0))
        index.commit(each, 7)
    return index


@pytest.mark.parametrize("number", [2, 3, 7, 8])
def test_parts_are_brought_together_and_nothing_else_changes(tmp_path: Path, number: int) -> None:
    index = in_parts(tmp_path / "index", number)
    index.gather()
    assert len(part_sizes(tmp_path / "index")) <= module.PARTS_MOST
    assert sorted(index.urls()) == sorted(f"https://example.org/{each}" for each in range(number))
    assert (index.covered, index.source) == (number - 1, 7)
    assert index.index.searcher().num_docs == number + 1, "no row is left that made up the number"
    index.close()
    assert not list(problems(tmp_path / "index"))


@pytest.mark.parametrize(
    ("parts", "together"),
    [([5_001] * 4 + [383], 5), ([13_000, 13_000, 1], 3), ([40_008, 5_001, 1], 2), ([20_000, 13_000, 5], 1), ([], 0)],
)
def test_the_engine_takes_parts_together_that_are_about_as_large(parts: list[int], together: int) -> None:
    assert module._smallest(parts) == together


def test_what_was_killed_while_parts_came_together_leaves_no_row_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = in_parts(tmp_path / "index", 4)
    with monkeypatch.context() as patch:
        patch.setattr(index, "commit", lambda *_: None)  # the last one, which takes the rows out
        index.gather()
    index.close()
    again = ShardIndex(tmp_path / "index")
    assert (again.covered, again.source) == (3, 7)
    assert len(list(again.urls())) == 4
    again.commit(4)
    assert again.index.searcher().num_docs == 5
    again.close()


def test_what_is_removed_is_gone(tmp_path: Path) -> None:
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.add(Entry("http://a.org/1", body="kept"))
    shard_index.add(Entry("http://a.org/2", body="gone"))
    shard_index.commit(1)
    shard_index.remove("http://a.org/2")
    shard_index.commit(2)
    assert shard_index.index.searcher().num_docs == 2
    shard_index.clear()
    shard_index.commit(3)
    assert shard_index.index.searcher().num_docs == 1
    shard_index.close()


def test_a_commit_that_was_killed_before_it_counted_can_be_made_again(tmp_path: Path) -> None:
    folder, killed = tmp_path / "index", tmp_path / "killed"

    def second(shard_index: ShardIndex) -> None:
        shard_index.add(Entry("http://a.org/1", body="later"))
        shard_index.commit(3)

    shard_index = ShardIndex(folder)
    for number in range(5):
        shard_index.add(Entry(f"http://a.org/{number}", body="first"))
    shard_index.commit(2)
    shard_index.close()
    shutil.copytree(folder, killed)
    shard_index = ShardIndex(folder)
    second(shard_index)
    shard_index.close()
    left = [path.name for path in folder.glob("*.del")]
    assert left
    for name in left:  # what is on disk when a kill comes before the new list of segments
        shutil.copy(folder / name, killed / name)
    managed = killed / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), *left]))

    again = ShardIndex(killed)
    assert again.covered == 2
    second(again)
    assert again.covered == 3
    assert len(set(again.urls())) == 5
    again.close()
    assert not list(problems(killed))


def test_what_the_engine_has_freed_goes_back_with_every_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    if platform.libc_ver()[0] == "glibc":
        assert module._trim(0) in (0, 1)  # it is there, and can be called
    monkeypatch.setattr(module, "_trim", asked.append)
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.commit(1)
    shard_index.commit(2)
    shard_index.close()
    assert asked == [0, 0]


def test_a_damaged_index_is_named_with_its_cure(tmp_path: Path) -> None:
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.commit(1)
    shard_index.close()
    (tmp_path / "index" / "meta.json").write_text("{broken")
    with pytest.raises(Damaged, match="gossamer build"):
        ShardIndex(tmp_path / "index")


def test_a_page_lies_on_its_site_its_hosts_and_its_folders() -> None:
    assert list(places("http://docs.Sub.example.org/Guide/a.html?q=1".lower(), "example.org")) == [
        "docs.sub.example.org",
        "sub.example.org",
        "example.org",
        "docs.sub.example.org/guide",
        "docs.sub.example.org/guide/a.html",
    ]
    assert list(places("http://127.0.0.1:8080/", "127.0.0.1")) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("media_type", "names"),
    [("application/pdf", "pdf"), ("text/html", "html"), ("text/plain", "txt"), ("image/png", "png")],
)
def test_a_kind_has_the_name_that_people_use(media_type: str, names: str) -> None:
    assert list(kinds(media_type)) == [media_type, names]


def test_the_engine_never_has_more_to_do_than_fits_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would queue 10,000 pages, however long: 2 GB, which a hostile host makes as fast as they are asked for."""
    document, ahead, most = module.document, 0, 0

    def given(entry: Entry) -> object:
        nonlocal ahead, most
        ahead += len(entry.body)
        most = max(most, ahead)
        return document(entry)

    def rest(name: str) -> None:
        nonlocal ahead
        assert name == module.ENGINE
        ahead = 0

    monkeypatch.setattr(module, "document", given)
    monkeypatch.setattr(module.proc, "rest", rest)
    shard_index = ShardIndex(tmp_path / "index")
    for number in range(40):
        shard_index.add(Entry(f"http://a.org/{number}", body="apples " * 30_000))
    shard_index.commit(1)
    shard_index.close()
    assert 0 < most <= module.AHEAD_MOST


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which threads sleep")
def test_the_thread_of_the_engine_is_known_by_its_name(tmp_path: Path) -> None:
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.clear()
    seen = (len(looks(module.ENGINE)) for _ in range(1_000) if not time.sleep(0.01))
    assert next(filter(None, seen)) == 1  # a thread gets its name a moment after it was started
    shard_index.close()


def test_a_page_without_end_is_found_by_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "TEXT_MOST", 1_000)
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.add(Entry("http://a.org/", headings="first " + "h " * 2_000, body="begin " + "b " * 2_000 + "end"))
    shard_index.commit(1)
    searcher = shard_index.index.searcher()
    assert (searcher.doc_freq("body", "begin"), searcher.doc_freq("body", "end")) == (1, 0)
    assert searcher.doc_freq("headings", "first") == 1
    shard_index.close()


def test_whoever_may_read_the_folder_may_read_all_files_of_an_index(tmp_path: Path) -> None:
    for folder, mode in ((tmp_path / "open", 0o755), (tmp_path / "closed", 0o700)):
        folder.mkdir()
        folder.chmod(mode)
        shard_index = ShardIndex(folder)
        for number in range(3):
            shard_index.add(Entry(f"http://a.org/{number}", body="words"))
            shard_index.commit(number + 1)
        shard_index.close()
        anchor_index = AnchorIndex(folder / "voices")
        (folder / "voices").chmod(mode)
        anchor_index.write([(1, "words")], None)
    told = list((tmp_path / "open").rglob("*.json"))
    assert len(told) == 4
    assert {path.stat().st_mode & 0o777 for path in told} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "closed").rglob("*.json")} == {0o600}


def test_an_index_of_other_terms_is_refused_and_the_cure_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(entry, "TERMS", "terms")
        before.setattr(opening, "TERMS", "terms")
        old = ShardIndex(tmp_path / "index")
        old.commit(1)
        old.close()
    for writable in (True, False):
        with pytest.raises(Damaged, match="another version of gossamer; `gossamer build"):
            ShardIndex(tmp_path / "index", writable=writable)


def test_pages_are_found_by_all_forms_of_their_words(tmp_path: Path) -> None:
    """And what is apart from the text is no neighbour of its words."""
    shard_index = ShardIndex(tmp_path / "index")
    shard_index.add(Entry("http://a.org/", body="The TreeView of a café shows rows"))
    shard_index.commit(1)
    searcher = shard_index.index.searcher()
    assert all(searcher.doc_freq("body", term) == 1 for term in ("treeview", "cafe", "café", "view"))
    for words, found in (["tree", "view", "of"], 1), (["a", "café", "shows"], 1), (["rows", "treeview"], 0):
        phrase = tantivy.Query.phrase_query(shard_index.schema, "body", list(words))
        assert len(searcher.search(phrase).hits) == found
    shard_index.close()
