"""Excel files of before 2007: a heading and a table for each sheet."""

from __future__ import annotations

from struct import pack

from biff_files import xls
from compound_files import properties
from office_files import zipped

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


def binary(kind: int, data: bytes = b"") -> bytes:
    """A record of a binary workbook."""
    assert len(data) < 0x80
    return (bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])) + bytes([len(data)]) + data


def wide(text: str) -> bytes:
    return pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb(name: str, rows: list[list[str | float]]) -> bytes:
    """A binary workbook with one sheet."""
    cells = b""
    for number, row in enumerate(rows):
        cells += binary(0, pack("<II", number, 0) + bytes(9))
        for column, value in enumerate(row):
            place = pack("<II", column, 0)
            cells += binary(6, place + wide(value)) if isinstance(value, str) else binary(5, place + pack("<d", value))
    extent = binary(148, pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1))
    listed = binary(156, pack("<II", 0, 1) + wide("rId1") + wide(name))
    package, types = (
        "http://schemas.openxmlformats.org/package/2006",
        "http://schemas.openxmlformats.org/officeDocument/2006",
    )
    relation = f'<Relationship Id="rId1" Type="{types}/relationships/worksheet" Target="worksheets/sheet1.bin"/>'
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
            "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{package}/relationships">{relation}</Relationships>',
            "xl/workbook.bin": binary(131) + binary(143) + listed + binary(144) + binary(132),
            "xl/worksheets/sheet1.bin": binary(129) + extent + binary(145) + cells + binary(146) + binary(130),
        }
    )


def test_a_binary_workbook_is_read_as_the_others() -> None:
    page = document(xlsb("Ages", [["Name", "Age"], ["Ännä", 7.0]]), "application/vnd.ms-excel")
    assert page.media_type == "application/vnd.ms-excel.sheet.binary.macroenabled.12"
    assert page.text == "Ages\nName\tAge\nÄnnä\t7"
    assert page.problem == ""
    whole = xlsb("Ages", [["Name", "Age"], ["Ännä", 7.0]])
    for end in range(40, len(whole), 37):
        assert document(whole[:end], "application/vnd.ms-excel").problem


def test_a_damaged_workbook_has_a_problem() -> None:
    data = xls({"S": [["x"] * 200] * 20})
    page = document(data[: len(data) // 2])
    assert page.problem
