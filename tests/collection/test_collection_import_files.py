"""Which files can be imported is known by how they begin, and each content is one parcel."""

from __future__ import annotations

import gzip
import os
import struct
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import pytest

from foreign_files import page, plain, zipped
from gossamer.collection.imports import import_files
from gossamer.collection.imports.import_files import sort
from gossamer.errors import DamagedInput
from gossamer.store.foreign import arc, lenient_warc, trec
from gossamer.store.foreign.unpacking import Unpacking

WARC = plain([page("http://a.test/", "one"), page("http://b.test/", "two")])
RUBBISH = gzip.compress(b"rubbish and nothing else", mtime=0)
TREC = b"<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n"
ARC = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 10\n1 0 x\n\n\n\n"


def put(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def wacz(folder: Path, members: dict[str, bytes], method: int = ZIP_DEFLATED, name: str = "a.wacz") -> Path:
    with ZipFile(folder / name, "w", method) as file:
        for member, data in members.items():
            file.writestr(member, data)
    return folder / name


@pytest.mark.parametrize(
    ("data", "opening"),
    [
        (WARC, lenient_warc.OPENING),
        (b"\r\n\r\n" + WARC, lenient_warc.OPENING),
        (zipped([WARC]), lenient_warc.OPENING),
        (ARC, arc.OPENING),
        (TREC, trec.OPENING),
        (b"rubbish\n" + WARC, lenient_warc.OPENING),
        (b"rubbish\n" + TREC, trec.OPENING),
        (RUBBISH + zipped([WARC]), lenient_warc.OPENING),
    ],
)
def test_a_file_is_what_it_begins_with_or_goes_on_with_after_damage(
    data: bytes, opening: bytes, tmp_path: Path
) -> None:
    (import_file,), problems = sort([put(tmp_path, "any.name", data)])
    assert (import_file.opening, import_file.size, import_file.inside, import_file.name) == (
        opening,
        len(data),
        "",
        "any.name",
    )
    assert problems == ()


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    circle = tmp_path / "circle.warc"
    circle.symlink_to(circle)
    with pytest.raises(DamagedInput, match="cannot be read"):
        sort([circle], tmp_path / "web")


@pytest.mark.parametrize(
    "data", [b"", b"nothing at all", b"rubbish WARC/", RUBBISH, gzip.compress(b"rubbish\n" + WARC)]
)
def test_what_is_none_of_these_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(DamagedInput, match="neither WARC, ARC, WACZ nor TREC Web"):
        sort([put(tmp_path, "file", data)])


def test_only_the_first_packed_pieces_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_files, "_TRIES", 3)
    assert sort([put(tmp_path, "two", 2 * RUBBISH + zipped([WARC]))]).imported_files
    with pytest.raises(DamagedInput, match="neither"):
        sort([put(tmp_path, "three", 3 * RUBBISH + zipped([WARC]))])


def test_a_wacz_file_is_a_parcel_for_each_warc_file_in_it(tmp_path: Path) -> None:
    other = plain([page("http://c.test/", "three")])
    path = wacz(tmp_path, {"archive/a.warc": WARC, "pages/pages.jsonl": b"{}", "archive/B.WARC.GZ": zipped([other])})
    found, problems = sort([path])
    assert [(each.inside, each.size) for each in found] == [
        ("archive/a.warc", len(WARC)),
        ("archive/B.WARC.GZ", len(zipped([other]))),
    ]
    assert found[0].name == "a.wacz/archive/a.warc"
    assert problems == ()
    with found[0].open() as file:
        assert file.read() == WARC
    with found[1].open() as file:
        assert len(list(found[1].items(Unpacking(file), 1 << 20))) == 1


def test_a_member_that_cannot_be_read_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    (import_file,), (problem,) = sort([wacz(tmp_path, {"bad.warc": b"nothing", "good.warc": WARC}, ZIP_STORED)])
    assert import_file.inside == "good.warc"
    assert problem.startswith(f"{tmp_path}/a.wacz/bad.warc: cannot be read: ")


def test_a_zip_file_without_warc_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedInput, match="a ZIP file without WARC files"):
        sort([wacz(tmp_path, {"readme.txt": b"hello"})])


def test_a_member_that_is_packed_in_another_way_is_named(tmp_path: Path) -> None:
    path = wacz(tmp_path, {"a.warc": WARC}, ZIP_BZIP2)
    good = put(tmp_path, "good.warc", WARC)
    (import_file,), (problem,) = sort([path, good])
    assert import_file.path == good
    assert "packed in a way that is not read" in problem


def test_a_damaged_zip_file_a_missing_one_and_a_folder_are_named(tmp_path: Path) -> None:
    broken, folder, good = put(tmp_path, "broken", b"PK\3\4 and no more"), tmp_path / "folder", tmp_path / "good"
    folder.mkdir()
    put(tmp_path, "good", WARC)
    found, problems = sort([str(broken), folder, tmp_path / "missing", good])
    assert [each.path for each in found] == [good]
    assert [each.partition(": ")[2][:21] for each in problems] == [
        "a damaged ZIP or WACZ file: "[:21],
        "is a directory and no",
        "cannot be read: No such file"[:21],
    ]
    with pytest.raises(DamagedInput, match=r"damaged ZIP[^$]*no collection; name the files"):
        sort([broken, folder])
    assert sort([]) == ((), ())


def test_each_content_is_imported_once_also_from_within_a_wacz_file(tmp_path: Path) -> None:
    one = wacz(tmp_path, {"a.warc": WARC}, name="one.wacz")
    two = wacz(tmp_path, {"a.warc": WARC}, name="two.wacz")
    three = wacz(tmp_path, {"b.warc": WARC}, name="three.wacz")
    assert [each.path for each in sort([one, two, three]).imported_files] == [one, three]


def test_a_file_is_known_by_its_beginning_its_end_and_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_files, "_SAMPLE", 4_096)
    filler = os.urandom(20_000)
    marks = {
        sort([put(tmp_path, "file", data)]).imported_files[0].mark
        for data in (
            WARC + filler + WARC,
            WARC.replace(b"one", b"won") + filler + WARC,
            WARC + filler + WARC.replace(b"two", b"too"),
            WARC + filler + b"x" + WARC,
        )
    }
    assert len(marks) == 4
    middle = put(tmp_path, "file", WARC + filler[:10_000] + b"x" + filler[10_001:] + WARC)
    assert sort([middle]).imported_files[0].mark in marks  # nobody reads a terabyte to know it again


def test_a_name_that_is_no_text_is_shown_as_one(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.warc"))
    path.write_bytes(WARC)
    (import_file,), _ = sort([path])
    assert import_file.name.encode().endswith(b".warc")


def test_of_two_members_with_one_name_each_is_imported(tmp_path: Path) -> None:
    path, other = tmp_path / "a.wacz", plain([page("http://c.test/", "three")])
    with ZipFile(path, "w") as file:
        file.writestr("archive/a.warc", WARC)
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("archive/a.warc", other)
    found, problems = sort([path])
    read = []
    for each in found:
        with each.open() as member:
            read.append(member.read())
    assert (read, problems) == ([WARC, other], ())


def test_the_directory_of_a_wacz_file_is_not_read_for_each_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {f"archive/{number}.warc": plain([page(f"http://a.test/{number}", "one")]) for number in range(50)}
    found, _ = sort([wacz(tmp_path, members)])
    read: list[None] = []
    whole = ZipFile._RealGetContents  # type: ignore[attr-defined]  # where the library reads it
    monkeypatch.setattr(ZipFile, "_RealGetContents", lambda self: (read.append(None), whole(self)))
    for each in found:
        with each.open() as member, each.open() as again:
            assert again.read() == member.read() == members[each.inside]
    assert len(read) == 1


def test_a_wacz_file_that_was_replaced_meanwhile_is_not_read_by_its_old_directory(tmp_path: Path) -> None:
    (one, two), _ = sort([wacz(tmp_path, {"a.warc": WARC, "b.warc": plain([page("http://c.test/", "three")])})])
    with one.open() as member:
        assert member.read() == WARC
    (tmp_path / "a.wacz").unlink()
    wacz(tmp_path, {"a.warc": WARC})
    with pytest.raises(BadZipFile, match="import it again"), two.open():
        pass


def test_a_file_that_is_mostly_holes_is_not_read(tmp_path: Path) -> None:
    path = put(tmp_path, "a.warc", WARC)
    os.truncate(path, 1 << 40)
    with pytest.raises(DamagedInput, match="mostly holes"):
        sort([path])


def test_the_directory_of_a_zip_file_is_not_believed(tmp_path: Path) -> None:
    size = 1 << 30
    end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, 4)
    end += struct.pack("<4sIQI", b"PK\6\7", 0, size + 4, 1)
    end += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path = put(tmp_path, "a.wacz", b"PK\3\4")
    os.truncate(path, size + 4)
    with path.open("ab") as file:
        file.write(end)
    with pytest.raises(DamagedInput, match="directory has more than 16 MiB"):
        sort([path])
