"""Names in a folder of a server become a page of links, and no folder is too long."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.fetch.protocols import listing
from gossamer.fetch.protocols.deadlines import Course
from gossamer.fetch.protocols.listing import Listing, by_columns, is_named


class Heard(Course):
    """Only hears how far it is."""

    def __init__(self) -> None:
        super().__init__()
        self.octets: list[tuple[str, int]] = []

    def came(self, octets: int) -> None:
        self.octets.append(("came", octets))

    def wait_for_room(self, octets: int) -> None:
        self.octets.append(("room", octets))


def test_files_and_folders_are_links_and_nothing_else_is() -> None:
    found = Listing("/pub/", Heard())
    for kind, name in (("file", "a b"), ("dir", "c"), ("", "link"), ("dir", "."), ("dir", ".."), ("file", "\xe4")):
        assert found.take("line", kind, name)
    said = found.said()
    assert said.body.decode().split("\n") == ["# /pub/", "=> ./a%20b a b", "=> ./c/ c/", "=> ./%E4 \xe4"]
    assert (said.status, said.headers) == (200, (("content-type", "text/gemini; charset=utf-8"),))


def test_each_line_is_told_with_its_end_and_waits_for_the_room_of_what_is_written() -> None:
    course = Heard()
    Listing("/", course).take("12345", "file", "a")
    assert course.octets == [("came", 6), ("room", 24)]


@pytest.mark.parametrize(
    ("bound", "most", "taken"), [("NAMES_MOST", 3, 2), ("LINES_MOST", 3, 3), ("LIST_MOST", 12, 2), ("LIST_MOST", 11, 1)]
)
def test_a_folder_is_read_as_far_as_its_bound(bound: str, most: int, taken: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(listing, bound, most)
    found = Listing("/", Heard())
    assert [found.take("12345", "file", str(each)) for each in range(taken + 1)] == [True] * taken + [False]


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("drwxr-xr-x  2 me us 4096 Jan  1 12:00 pub", "dir", "pub"),
        ("-rw-r--r--+ 1 me us 12 Jan 1 2024 a b", "file", "a b"),
        ("lrwxrwxrwx 1 me us 12 Jan 1 2024 x -> y", "", "x -> y"),
        ("01-31-24  09:00AM  <DIR>  pub", "dir", "pub"),
        ("01-31-2024 21:00 123 a.txt", "file", "a.txt"),
        ("total 12", "", ""),
    ],
)
def test_lines_for_people_are_read_as_unix_and_dos_write_them(line: str, kind: str, name: str) -> None:
    assert by_columns(line) == (kind, name)


@pytest.mark.parametrize(
    ("path", "may"),
    [("/a/b", True), ("/a..b", True), ("/a/../b", False), ("..", False), ("/a\nb", False), ("/\0", False)],
)
def test_no_name_leaves_its_folder_or_the_line(path: str, may: bool) -> None:
    assert is_named(path) == may
