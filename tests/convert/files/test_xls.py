"""Excel files of before 2007: a heading and a table for each sheet."""

from __future__ import annotations

from biff_files import xls
from compound_files import properties

from gossamer.convert import document


def test_sheets_are_headings_and_tables() -> None:
    page = document(xls({"Ages": [["Name", "Age"], ["Ännä", 7.0], ["Bob", 7.25]], "Empty": [], "More": [["x"]]}))
    assert page.media_type == "application/vnd.ms-excel"
    assert page.html == (
        "<h2>Ages</h2>\n<table>\n<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Ännä</td><td>7</td></tr>\n"
        "<tr><td>Bob</td><td>7.25</td></tr>\n</table>\n<h2>Empty</h2>\n<h2>More</h2>\n<table>\n<tr><td>x</td></tr>\n</table>"
    )
    assert page.problem == ""


def test_properties_are_those_of_the_file() -> None:
    about = properties(title="Budget", author="Ada", saved=1_000_000_000)
    page = document(xls({"S": [["x"]]}, **{"\x05SummaryInformation": about}))
    assert (page.title, page.author, page.modified) == ("Budget", "Ada", 1_000_000_000)


def test_a_damaged_workbook_has_a_problem() -> None:
    data = xls({"S": [["x"] * 200] * 20})
    page = document(data[: len(data) // 2])
    assert page.problem
