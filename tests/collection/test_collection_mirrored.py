"""Which hosts serve the same site, by the graph that counts now, whatever happens to it while it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gossamer.collection.derive import graph_digests, mirrored
from gossamer.collection.folder import Folder

MIRRORS = [["http://a.test", ["http://b.test:8080", "https://c.test"], 9, 8], ["http://d.test", [], 1, 1]]


@pytest.fixture(autouse=True)
def _unsealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_digests, "damage", lambda place: None)


def graph(folder: Path, name: str = "000001", mirrors: object = MIRRORS) -> Folder:
    """One that counts."""
    place = folder / "graph" / name
    place.mkdir(parents=True)
    if mirrors is not None:
        (place / "mirrors.json").write_text(mirrors if isinstance(mirrors, str) else json.dumps(mirrors))
    (folder / "graph" / "current").write_text(f"{name}\n")
    return Folder(folder)


def test_hosts_are_named_without_schemes_the_main_one_first(tmp_path: Path) -> None:
    assert mirrored.by_host(graph(tmp_path)) == {"a.test": ["b.test", "c.test"], "d.test": []}


def test_without_a_graph_or_in_one_of_before_there_are_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert mirrored.by_host(Folder(tmp_path)) == {}
    assert mirrored.by_host(graph(tmp_path, mirrors=None)) == {}
    assert caplog.text == ""


@pytest.mark.parametrize("name", ["", "12345", "0000000001", "../000001", "000001x", "000002", "\udcff"])
def test_what_names_no_graph_of_ours_leads_nowhere(tmp_path: Path, name: str) -> None:
    folder = graph(tmp_path)
    (folder.graph / "current").write_bytes(name.encode("utf-8", "surrogateescape"))
    assert mirrored.pointed(folder) is None
    (folder.graph / "current").write_text("000001")
    assert mirrored.pointed(folder) == folder.graph / "000001"


@pytest.mark.parametrize("mirrors", ["", "[", '[["a"]]', [["no host", [], 1, 1]], [["http://a.test", ["b c"], 1, 1]]])
def test_mirrors_that_are_none_are_a_damaged_graph_and_the_cure_is_named(
    tmp_path: Path, mirrors: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert mirrored.by_host(graph(tmp_path, mirrors=mirrors)) == {}
    assert f"`gossamer build {tmp_path}`" in caplog.text


def test_a_graph_whose_seal_is_broken_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(graph_digests, "damage", lambda place: f"{place}: is cut")
    assert mirrored.by_host(graph(tmp_path)) == {}
    assert "is cut; there is no graph until" in caplog.text


def test_a_graph_that_another_one_has_replaced_meanwhile_is_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = graph(tmp_path, "000001", mirrors=[])

    def damage(place: Path) -> str | None:
        if place.name == "000002":
            return None
        graph(tmp_path, "000002")
        return "its files are going"

    monkeypatch.setattr(graph_digests, "damage", damage)
    assert mirrored.by_host(folder).keys() == {"a.test", "d.test"}
    assert caplog.text == ""
