"""A graph that is damaged is no graph: questions are answered without it, and it is made again."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.collection.derive import graph_digests
from gossamer.errors import Damaged
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.hostile_graphs import GRAPHS, SEALS, planted, sealed
from harness.seldom import seldom

SPEC = WebSpec(seed=5, hosts=2, pages=6, copies=Copies(exact=0.3))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, clock = tmp_path_factory.mktemp("sound") / "web", VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(path) as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    return path


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[random.Random(path.name).randrange(len(data))] ^= 8
    path.write_bytes(data)


def replaced(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = {"emptied": emptied, "halved": halved, "flipped": flipped, "replaced": replaced, "removed": Path.unlink}

NAMES = ("current", "ranks.npy", "nodes.npy", "names.txt", "seal.json", "voices/meta.json")
FEW = {*((name, "flipped") for name in NAMES), *(("current", kind) for kind in DAMAGES)}
FEW |= {("ranks.npy", kind) for kind in DAMAGES}
"""Every file, every damage, and all damages of the two files that are opened first."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=() if (name, kind) in FEW else pytest.mark.soak)
        for name in NAMES
        for kind in DAMAGES
    ],
)
def test_a_damaged_graph_is_no_graph(
    sound: Path, tmp_path: Path, name: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    [graph] = (each for each in (path / "graph").iterdir() if each.is_dir())
    DAMAGES[kind](path / "graph" / name if name == "current" else graph / name)
    with gossamer.open(path) as collection:
        assert collection.is_built
        collection.search("page")
        collection.status()
        assert len(caplog.messages) <= 2  # a line for each question
        assert collection.verify().problems
    with gossamer.open(path) as collection:
        assert collection.repair().left == ()
        assert collection.graph.top(3)


@pytest.mark.parametrize("kind", seldom([*GRAPHS, *SEALS], 3))
def test_a_graph_that_somebody_else_sealed_is_no_graph_unless_it_holds_one(
    sound: Path, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    (planted if kind in GRAPHS else sealed)(path, kind)
    with gossamer.open(path) as collection:
        page = next(iter(collection.pages())).url
        collection.search("page")
        collection.status()
        collection.links(page)
        for question in (lambda: collection.graph, lambda: collection.trust([page])):
            with pytest.raises(Damaged):
                question()
        assert all("no graph until `gossamer build " in each for each in caplog.messages)
        assert any("`gossamer build DIR` makes it again" in each for each in collection.verify().problems)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if number % 8 == 0 else pytest.mark.soak)
        for number, kind in enumerate([*GRAPHS, *SEALS])
    ],
)
def test_a_build_makes_a_graph_again_that_somebody_else_sealed(sound: Path, tmp_path: Path, kind: str) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    (planted if kind in GRAPHS else sealed)(path, kind)
    with gossamer.open(path) as collection:
        collection.build()
        assert collection.verify().problems == []
        assert collection.graph.top(3)


@pytest.fixture
def large(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A collection whose graph is too large to be looked at as a whole, with something planted in it."""
    monkeypatch.setattr(graph_digests, "WHOLE_MOST", 0)
    path = shutil.copytree(sound, tmp_path / "web")
    planted(path, request.param)
    return path


@pytest.mark.parametrize("large", ["sources out of range", "starts that fall", "starts beyond the end"], indirect=True)
def test_nobody_goes_over_the_arcs_of_a_large_graph_that_lead_nowhere(large: Path) -> None:
    with gossamer.open(large) as collection:
        page = next(iter(collection.pages())).url
        for question in (lambda: list(collection.graph.links()), lambda: collection.trust([page])):
            with pytest.raises(Damaged, match="`gossamer build DIR` makes it again"):
                question()
        assert collection.verify().problems


@pytest.mark.parametrize(
    "large", ["names that are no text", "anchors that are no text", "ranks that are no numbers"], indirect=True
)
def test_what_a_large_graph_says_is_damage_where_it_says_nothing(large: Path) -> None:
    with gossamer.open(large) as collection:
        assert collection.search("pale").hits
        graph = collection.graph
        prints = [int(each) for each in graph.web.nodes]
        assert all(rank >= 0 for rank in graph.ranks(prints))
        with suppress(Damaged):
            graph.top(3), [graph.anchors.get(each) for each in prints]
        assert collection.verify().problems


def test_a_build_and_a_crawl_make_a_damaged_graph_again(sound: Path, tmp_path: Path) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    for name in ("ranks.npy", "nodes.npy"):
        [graph] = (each for each in (path / "graph").iterdir() if each.is_dir())
        emptied(graph / name)
        with gossamer.open(path) as collection:
            collection.build()
            assert collection.verify().problems == []


def test_what_others_put_where_a_graph_should_be_is_not_deleted(sound: Path, tmp_path: Path) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    (path / "graph" / "mine").mkdir()
    replaced(path / "graph" / "current")
    (path / "graph" / "current" / "precious").touch()
    with gossamer.open(path) as collection:
        collection.build()
        assert collection.verify().problems == []
    assert (path / "graph" / "mine").is_dir()
    assert (path / "damaged" / "current" / "precious").is_file()


def test_of_a_large_graph_only_lengths_and_beginnings_are_looked_at_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ranks.npy").write_bytes(bytes(10_000))
    graph_digests.seal(tmp_path)
    (tmp_path / "ranks.npy").write_bytes(bytes(9_999) + b"1")
    assert graph_digests.damage(tmp_path)
    monkeypatch.setattr(graph_digests, "WHOLE_MOST", 9_999)
    assert graph_digests.damage(tmp_path) is None
    assert graph_digests.damage(tmp_path, whole=True)
    (tmp_path / "ranks.npy").write_bytes(b"1" + bytes(9_999))
    assert graph_digests.damage(tmp_path)


@pytest.mark.parametrize("name", ["000002", "999999999"])
@pytest.mark.parametrize("plant", [Path.touch, os.mkfifo], ids=["file", "fifo"])
def test_what_lies_where_the_next_graph_comes_is_in_nobodys_way(
    sound: Path, tmp_path: Path, name: str, plant: Callable[[Path], None]
) -> None:
    path = shutil.copytree(sound, tmp_path / "web")
    plant(path / "graph" / name)
    with gossamer.open(path) as collection:
        [problem] = collection.verify().problems
        assert str(path / "graph" / name) in problem
        collection.build()
        assert collection.graph.folder.name == ("000003" if name == "000002" else "000002")
        collection.close()
        assert collection.repair().aside == (path / "damaged" / name,)
        assert collection.verify().problems == []
        assert collection.graph.top(3)


def test_a_graph_is_looked_at_once_as_long_as_it_stays_as_it_is(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server beside a crawl opens it with every commit."""
    path = tmp_path / "web"
    shutil.copytree(sound, path)
    monkeypatch.setattr(graph_digests, "_SOUND", {})  # which is emptied when this process has seen many graphs
    looked: list[Path] = []
    damage = graph_digests.damage
    monkeypatch.setattr(graph_digests, "damage", lambda place, **given: looked.append(place) or damage(place, **given))
    for times in (2, 2, 2):  # by the one who reads mirrors, and by the one who reads ranks
        with gossamer.open(path) as web:
            web.status()
            assert web.search("type:html").total
        assert len(looked) == times
    (ranks,) = path.glob("graph/0*/ranks.npy")
    flipped(ranks)
    with gossamer.open(path) as web:
        assert web._graph() is None
        assert web._graph() is None
    assert len(looked) == 3
