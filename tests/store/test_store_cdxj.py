"""The index is what pywb would have made of the same files."""

from __future__ import annotations

import io
import json
import random

import pytest
from store_samples import BEGAN

from gossamer.store.cdxj import Entry, line, write_sorted
from gossamer.store.warc.warc import Place

PLACE = Place("gossamer-20261115000000-00000.warc.gz", 343, 362, "uuid")


def test_a_line_has_key_time_and_the_words_of_pywb() -> None:
    entry = Entry("http://www.example.com/a?b=1", BEGAN, "text/plain", "text/html", 200, "sha256:00", PLACE)
    key, stamp, told = line(entry).split(" ", 2)
    assert (key, stamp) == ("com,example)/a?b=1", "20261115000000")
    assert json.loads(told) == {
        "url": "http://www.example.com/a?b=1",
        "mime": "text/plain",
        "mime-detected": "text/html",
        "status": "200",
        "digest": "sha256:00",
        "length": "362",
        "offset": "343",
        "filename": "gossamer-20261115000000-00000.warc.gz",
    }


def test_a_revisit_is_marked_and_has_its_status() -> None:
    entry = Entry("http://example.com/", BEGAN, "text/html", "text/html", 200, "sha256:00", PLACE, revisit=True)
    told = json.loads(line(entry).split(" ", 2)[2])
    assert (told["mime"], told["mime-detected"], told["status"]) == ("warc/revisit", "text/html", "200")


def test_a_type_that_no_server_named_is_unknown() -> None:
    entry = Entry("http://example.com/", BEGAN, "", "text/html", 200, "sha256:00", PLACE)
    assert json.loads(line(entry).split(" ", 2)[2])["mime"] == "unk"


@pytest.mark.parametrize("budget", [1, 500, 10_000, 1 << 20])
def test_lines_are_sorted_by_bytes_however_little_memory_there_is(budget: int) -> None:
    rng = random.Random(budget)
    lines = [f"com,example)/{rng.choice('aZ~%é字')}{rng.randrange(40)} {rng.randrange(9)}" for _ in range(300)]
    out = io.BytesIO()
    write_sorted(iter(lines), out, sort_bytes=budget)
    assert out.getvalue().splitlines() == sorted(text.encode() for text in lines)


def test_no_lines_make_an_empty_index() -> None:
    out = io.BytesIO()
    write_sorted([], out)
    assert out.getvalue() == b""
