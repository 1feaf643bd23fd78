"""What comes out of CSV, JSON, notebooks, XML and plain text."""

from __future__ import annotations

import json
import re

import pytest

from gossamer import tagged
from gossamer.convert import document
from gossamer.convert.files.text.csv import delimiter_of
from gossamer.model import Page


def test_a_csv_file_is_a_table() -> None:
    page = document('Name;"Ort; Land"\nAnna;"Köln\nDeutz"\n\nBob;\n'.encode(), "text/csv; charset=utf-8")
    assert (page.media_type, page.encoding, page.problem) == ("text/csv", "UTF-8", "")
    assert page.html == (
        "<table>\n<tr><th>Name</th><th>Ort; Land</th></tr>\n<tr><td>Anna</td><td>Köln Deutz</td></tr>\n"
        "<tr><td>Bob</td><td></td></tr>\n</table>"
    )


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [("a,b\n1,2", ","), ("a;b\n1,5;2,5\n", ";"), ("a\tb,c\n1\t2", "\t"), ("a|b\nc|d", "|"), ("", ","), ("x\ny", ",")],
)
def test_the_delimiter_is_the_sign_that_all_lines_have(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


def test_a_table_of_numbers_has_no_names_of_columns() -> None:
    assert document(b"1,2\n3,4\n", "text/csv").html.count("<th>") == 0


def test_tabs_separate_even_where_there_are_more_commas() -> None:
    assert document(b"a,b,c\td\n", "text/tab-separated-values").text == "a,b,c\td"


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
@pytest.mark.parametrize("quote", ['"', ""])
def test_a_cell_of_any_length_is_read_and_all_rows_after_it(quote: str, delimiter: str) -> None:
    long = "heron " * 30_000 + (f'said ""no""{delimiter}\nand owl' if quote else "wades")
    rows = ["name,text", "a,b", f"one,{quote}{long}{quote}", "", f'{quote}last ""{quote},row', f'"{"owl " * 40_000}']
    page = document("\n".join(rows).replace(",", delimiter).encode(), "text/csv")
    cells = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in page.html.split("<tr>")[1:]]
    said = f'said "no"{delimiter} and owl' if quote else "wades"
    assert (page.problem, cells[1], cells[2][0]) == ("", ["a", "b"], "one")
    assert tagged.plain(cells[2][1]).split()[29_998:] == ["heron", "heron", *said.split()]
    assert cells[-2:] == [[f'last "{"" if quote else chr(34)}', "row"], [("owl " * 40_000).strip()]]


def test_json_is_an_outline() -> None:
    page = document(b'{"title": "T", "n": 1.50, "list": ["a", null, {"b": true}], "empty": {}}')
    assert (page.media_type, page.title) == ("application/json", "T")
    assert page.html.replace("\n", "") == (
        "<ul><li>title: T</li><li>n: 1.5</li><li>list<ul><li>a</li><li>null</li><li>3<ul><li>b: true</li></ul>"
        "</li></ul></li><li>empty</li></ul>"
    )


def test_lines_of_json_are_a_list() -> None:
    assert document(b'{"a": 1}\n{"a": 2}\n', "application/json").text == "1\na: 1\n2\na: 2"
    assert document(b'{"a": 1}', "application/geo+json").text == "a: 1"


def test_json_that_is_none_is_text_with_a_problem() -> None:
    page = document(b'{"a": [1, 2', "application/json")
    assert page.text == '{"a": [1, 2'
    assert page.problem.startswith("not JSON")


def test_json_nested_without_end_is_bounded() -> None:
    page = document(b"[" * 100_000 + b"]" * 100_000, "application/json")
    assert "nested too deeply" in page.problem
    deep = document(b'{"a":' * 500 + b"1" + b"}" * 500, "application/json")
    assert deep.text.split("\n")[-1] == "a: 1"


def cell(kind: str, source: object, **more: object) -> dict[str, object]:
    return {"cell_type": kind, "source": source, **more}


def notebook(*cells: object, **more: object) -> Page:
    return document(json.dumps({"cells": cells, "nbformat": 4, **more}).encode())


def test_a_notebook_is_text_and_code_and_what_was_printed() -> None:
    outputs = [
        {"output_type": "stream", "text": ["1\n", "2\n"]},
        {"data": {"image/png": "iVBO", "text/plain": "<Figure>"}},
        {"data": {"text/plain": "42"}},
    ]
    page = notebook(
        cell("markdown", ["# Title\n", "Some *words*"]), cell("code", "print(1)\nprint(2)", outputs=outputs)
    )
    assert (page.media_type, page.title) == ("application/x-ipynb+json", "Title")
    assert page.html == (
        "<h1>Title</h1>\n<p>Some <em>words</em></p>\n<pre>print(1)\nprint(2)</pre>\n<pre>1\n2</pre>\n<pre>42</pre>"
    )


def test_a_notebook_that_is_written_wrongly_is_read_as_far_as_it_goes() -> None:
    assert notebook(7, None, cell("code", None), cell("markdown", 3), cell("raw", "x"), metadata=[]).text == "x"
    assert document(b'{"cells": [], "nbformat": 4, ', "application/x-ipynb+json").problem.startswith("not JSON")


def test_xml_is_the_text_of_its_elements() -> None:
    data = "<?xml version='1.0' encoding='ISO-8859-1'?><d><title>Été</title><p>One <b>big</b> word</p><e/>tail</d>"
    page = document(data.encode("latin-1"), "application/xml")
    assert (page.title, page.encoding) == ("Été", "windows-1252")
    assert page.html == "<p>Été</p>\n<p>One big word</p>\n<p>tail</p>"


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "windows-1251", "Shift_JIS", "KOI8-R"])
def test_xml_is_read_in_any_encoding(encoding: str) -> None:
    data = f"<?xml version='1.0' encoding='{encoding}'?><d>Мир</d>".encode(encoding)
    assert document(data, "application/xml").text == "Мир"


def test_xml_that_ends_early_is_read_to_its_end() -> None:
    page = document(b"<a><b>one</b><b>tw", "application/xml")
    assert page.text == "one\ntw"
    assert "not well-formed" in page.problem


def test_plain_text_is_paragraphs() -> None:
    page = document(
        b"A title\n\nOne line that was wrapped where the page ended, as in mail\nof old.\n\nRoses\nViolets\n"
    )
    assert (page.media_type, page.encoding) == ("text/plain", "windows-1252")
    assert page.html == (
        "<p>A title</p>\n<p>One line that was wrapped where the page ended, as in mail of old.</p>\n"
        "<p>Roses<br>Violets</p>"
    )


def test_what_is_set_with_spaces_stays_as_it_is() -> None:
    assert document(b"Name   Age\nAnna     7\n").html == "<pre>Name   Age\nAnna     7</pre>"
