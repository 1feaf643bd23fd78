"""Places that are read as files: the members of an archive, and what is not on this machine."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import gossamer
from crawler_process import with_room
from gossamer.errors import InvalidPlan, InvalidURL, NotFound, NothingFetched, UsageError
from gossamer.fetch.local import archive, elsewhere
from gossamer.fetch.local.elsewhere import Place, about
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.frontier.why import AddressAnswer
from gossamer.plan import Plan
from gossamer.urls import keys, paths
from harness.everything import everything_in

OWL = "# The owl\n\nAn owl hears what it cannot see.\n"


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[gossamer.Collection]:
    with gossamer.open(with_room(tmp_path / "kept")) as collection:
        yield collection


@pytest.fixture
def far() -> Iterator[fsspec.AbstractFileSystem]:
    """A place that is no disk."""
    system = fsspec.filesystem("memory")
    system.pipe({"/shelf/heron.txt": b"The heron waits.", "/shelf/birds/owl.md": OWL.encode(), "/other.txt": b"no"})
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def visits(collection: gossamer.Collection, *places: str, **settings: object) -> dict[str, int]:
    """The names of the files that a run has visited, and what came of each."""
    told: dict[str, int] = {}
    collection.files(*places, told=lambda one: told.update({paths.name_of(one.url): one.status}), **settings)
    return told


def hits(collection: gossamer.Collection, question: str) -> list[str]:
    return [hit.url for hit in collection.search(question).hits]


def packed(path: Path, **members: str) -> str:
    """An archive as a place."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text)  # whose date is always the same
    return f"zip://{path}"


def test_the_members_of_an_archive_are_files_with_addresses(kept: gossamer.Collection, tmp_path: Path) -> None:
    heron = {"a heron?.txt": "The heron waits."}
    place = packed(tmp_path / "b.zip", **{"birds/owl.md": OWL, "../out.txt": "no", ".hidden": "no"}, **heron)
    assert visits(kept, place) == {"owl.md": 200, "a heron?.txt": 200}
    assert visits(kept) == {}
    assert hits(kept, "owl hears") == hits(kept, f"site:{place}/birds owl") == [f"{place}/birds/owl.md"]
    assert kept.page(f"{place}/a%20heron%3F.txt").page.text == "The heron waits."
    packed(tmp_path / "b.zip", **{"birds/owl.md": OWL}, **{"wren.txt": "Small and loud."})
    assert visits(kept) == {"wren.txt": 200, "a heron?.txt": 404}
    assert hits(kept, "heron") == []
    assert not kept.verify().problems


def tarred(path: Path, mode: str = "w", **members: str) -> str:
    """A TAR file as a place, whose members have one date."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # the mode is a str
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return f"tar://{path}"


def test_the_members_of_a_tar_file_are_files_too(kept: gossamer.Collection, tmp_path: Path) -> None:
    path, mode = tmp_path / "b.tar", "w:gz"
    members = {"birds/owl.md": OWL, "../out.txt": "no", ".hidden": "no", "/a heron?.txt": "The heron waits."}
    place = tarred(path, mode, **members)
    assert visits(kept, place) == {"owl.md": 200, "a heron?.txt": 200}
    assert visits(kept) == {}
    assert hits(kept, "owl hears") == [f"{place}/birds/owl.md"]
    tarred(path, mode, **members | {"/a heron?.txt": "The heron goes. "}, **{"wren.txt": "Small and loud."})
    assert visits(kept) == {"wren.txt": 200, "a heron?.txt": 200}  # of the same length and date, and yet another one
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert visits(kept) == {}
    assert len(hits(kept, "owl OR heron OR loud")) == 3
    tarred(path, mode, **{"birds/owl.md": OWL})
    assert visits(kept) == {"wren.txt": 404, "a heron?.txt": 404}
    assert [each.name for each in kept.path.iterdir() if each.name.startswith("tmp")] == []
    assert not kept.verify().problems


def test_of_a_tar_file_that_is_a_bomb_what_fits_is_read(
    kept: gossamer.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(archive, "UNPACKED_MOST", 1 << 20)
    place = tarred(tmp_path / "b.tgz", "w:gz", **{"owl.md": OWL, "bomb.txt": "x" * (8 << 20), "wren.txt": "Small."})
    assert visits(kept, place)["owl.md"] == 200
    assert "only the first" in caplog.text
    assert hits(kept, "owl") == [f"{place}/owl.md"]


def test_an_archive_behind_a_link_is_that_which_the_link_leads_to(kept: gossamer.Collection, tmp_path: Path) -> None:
    packed(tmp_path / "b.zip", **{"owl.md": OWL})
    (tmp_path / "link.zip").symlink_to("b.zip")
    assert visits(kept, f"zip://{tmp_path}/link.zip") == {"owl.md": 200}
    assert hits(kept, "owl") == [f"zip://{tmp_path}/b.zip/owl.md"]


def test_a_place_is_read_once_and_then_what_has_changed(
    kept: gossamer.Collection, far: fsspec.AbstractFileSystem
) -> None:
    assert visits(kept, "memory://shelf/") == {"heron.txt": 200, "owl.md": 200}
    assert visits(kept) == {}
    far.pipe("/shelf/heron.txt", b"The heron has caught a perch.")
    far.pipe(
        "/shelf/birds/wren.html", b"<p>Small. <a href='memory://other.txt'>x</a> <a href='http://127.0.0.1:9/'>y</a>"
    )
    far.rm("/shelf/birds/owl.md")
    assert visits(kept) == {"heron.txt": 200, "wren.html": 200, "owl.md": 404}
    assert (hits(kept, "perch"), hits(kept, "owl hears")) == (["memory://shelf/heron.txt"], [])
    assert kept.status().pages == 2  # links lead nowhere
    versions = kept.history("memory://shelf/birds/owl.md")
    assert [each.status for each in versions] == [200, 404]


def test_a_place_that_does_not_answer_loses_nothing(
    kept: gossamer.Collection, far: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits(kept, "memory://shelf")
    far.pipe("/shelf/a.txt", b"A magpie.")
    listed = type(far).ls

    def half(self: fsspec.AbstractFileSystem, path: str, **words: object) -> object:
        if path.endswith("birds"):
            raise RuntimeError("GET https://host/birds?signature=topsecret failed")
        return listed(self, path, **words)

    monkeypatch.setattr(type(far), "ls", half)
    assert visits(kept) == {"a.txt": 200}  # what is told is read
    assert hits(kept, "owl hears") == ["memory://shelf/birds/owl.md"]  # and what is not told is not gone
    monkeypatch.undo()
    far.rm("/shelf", recursive=True)
    assert visits(kept) == {}
    assert hits(kept, "heron") == ["memory://shelf/heron.txt"]


def test_no_parameter_of_an_address_is_repeated() -> None:
    def fail() -> None:
        raise RuntimeError("GET https://me:secret@host/birds?signature=secret failed")

    with pytest.raises(OSError, match=r"RuntimeError: GET https://\.\.\.@host/birds\?\.\.\. failed"):
        elsewhere._translated(fail)


def test_why_tells_of_files_elsewhere(kept: gossamer.Collection, far: fsspec.AbstractFileSystem) -> None:
    visits(kept, "memory://shelf")
    answer = kept.why("memory://shelf/heron.txt")
    assert isinstance(answer, AddressAnswer)
    assert answer.state == "done"
    with pytest.raises(NotFound, match="not there when the place was listed"):
        kept.why("memory://shelf/none.txt")
    with pytest.raises(NotFound, match="outside the folders"):
        kept.why("memory://other.txt/x")


def test_disks_and_places_go_together(
    kept: gossamer.Collection, far: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "wren.txt").write_text("Small and loud.")
    told = visits(kept, "memory://shelf/birds", str(tmp_path / "wren.txt"), "memory://shelf/heron.txt")
    assert told == {"owl.md": 200, "wren.txt": 200, "heron.txt": 200}
    assert visits(kept, exclude=("heron",)) == {"heron.txt": 410}


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("s3://key:secret@bucket/x", "without passwords"),
        ("s3://bucket/x?signature=secret", "without passwords"),
        ("s3:///x", "names no place"),
        ("zip://b.zip", "names no place"),
        ("sftp://host/x", "gossamer crawl"),
        ("https://host/x", "gossamer crawl"),
    ],
)
def test_what_is_no_place_is_said_and_no_secret_repeated(kept: gossamer.Collection, place: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        kept.files(place)
    assert "secret" not in str(caught.value)
    if "secret" in place:
        with pytest.raises(InvalidPlan) as refused:
            Plan(folders=(place,))
        assert "signature=secret" not in str(refused.value)
        assert "key:secret" not in str(refused.value)


def test_a_place_is_not_crawled_and_not_watched(kept: gossamer.Collection, far: fsspec.AbstractFileSystem) -> None:
    with pytest.raises(InvalidURL, match="gossamer files DIR s3://"):
        kept.crawl("s3://bucket/x")
    with pytest.raises(UsageError, match="on this machine alone"):
        kept.files("memory://shelf", watch=True)


def test_what_fsspec_needs_for_a_place_is_named(kept: gossamer.Collection) -> None:
    with pytest.raises(UsageError, match="Please install lakefs-spec"):
        kept.files("lakefs://repository/main")
    assert "lakefs" not in (kept.path / "plan.toml").read_text()


def test_an_encrypted_member_is_not_to_be_read(kept: gossamer.Collection, tmp_path: Path) -> None:
    place = packed(tmp_path / "b.zip", **{"owl.md": OWL}, **{"wren.txt": "Small and loud."})
    octets = bytearray((tmp_path / "b.zip").read_bytes())
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        octets[octets.index(mark) + flags] |= 1
    (tmp_path / "b.zip").write_bytes(octets)
    assert visits(kept, place) == {"owl.md": 410, "wren.txt": 200}


def test_members_that_are_named_oddly_are_read_and_cost_no_others(
    kept: gossamer.Collection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    deep = "/".join(["a"] * 300)
    place = packed(
        tmp_path / "b.zip", **{"./owl.md": OWL, "x//wren.txt": "Small.", f"{deep}/tit.txt": "Blue.", "W.txt": "?"}
    )
    octets = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(octets.replace(b"W.txt", b"\xff.txt"))
    assert {"owl.md": 200, "wren.txt": 200}.items() <= visits(kept, place).items()
    assert kept.page(f"{place}/x/wren.txt").page.text == "Small."
    packed(tmp_path / "b.zip", **{"../out.txt": "no", "owl.md": OWL})
    visits(kept)
    assert "leads out of the archive" in caplog.text


def test_an_archive_that_is_cut_off_loses_nothing(kept: gossamer.Collection, tmp_path: Path) -> None:
    place = packed(tmp_path / "b.zip", **{"owl.md": OWL, "wren.txt": "Small and loud."})
    visits(kept, place)
    whole = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(whole[: whole.index(b"wren.txt")])
    visits(kept)
    assert hits(kept, "loud") == [f"{place}/wren.txt"]
    (tmp_path / "b.zip").write_bytes(b"")
    visits(kept)
    assert len(hits(kept, "owl OR loud")) == 2


def test_what_fsspec_knows_of_keys_is_found_nowhere(
    kept: gossamer.Collection,
    far: fsspec.AbstractFileSystem,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A place that repeats the key that it was given, as signed addresses do."""
    monkeypatch.setitem(fsspec.config.conf, "memory", {"key": "hush-horse"})
    given: list[object] = []

    def closed(system: fsspec.AbstractFileSystem, *_: object, **words: object) -> bytes:
        given.append(system.storage_options["key"])
        raise ValueError(f"403 of https://far.example/shelf?key={system.storage_options['key']}")

    monkeypatch.setattr(type(far), "cat_file", closed)
    with pytest.raises(NothingFetched):
        kept.files("memory://shelf")
    assert given == ["hush-horse"] * 2
    held = [*everything_in(kept.path), ("log", caplog.text.encode())]
    assert any(b"403 of" in data for _, data in held)
    assert not [name for name, data in held if b"hush-horse" in data]


def test_hosts_that_an_address_names_are_not_asked(kept: gossamer.Collection) -> None:
    with pytest.raises(UsageError, match="gossamer files DIR"):
        kept.files("webhdfs://127.0.0.1:1/x")


def test_what_a_place_tells_of_a_file_is_one_validator_however_it_says_it() -> None:
    listed = about({"ETag": '"abc"', "LastModified": "2026-03-01T10:00:00+00:00", "size": 3})
    assert listed == about({"etag": "abc", "last_modified": 1772359200, "size": 3})
    assert listed.validator != about({"etag": "abd", "last_modified": 1772359200, "size": 3}).validator
    assert listed.changed == 1772359200
    assert about({"size": 3}).validator == ""  # such a file is read each time


def test_circles_of_folders_end(far: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    def around(_: object, path: str, **words: object) -> list[dict[str, object]]:
        return [{"name": f"{path}/again", "type": "directory"}, {"name": f"{path}/a.txt", "type": "file", "size": 1}]

    monkeypatch.setattr(type(far), "ls", around)
    place = Place(b"memory://shelf", 10.0)
    found = list(place.files(b"memory://shelf", Ignoring((b"memory://shelf",)), lambda folder, error: None))
    assert len(found) == elsewhere.DEEPEST + 1
    place.close()


@pytest.mark.parametrize(
    "url", ["s3://bucket/", "s3://bucket/a%20b/c", "zip:///home/me/a.zip/b", "abfs://in@acc.net/x"]
)
def test_addresses_of_places_have_one_form_and_a_row(url: str) -> None:
    assert paths.canonical(url) == url == keys.url_of(keys.row(url))
    assert paths.address_of(paths.path_of(url)) == url
    assert keys.is_shaped(url)
