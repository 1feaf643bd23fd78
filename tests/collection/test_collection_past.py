"""The past can be searched: a collection answers as it stood at a time, and tells when a page said what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree, rmtree

import pytest

import gossamer
from gossamer.collection import Collection
from gossamer.collection.derive import past as pasts
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.folder import PAST
from gossamer.errors import NotFound, UsageError
from gossamer.index.shard_index import ShardIndex
from harness.dated_site import SITE, DatedSite, page

LONG = " ".join(f"filler{number}" for number in range(40))


def urls(collection: Collection, question: str, at: datetime | None = None, *, ever: bool = False) -> list[str]:
    found = collection.search(question, 50, at=at, all_versions=ever)
    assert found.total == len(found)
    return sorted(hit.url.removeprefix(SITE) for hit in found)


class Story:
    """Four crawls a month apart: /b changes, changes back, then moves; /c comes late and goes; /a stays."""

    def __init__(self, folder: Path) -> None:
        self.site = DatedSite({"/a": page("Alpha", "always quartz", LONG), "/b": page("Beta", "elephant", LONG, "one")})
        self.path = folder / "web"
        with gossamer.open(self.path) as web:
            self.first = self._crawl(web)
            self.site.pages |= {"/b": page("Beta", "giraffe", LONG, "one"), "/c": page("Gamma", "walrus here")}
            self.second = self._crawl(web)
            self.site.pages["/b"] = page("Beta", "elephant", LONG, "one")
            del self.site.pages["/c"]
            self.third = self._crawl(web)
            del self.site.pages["/b"]
            self.site.moved["/b"] = "/a"
            self.fourth = self._crawl(web)

    def _crawl(self, web: Collection) -> datetime:
        end = self.site.crawl(web)
        self.site.later(30)
        return end


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("past"))


@pytest.fixture
def web(story: Story) -> Iterator[Collection]:
    with gossamer.open(story.path) as collection:
        yield collection


def test_a_search_answers_as_the_collection_stood_at_a_time(story: Story, web: Collection) -> None:
    times = (story.first, story.second, story.third, story.fourth, None)
    assert [urls(web, "elephant", at) for at in times] == [["/b"], [], ["/b"], [], []]
    assert [urls(web, "giraffe", at) for at in times] == [[], ["/b"], [], [], []]
    assert [urls(web, "walrus", at) for at in times] == [[], ["/c"], [], [], []]
    assert [urls(web, "quartz", at) for at in times] == [["/a"]] * 5
    assert urls(web, "quartz", story.first - timedelta(days=1)) == []


def test_a_hit_of_the_past_tells_from_when_to_when_and_shows_what_was_said(story: Story, web: Collection) -> None:
    (hit,) = web.search("giraffe", at=story.second)
    assert "giraffe" in hit.snippet
    assert hit.since is not None
    assert hit.until is not None
    assert story.first.timestamp() < hit.since < story.second.timestamp() < hit.until < story.third.timestamp()
    (still,) = web.search("quartz", at=story.second)
    assert still.since is not None
    assert still.since < story.first.timestamp()
    assert still.until is None
    (now,) = web.search("quartz")
    assert (now.since, now.until) == (None, None)


def test_all_versions_show_each_page_once_with_its_first_and_last_time(story: Story, web: Collection) -> None:
    assert urls(web, "elephant", ever=True) == ["/b"]
    (hit,) = web.search("elephant", all_versions=True)
    assert hit.since is not None
    assert hit.until is not None
    assert hit.since < story.first.timestamp()
    assert story.third.timestamp() < hit.until < story.fourth.timestamp()
    assert hit.breaks == 1  # in the second month
    (steady,) = web.search("one", all_versions=True)
    assert steady.breaks == 0  # it stood there in every text
    assert urls(web, "elephant OR walrus OR quartz", ever=True) == ["/a", "/b", "/c"]
    assert [hit.url for hit in web.search("one", all_versions=True, sort="date")] == [f"{SITE}/b"]
    assert web.search("elephant giraffe", all_versions=True).total == 1


def test_history_names_the_versions_that_say_something(web: Collection) -> None:
    assert [each.number for each in web.history(f"{SITE}/b", search="elephant")] == [1, 3]
    assert [each.number for each in web.history(f"{SITE}/b", search="giraffe")] == [2]
    assert [each.number for each in web.history(f"{SITE}/b", search="one filler7")] == [1, 2, 3]
    assert [each.number for each in web.history(f"{SITE}/a", search="quartz")] == [1, 2, 3, 4]
    assert web.history(f"{SITE}/a", search="elephant") == []


def test_facets_are_those_of_the_time(story: Story, web: Collection) -> None:
    facets = web.search("one OR quartz OR walrus", at=story.second, facets=True).facets
    assert facets is not None
    assert facets["site"] == {"dated.test": 3}
    with pytest.raises(UsageError, match="facets count pages"):
        web.search("one", all_versions=True, facets=True)
    with pytest.raises(UsageError, match="ask for one of them"):
        web.search("one", all_versions=True, at=story.first)


def texts_in(path: Path) -> int:
    """How many texts the index of the past has."""
    return sum(1 for _ in ShardIndex(path / "shards/00" / PAST, writable=False).all())


def test_a_text_is_indexed_once_however_often_it_is_seen(tmp_path: Path) -> None:
    site = DatedSite({"/a": page("Alpha", "zero")})
    with gossamer.open(tmp_path / "web") as web:
        for visit in range(4):
            site.pages["/a"] = page("Alpha", "zero") + f"<!-- built {visit} -->"  # other bytes, the same words
            site.crawl(web)
            site.later(1)
        assert not (web.path / "shards/00" / PAST).exists()
        assert len(web.history(f"{SITE}/a")) == 4
        site.pages["/a"] = page("Alpha", "one")
        changed = site.crawl(web)
        for _ in range(3):
            site.later(1)
            site.crawl(web)
        assert texts_in(web.path) == 1
        (hit,) = web.search("zero", at=changed - timedelta(days=1))
        first, *_ = web.history(f"{SITE}/a")
        assert hit.since == pytest.approx(first.fetched.timestamp(), abs=0.001)


def test_a_build_makes_the_past_again_with_the_same_answers(story: Story, tmp_path: Path) -> None:
    copytree(story.path, tmp_path / "web")
    rmtree(tmp_path / "web/shards/00" / PAST)
    with gossamer.open(tmp_path / "web") as web:
        with pytest.raises(gossamer.errors.Damaged, match="gossamer build"):
            web.search("giraffe", at=story.second)
        assert any("past" in problem for problem in web.verify().problems)
        web.build(convert=True)
        assert web.verify().problems == []
        test_a_search_answers_as_the_collection_stood_at_a_time(story, web)
        test_history_names_the_versions_that_say_something(web)


def test_a_build_makes_the_past_again_where_its_index_is_damaged(story: Story, tmp_path: Path) -> None:
    copytree(story.path, tmp_path / "web")
    (tmp_path / "web/shards/00" / PAST / "meta.json").write_bytes(b"{}")
    with gossamer.open(tmp_path / "web") as web:
        assert any("past" in problem for problem in web.verify().problems)
        web.build(convert=True)
        assert web.verify().problems == []
        assert urls(web, "giraffe", story.second) == ["/b"]


def test_a_collection_from_before_is_told_to_build(tmp_path: Path, story: Story) -> None:
    copytree(story.path, tmp_path / "web")
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(build=False, pages=1)  # a crawl that only collects
        with pytest.raises(NotFound, match="has no index of the past; `gossamer build"):
            web.search("giraffe", at=story.second)
        web.build()
        assert urls(web, "giraffe", story.second) == ["/b"]


def test_what_is_removed_is_forgotten_in_the_past_too(story: Story, tmp_path: Path) -> None:
    copytree(story.path, tmp_path / "web")
    with gossamer.open(tmp_path / "web") as web:
        web.remove(f"{SITE}/b")
        assert urls(web, "elephant", ever=True) == []
        assert urls(web, "walrus", story.second) == ["/c"]
        assert web.verify().problems == []
    files = (tmp_path / "web/shards/00" / PAST).iterdir()
    assert not any(b"giraffe" in each.read_bytes() for each in files)


def test_versions_that_go_by_a_rule_are_found_no_more(story: Story, tmp_path: Path) -> None:
    copytree(story.path, tmp_path / "web")
    with gossamer.open(tmp_path / "web") as web:
        web.prune("last 2")  # of /b: elephant again, and that it has moved
        assert urls(web, "giraffe", ever=True) == []
        assert urls(web, "elephant", story.third) == ["/b"]
        assert urls(web, "elephant", story.first) == ["/b"]  # it stays, since what came back has its bytes
        assert urls(web, "quartz", story.first) == ["/a"]  # its text is that of now
        assert web.verify().problems == []


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_captures_that_are_imported_in_any_order_give_the_same_past(
    story: Story, tmp_path: Path, order: tuple[int, ...]
) -> None:
    site = DatedSite({"/a": page("Alpha", "zero")})
    parts = []
    for number, word in enumerate(("zero", "one", "zero")):
        site.pages["/a"] = page("Alpha", word)
        with gossamer.open(tmp_path / f"part{number}") as part:
            site.crawl(part)
        parts.append((tmp_path / f"part{number}", site.now()))
        site.later(1)
    with gossamer.open(tmp_path / "web") as web:
        for number in order:
            web.import_files(parts[number][0])
        assert [urls(web, "zero", at) for _, at in parts] == [["/a"], [], ["/a"]]
        assert [urls(web, "one", at) for _, at in parts] == [[], ["/a"], []]
        assert urls(web, "zero") == ["/a"]
        assert web.verify().problems == []


def test_a_crash_between_the_commits_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = DatedSite({"/a": page("Alpha", "zero"), "/b": page("Beta", "zero and more")})
    with gossamer.open(tmp_path / "web") as web:
        first = site.crawl(web)
        site.later(1)
        site.pages["/a"] = page("Alpha", "one")
        with monkeypatch.context() as broken:
            broken.setattr(Indexer, "finish", lambda self: None)  # it dies right before
            site.crawl(web)
        site.later(1)
        del site.pages["/b"]
        last = site.crawl(web)
        assert urls(web, "zero", first) == ["/a", "/b"]
        assert urls(web, "one", last) == ["/a"]
        assert urls(web, "zero", last) == []
        assert web.verify().problems == []
        assert pasts.covered(web._readers().tables[0]) is not None
