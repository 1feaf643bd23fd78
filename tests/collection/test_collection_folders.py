"""A collection of files of this machine: all are read at first, later what has changed; what is gone is not found."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gossamer
from crawler_process import gossamer_command, run_gossamer, with_room
from gossamer.errors import InvalidPlan, NotFound, NothingFetched, UsageError
from gossamer.frontier.why import AddressAnswer
from gossamer.plan import Plan
from gossamer.urls import paths
from harness.kills import descendants
from reference import reference

PATIENCE = 120.0


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Some files."""
    folder = tmp_path / "notes"
    (folder / "birds").mkdir(parents=True)
    (folder / "heron.txt").write_text("The heron stands in the water and waits.\n")
    (folder / "birds" / "owl.md").write_text("# The owl\n\nAn owl hears what it cannot see.\n")
    (folder / "birds" / "wren.html").write_text(
        "<title>The wren</title><p>Small and loud. <a href='file:///etc/passwd'>x</a> <a href='owl.md'>y</a>"
        " <a href='http://127.0.0.1:9/'>z</a></p>"
    )
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[gossamer.Collection]:
    with gossamer.open(with_room(tmp_path / "kept")) as collection:
        yield collection


def visits(collection: gossamer.Collection, *folders: Path, **settings: object) -> dict[str, int]:
    """The names of the files that a run has visited, and what came of each."""
    told: dict[str, int] = {}
    collection.files(*folders, told=lambda one: told.update({paths.name_of(one.url): one.status}), **settings)
    return told


def hits(collection: gossamer.Collection, question: str) -> list[str]:
    return [paths.name_of(hit.url) for hit in collection.search(question).hits]


def because(collection: gossamer.Collection, path: Path) -> str:
    answer = collection.why(str(path))
    assert isinstance(answer, AddressAnswer)
    return answer.reason


def test_the_first_run_reads_all_and_the_second_nothing(kept: gossamer.Collection, notes: Path) -> None:
    assert visits(kept, notes) == {"heron.txt": 200, "owl.md": 200, "wren.html": 200}
    assert hits(kept, "owl hears") == ["owl.md"]
    assert kept.page(str(notes / "birds" / "owl.md")).page.title == "The owl"
    assert visits(kept) == {}
    assert kept.status().pages == 3


def test_a_later_run_reads_what_has_changed_and_forgets_what_is_gone(kept: gossamer.Collection, notes: Path) -> None:
    visits(kept, notes)
    (notes / "heron.txt").write_text("The heron has caught a perch.\n")
    (notes / "birds" / "owl.md").rename(notes / "birds" / "barn-owl.md")
    (notes / "new.txt").write_text("A kingfisher.\n")
    (notes / "birds" / "wren.html").unlink()
    read = {"heron.txt": 200, "barn-owl.md": 200, "new.txt": 200, "owl.md": 404, "wren.html": 404}
    assert visits(kept) == read
    assert (hits(kept, "perch"), hits(kept, "owl hears"), hits(kept, "loud")) == (["heron.txt"], ["barn-owl.md"], [])
    assert because(kept, notes / "birds" / "wren.html") == "no such file"
    kinds = {paths.name_of(change.url): change.kind for change in kept.changes()}
    gone = {"owl.md": "gone", "wren.html": "gone"}
    assert kinds == {"heron.txt": "changed", "barn-owl.md": "new", "new.txt": "new", **gone}
    versions = kept.history(str(notes / "birds" / "wren.html"))
    assert [each.status for each in versions] == [200, 404]  # what it said is kept
    assert visits(kept) == {}
    assert not kept.verify().problems


def test_a_file_that_comes_back_is_found_again(kept: gossamer.Collection, notes: Path) -> None:
    heron = notes / "heron.txt"
    visits(kept, notes)
    shutil.move(heron, notes.parent / "aside.txt")
    visits(kept)
    assert hits(kept, "heron") == []
    shutil.move(notes.parent / "aside.txt", heron)
    assert visits(kept) == {"heron.txt": 200}
    assert hits(kept, "heron") == ["heron.txt"]


def test_what_is_ignored_from_now_on_leaves_the_index_and_comes_back(kept: gossamer.Collection, notes: Path) -> None:
    visits(kept, notes)
    (notes / ".gitignore").write_text("birds/\n")
    assert visits(kept) == {"owl.md": 410, "wren.html": 410}
    assert hits(kept, "owl") == []
    assert because(kept, notes / "birds" / "owl.md") == f"ignored by {notes}/.gitignore"
    assert visits(kept, ignore_files=False) == {"owl.md": 200, "wren.html": 200}
    assert hits(kept, "owl hears") == ["owl.md"]
    assert visits(kept, exclude=("wren",)) == {"wren.html": 410}
    assert because(kept, notes / "birds" / "wren.html") == "excluded by pattern wren"


def test_a_folder_that_is_not_mounted_loses_nothing(kept: gossamer.Collection, notes: Path) -> None:
    visits(kept, notes)
    notes.rename(notes.parent / "elsewhere")
    assert visits(kept) == {}
    assert hits(kept, "owl hears") == ["owl.md"]


def test_why_tells_what_became_of_a_file_that_was_never_read(kept: gossamer.Collection, notes: Path) -> None:
    (notes / ".gitignore").write_text("*.log\nbuild/\n")
    (notes / "x.log").write_text("x")
    (notes / "build" / "deep").mkdir(parents=True)
    (notes / "to-heron").symlink_to(notes / "heron.txt")
    os.mkfifo(notes / "pipe")
    visits(kept, notes)
    (notes / "later.txt").write_text("A kingfisher.\n")
    for name, words in {
        "x.log": "it is not read: ignored by",
        "build": "it is not read: ignored by",
        "build/deep/x": "it is not read: ignored by",
        ".hid": "it is not read: hidden",
        "/etc/passwd": "it is not read: outside",
        "to-heron": "it is not read: a link, and links are not followed",
        "pipe": "it is not read: a FIFO, and no regular file",
        "birds": "it is not read: a folder, and no regular file",
        "nothing": "it is not read: there is no such file",
        "heron.txt/inner.txt": "it is not read: no file of its own: .*heron.txt is read as one document",
        "later.txt": "the next `gossamer files .*kept` reads it",
    }.items():
        with pytest.raises(NotFound, match=f"not in the collection; {words}"):
            kept.why(str(notes / name))


def test_links_of_files_lead_nowhere(kept: gossamer.Collection, notes: Path) -> None:
    visits(kept, notes)
    assert {each.url for each in kept.addresses()} == {
        paths.address_of(os.fsencode(path)) for path in notes.rglob("*") if path.is_file()
    }


def test_names_of_any_bytes_can_be_asked_for(kept: gossamer.Collection, notes: Path) -> None:
    odd = os.fsdecode(b"caf\xe9 \n#?.txt")
    (notes / odd).write_text("An albatross.\n")
    visits(kept, notes)
    (hit,) = kept.search("albatross").hits
    assert hit.url.endswith("/caf%E9%20%0A%23%3F.txt")
    assert kept.page(str(notes / odd)).page.text == "An albatross."
    assert kept.page(hit.url).page.text == "An albatross."
    lines = io.BytesIO()
    kept.export("jsonl", lines)
    assert b"/caf%E9%20%0A%23%3F.txt" in lines.getvalue()
    assert not kept.verify().problems


def test_files_are_searched_by_folder_and_dated_by_their_change(kept: gossamer.Collection, notes: Path) -> None:
    os.utime(notes / "heron.txt", (1_000_000_000, 1_000_000_000))
    visits(kept, notes)
    answer = kept.search("the", facets=True)
    assert answer.facets is not None
    assert set(answer.facets["site"]) <= {"notes", "notes/birds"}
    assert hits(kept, "owl site:notes/birds") == ["owl.md"]
    assert hits(kept, f"owl site:{notes}/birds") == ["owl.md"]
    assert hits(kept, "owl site:notes/fish") == []
    (heron,) = kept.search("heron").hits
    assert heron.date == 1_000_000_000


def test_pictures_are_found_by_their_names(kept: gossamer.Collection, notes: Path) -> None:
    (notes / "cormorant.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    visits(kept, notes)
    assert hits(kept, "cormorant") == ["cormorant.png"]
    assert because(kept, notes / "cormorant.png") == "found by its name alone: files of its kind are not read"
    assert kept.page(str(notes / "cormorant.png")).page.problem == "a picture, which has no words to read"


def test_a_file_that_is_not_what_its_name_says_is_told_as_that(kept: gossamer.Collection, notes: Path) -> None:
    (notes / "noise.pdf").write_bytes(bytes(range(256)) * 4)
    with (notes / "hole.txt").open("wb") as hole:
        hole.truncate(3 << 30)
    (notes / "broken.docx").write_bytes(b"PK broken")
    visits(kept, notes)
    said = "found by its name alone: damaged, or not what its name says: nothing in it looks like"
    assert because(kept, notes / "noise.pdf") == f"{said} .pdf"
    assert because(kept, notes / "hole.txt") == f"{said} .txt"
    assert because(kept, notes / "broken.docx") == "not a ZIP archive"


def test_what_is_cut_says_so(kept: gossamer.Collection, notes: Path) -> None:
    (notes / "long.txt").write_text("word " * 1_000)
    visits(kept, notes, text_bytes=1_000)
    assert because(kept, notes / "long.txt") == "cut: 1,000 of its 5,000 bytes were read"


def test_letters_are_documents_though_they_are_text(kept: gossamer.Collection, notes: Path) -> None:
    letter = "From: a@example.org\nTo: b@example.org\nSubject: long\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\n"
    (notes / "letter").write_text(f"{letter}{'word ' * 1_000}heronry\n")
    visits(kept, notes, text_bytes=1_000)
    assert hits(kept, "heronry") == ["letter"]


def test_files_that_could_not_be_read_are_counted_and_listed_by_their_reasons(
    kept: gossamer.Collection, notes: Path
) -> None:
    for name, data in {"a.pdf": b"%PDF-1.4 no", "b.pdf": b"%PDF-1.4 none", "c.txt": b"", "d.txt": b"words"}.items():
        (notes / name).write_bytes(data)
    visits(kept, notes)
    assert kept.status().remarks == {"not a PDF file, or damaged": 2, "empty": 1}
    for reason, count in kept.status().remarks.items():
        assert len(list(kept.addresses(state="page", reason=reason))) == count
    (notes / "a.pdf").unlink()
    (notes / "c.txt").write_text("words")
    visits(kept, notes)
    assert kept.status().remarks == {"not a PDF file, or damaged": 1}
    assert kept.verify().problems == []
    told = run_gossamer("status", str(kept.path)).stdout
    assert told.endswith("\npages that are here, but:\n          1  not a PDF file, or damaged\n")


def test_nobody_else_may_enter_the_collection(tmp_path: Path, notes: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o755)
    with gossamer.open(folder) as collection:
        collection.files(notes, disk_pause=0, disk_pause_share=0)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        folder.chmod(0o755)
        collection.files()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_web_and_files_are_kept_apart(kept: gossamer.Collection, notes: Path, tmp_path: Path) -> None:
    visits(kept, notes)
    with pytest.raises(InvalidPlan, match="kept apart"):
        kept.add("https://example.org/")
    with pytest.raises(UsageError, match="is a collection of files"):
        kept.crawl()
    with pytest.raises(InvalidPlan, match="kept apart"):
        kept.crawl("https://example.org/", folders=("file:///etc",))
    with pytest.raises(InvalidPlan, match="must be an address like"):
        Plan(folders=("/etc",))
    web = with_room(tmp_path / "web")
    (web / "plan.toml").write_text('seeds = ["http://127.0.0.1:9/"]\n')
    with pytest.raises(UsageError, match="holds pages of the web"):
        gossamer.open(web).files(notes)


def test_files_of_this_machine_have_one_shard(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="read by one"):
        gossamer.open(tmp_path / "files").files(tmp_path, shards=2)


def test_what_cannot_be_meant_is_said_with_its_cure(kept: gossamer.Collection, notes: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        kept.files(notes / "none")
    with pytest.raises(UsageError, match="no folder; name one"):
        kept.files()
    with pytest.raises(UsageError, match="is the collection itself"):
        kept.files(kept.path)
    (notes.parent / "empty").mkdir()
    with pytest.raises(NothingFetched, match="no file that may be read"):
        kept.files(notes.parent / "empty")


def test_files_for_which_there_was_no_time_are_not_said_to_be_unreadable(
    kept: gossamer.Collection, notes: Path
) -> None:
    status = kept.files(notes, time=1e-6)
    assert status.pages == 0
    assert "`gossamer files DIR --set time=0` to the end" in status.held_by


def test_a_plan_of_somebody_else_reads_nothing_of_mine(tmp_path: Path, notes: Path) -> None:
    theirs = with_room(tmp_path / "theirs")
    with gossamer.open(theirs) as collection:
        collection.files(notes)
    mine = tmp_path / "mine"
    shutil.copytree(theirs, mine)
    (mine / "id").unlink()
    with gossamer.open(mine) as collection:
        with pytest.raises(UsageError, match="was made by somebody else"):
            collection.files()
        assert collection.files(trust_plan=True).pages == 3


def test_the_command_line_reads_asks_and_says_what_is_new(tmp_path: Path, notes: Path) -> None:
    folder = str(with_room(tmp_path / "kept"))
    first = run_gossamer("files", folder, str(notes))
    assert (first.returncode, first.stdout.split(",")[0]) == (0, "done: 3 pages")
    (notes / "heron.txt").write_text("It has flown.\n")
    again = run_gossamer("files", folder)
    assert "0 new, 1 changed, 0 gone" in again.stdout
    for words in (
        ("list", "--hosts"),
        ("status",),
        ("why", str(notes / "heron.txt")),
        ("changes",),
        ("search", "flown"),
    ):
        said = run_gossamer(words[0], folder, *words[1:])
        assert (said.returncode, said.stderr) == (0, ""), words
        assert "Traceback" not in said.stdout
    shown = run_gossamer("show", folder, str(notes / "heron.txt"))
    assert shown.stdout.endswith("It has flown.\n")
    assert run_gossamer("files", folder, str(notes / "none")).returncode == 2


def test_reference_documents_are_read_in_place(kept: gossamer.Collection) -> None:
    folder = reference("tika-docs")
    visits(kept, folder)
    assert kept.status().pages == sum(1 for path in folder.rglob("*") if path.is_file())
    assert hits(kept, "tika") != []


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    import subprocess

    notes, folder = tmp_path / "many", with_room(tmp_path / "kept")
    notes.mkdir()
    for number in range(600):
        (notes / f"{number}.txt").write_text(f"file number{number} of many\n")
    process = subprocess.Popen(
        gossamer_command("files", str(folder), str(notes), "-v"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    for _ in range(150):
        process.stderr.readline()
    for each in (*descendants(process.pid), process.pid):
        os.kill(each, 9)
    process.wait()
    process.stderr.close()
    with gossamer.open(folder) as collection:
        left = visits(collection)
        assert 0 < len(left) < 600
        assert collection.status().pages == 600
        assert hits(collection, "number599") == ["599.txt"]
        assert all(len(collection.history(str(notes / f"{number}.txt"))) == 1 for number in range(600))
        assert not collection.verify().problems


def test_a_watch_sees_what_changes(kept: gossamer.Collection, notes: Path) -> None:
    pytest.importorskip("watchfiles")

    async def until(is_so: Callable[[], bool]) -> None:
        patience = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < patience
            await asyncio.sleep(0.1)

    async def lived() -> None:
        stop, told = asyncio.Event(), list[tuple[str, int]]()
        watch = asyncio.create_task(
            kept.files_async(
                notes, watch=True, stop=stop, told=lambda one: told.append((paths.name_of(one.url), one.status))
            )
        )
        await until(lambda: len(told) == 3)
        (notes / "new.txt").write_text("A bittern.\n")
        await until(lambda: ("new.txt", 200) in told)
        (notes / "birds").rename(notes / "fowl")
        await until(lambda: told.count(("owl.md", 200)) == 2 and ("owl.md", 404) in told)
        (notes / ".ignore").write_text("new.txt\n")
        await until(lambda: ("new.txt", 410) in told)
        stop.set()
        await watch

    asyncio.run(lived())
    assert hits(kept, "owl hears") == ["owl.md"]
    assert hits(kept, "bittern") == []
    assert kept.status().failed == 3
