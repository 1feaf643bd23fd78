"""A graph is sealed when it is made: whatever is different afterwards is noticed."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from gossamer.collection.derive import graph_digests


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    folder = tmp_path / "000001"
    (folder / "voices").mkdir(parents=True)
    (folder / "nodes.npy").write_bytes(b"nodes")
    (folder / "ranks.npy").write_bytes(bytes(10_000))
    (folder / "voices" / ".managed.json").write_bytes(b"{}")
    (folder / "voices" / ".tantivy-meta.lock").write_bytes(b"")
    graph_digests.seal(folder)
    return folder


def sealed(graph: Path) -> dict[str, list[int]]:
    found = msgspec.json.decode((graph / graph_digests.FILE).read_bytes())
    assert isinstance(found, dict)
    return found


def test_every_file_is_sealed_but_for_locks_and_the_seal_itself(graph: Path) -> None:
    assert set(sealed(graph)) == {"nodes.npy", "ranks.npy", "voices/.managed.json"}
    assert [length for length, *_ in sealed(graph).values()] == [5, 10_000, 2]
    graph_digests.seal(graph)
    assert graph_digests.FILE not in sealed(graph)
    assert graph_digests.damage(graph) is None


def test_all_of_it_is_on_the_disk_when_it_is_sealed(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[str] = set()
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.add(os.readlink(f"/proc/self/fd/{handle}")), real(handle)))
    graph_digests.seal(graph)
    assert {str(graph / "nodes.npy"), str(graph / "ranks.npy"), str(graph.parent)} <= synced


@pytest.mark.parametrize("at", [0, 9_999])
def test_a_changed_byte_is_damage_wherever_it_is(graph: Path, at: int) -> None:
    data = bytearray(10_000)
    data[at] = 1
    (graph / "ranks.npy").write_bytes(data)
    assert graph_digests.damage(graph) == f"{graph / 'ranks.npy'}: is damaged"


def test_a_file_that_is_longer_shorter_or_gone_is_damage(graph: Path) -> None:
    (graph / "nodes.npy").write_bytes(b"nodes and more")
    assert graph_digests.damage(graph) == f"{graph / 'nodes.npy'}: is damaged"
    (graph / "nodes.npy").write_bytes(b"node")
    assert graph_digests.damage(graph) == f"{graph / 'nodes.npy'}: is damaged"
    (graph / "nodes.npy").unlink()
    assert "cannot be read" in (graph_digests.damage(graph) or "")


def test_of_a_large_graph_the_end_is_looked_at_only_when_all_is_asked_for(
    graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytearray(10_000)
    data[9_999] = 1
    (graph / "ranks.npy").write_bytes(data)
    size = 10_000 + 5 + 2
    monkeypatch.setattr(graph_digests, "WHOLE_MOST", size)
    assert graph_digests.is_small(graph)
    assert graph_digests.damage(graph) is not None
    monkeypatch.setattr(graph_digests, "WHOLE_MOST", size - 1)
    assert not graph_digests.is_small(graph)
    assert graph_digests.damage(graph) is None
    assert graph_digests.damage(graph, whole=True) is not None
    data[0] = 1
    (graph / "ranks.npy").write_bytes(data)
    assert graph_digests.damage(graph) is not None


def test_a_file_is_read_piece_by_piece_and_known_by_all_of_them(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_digests, "_PIECE", 4_000)
    graph_digests.seal(graph)
    assert graph_digests.damage(graph, whole=True) is None
    data = bytearray(10_000)
    data[5_000] = 1
    (graph / "ranks.npy").write_bytes(data)
    assert graph_digests.damage(graph, whole=True) is not None


def test_a_graph_without_a_file_that_it_needs_is_damaged(graph: Path) -> None:
    assert graph_digests.damage(graph, needs=("nodes.npy",)) is None
    assert graph_digests.damage(graph, needs=("nodes.npy", "starts.npy")) == f"{graph / 'starts.npy'}: is not sealed"


def test_a_seal_that_names_what_no_graph_has_is_damage(graph: Path) -> None:
    (graph / "other").write_bytes(b"")
    rows = sealed(graph) | {"other": [0, 0, 0]}
    (graph / graph_digests.FILE).write_bytes(msgspec.json.encode(rows))
    assert graph_digests.damage(graph) == f"{graph / 'other'}: is damaged"


@pytest.mark.parametrize("data", [b"", b"[]", b"no JSON", b'{"nodes.npy": 1}'])
def test_a_seal_that_says_nothing_is_damage(graph: Path, data: bytes) -> None:
    (graph / graph_digests.FILE).write_bytes(data)
    assert "cannot be read" in (graph_digests.damage(graph) or "")


def test_what_an_earlier_version_has_sealed_is_still_whole(graph: Path) -> None:
    assert sealed(graph)["nodes.npy"] == [5, 12307791059384485420, 18215888515255043483]
