"""What a robots.txt says to us and which kinds of addresses a host has are told, within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import ROBOTS, RobotsRow, encode
from gossamer.frontier.host_details import KINDS_MOST, RULES_MOST, TEXT_MOST, RobotsFile, host_details
from gossamer.robots import Verdict, parse

A, OTHER = "http://a.example", "http://a.example.org"
FILE = b"""Crawl-delay: 9
User-agent: other
Disallow: /other
User-agent: Gossamer
Crawl-delay: 2.5
Disallow: /a*b$
Allow: /\xc3\xa9
Sitemap: /map.xml
User-agent: *
Disallow: /
"""


def noted(held: Books, body: bytes, verdict: Verdict = Verdict.RULES, origin: str = A) -> None:
    held.table.put(ROBOTS, origin.encode(), encode(RobotsRow(verdict.value, body, 5.0, 9.0, 0, 200, "as told")))


def robots_of(folder: Path, body: bytes, verdict: Verdict = Verdict.RULES) -> RobotsFile:
    with books(folder) as held:
        noted(held, body, verdict)
        noted(held, b"User-agent: *", origin=OTHER)
        held.table.commit()
        (file,) = host_details(held.table, "a.example", "Gossamer").robots
    return file


def test_the_rules_are_told_that_count_for_us(tmp_path: Path) -> None:
    assert robots_of(tmp_path, FILE) == RobotsFile(
        A,
        f"{len(FILE)} bytes of rules, Crawl-delay 2.5 s",
        (("Disallow", "/a*b$"), ("Allow", "/\xe9")),
        2.5,
        ("/map.xml",),
        FILE.decode(),
        5.0,
        9.0,
    )
    assert parse(FILE).written("Heron") == [("Disallow", "/")]
    assert parse(b"User-agent: other\nDisallow: /").written("Heron") == []


@pytest.mark.parametrize(
    ("verdict", "body"), [(Verdict.UNAVAILABLE, b""), (Verdict.UNREACHABLE, b""), (Verdict.RULES, b"")]
)
def test_where_there_is_no_file_that_alone_is_told(tmp_path: Path, verdict: Verdict, body: bytes) -> None:
    file = robots_of(tmp_path, body, verdict)
    assert file == RobotsFile(A, file.told)
    assert file.told


def test_of_a_file_that_a_program_has_made_the_beginning_is_told(tmp_path: Path) -> None:
    rules = b"".join(b"Disallow: /%06d\n" % number for number in range(RULES_MOST + 1))
    file = robots_of(tmp_path, b"User-agent: *\n" + rules + b"#" * 200_000)
    assert (len(file.rules), file.rules[-1]) == (1_000, ("Disallow", "/000999"))
    assert len(file.text) == TEXT_MOST == 100_000


def test_the_largest_kinds_of_all_origins_of_a_host_are_told_first(tmp_path: Path) -> None:
    names = [f"{one}{other}" for one in "abcdefgh" for other in "klmnopqr"]
    with books(tmp_path) as held:
        for scheme in ("http", "https"):
            noted(held, b"", origin=f"{scheme}://a.example")
            for place, name in enumerate(names):
                held.frontier.add(
                    Found(f"{scheme}://a.example/{name}/x{y}", 1, A) for y in "yz"[: 1 + (place % 4 == 0)]
                )
        held.frontier.sift()
        held.frontier.prepare()
        held.table.commit()
        kinds = host_details(held.table, "a.example", "Gossamer").kinds
    assert len(kinds) == KINDS_MOST == 50
    assert [*kinds] == sorted(kinds, key=lambda kind: (-kind.found, kind.name))
    assert max(kind.found for kind in kinds) == kinds[0].found > kinds[-1].found
