"""A table of broken addresses: a row for each link to one, and one for an address that nobody links to."""

from __future__ import annotations

import csv
import io

from gossamer.collection.ask.broken import Broken, Source
from gossamer.collection.ask.broken_table import BrokenTable

URL, PAGE = "http://a.test/", "http://b.test/"


def test_every_row_has_the_columns_of_the_head() -> None:
    out = io.StringIO()
    table = BrokenTable(out)
    table.add(Broken(URL, "http 404", 404, None, False, (Source(PAGE, "here"), Source(PAGE, "there", URL))))
    table.add(Broken(URL, "timeout", 0, 5.0, True, ()))
    head, *rows = csv.reader(io.StringIO(out.getvalue()))
    assert rows == [
        [URL, "http 404", "404", "no", PAGE, "here", "", ""],
        [URL, "http 404", "404", "no", PAGE, "there", URL, ""],
        [URL, "timeout", "", "yes", "", "", "", "1970-01-01T00:00:05Z"],
    ]
    assert len(head) == 8
