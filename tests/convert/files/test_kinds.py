"""A file is known by what is in it, whatever it is called."""

from __future__ import annotations

import pytest
from office_files import docx, epub, odf, pptx, shape, xlsx, zipped

from gossamer.convert import document, read
from gossamer.model import Capture, Visit

OFFICE = "application/vnd.openxmlformats-officedocument"
OPEN = "application/vnd.oasis.opendocument"
DOCX, XLSX = f"{OFFICE}.wordprocessingml.document", f"{OFFICE}.spreadsheetml.sheet"
PPTX = f"{OFFICE}.presentationml.presentation"
WORD = docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>")
FILES = [
    (WORD, DOCX),
    (xlsx({"S": ""}), XLSX),
    (pptx([shape("x")]), PPTX),
    (odf("text", ""), f"{OPEN}.text"),
    (odf("spreadsheet", ""), f"{OPEN}.spreadsheet"),
    (odf("presentation", ""), f"{OPEN}.presentation"),
    (epub({"a": "x"}), "application/epub+zip"),
    (zipped({"a.txt": "x"}), "application/zip"),
    (b'{"cells": [], "nbformat": 4}', "application/x-ipynb+json"),
    (b'[{"a": 1}]', "application/json"),
    (b"From: a@b.c\nTo: d\nSubject: x\n\ntext", "message/rfc822"),
    (b"a,b\n1,2\n3,4\n", "text/csv"),
    (b"a\tb\n1\t2\n3\t4\n", "text/tab-separated-values"),
    (b"# Title\n\n- [a](http://b.example/)\n", "text/markdown"),
    (b"<?xml version='1.0'?><a>x</a>", "text/xml"),
    (b"Dear Bob,\nI am fine, thanks.\nYours, Ada", "text/plain"),
]


@pytest.mark.parametrize(("data", "kind"), FILES, ids=[kind for _, kind in FILES])
def test_no_type_is_needed(data: bytes, kind: str) -> None:
    assert document(data).media_type == kind


@pytest.mark.parametrize("said", ["application/zip", "application/octet-stream", "text/plain", XLSX, "image/png"])
def test_what_is_in_an_archive_says_more_than_its_type(said: str) -> None:
    page = document(WORD, said)
    assert (page.media_type, page.text) == (DOCX, "x")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("application/vnd.ms-word.document.macroEnabled.12", DOCX),
        (f"{OFFICE}.wordprocessingml.template", DOCX),
        ("application/vnd.ms-excel.sheet.macroenabled.12", XLSX),
        (f"{OFFICE}.presentationml.slideshow", PPTX),
        (f"{OPEN}.text-template", f"{OPEN}.text"),
        ("application/x-zip-compressed", "application/zip"),
    ],
)
def test_a_type_has_many_names(said: str, kind: str) -> None:
    data = next(data for data, of in FILES if of == kind)
    assert document(data, said).media_type == kind


@pytest.mark.parametrize(
    ("name", "said", "kind"),
    [
        ("a.csv", "application/octet-stream", "text/csv"),
        ("a.CSV?x=1", "text/plain; charset=utf-8", "text/csv"),
        ("a.md", "text/plain", "text/markdown"),
        ("a.eml", "application/octet-stream", "message/rfc822"),
        ("a.csv", "text/html", "text/html"),
        ("a.json", "text/csv", "text/csv"),
        ("a.csv", "application/postscript", "application/postscript"),
    ],
)
def test_the_name_helps_only_where_the_type_says_little(name: str, said: str, kind: str) -> None:
    assert document(b"just words", said, f"https://example.com/{name}").media_type == kind


def test_an_archive_of_another_kind_stays_what_it_was_said_to_be() -> None:
    page = document(zipped({"META-INF/MANIFEST.MF": "x"}), "application/java-archive")
    assert (page.media_type, page.text) == ("application/java-archive", "")


def test_a_page_that_is_sent_as_a_file_is_a_page() -> None:
    page = document(b"<!doctype html><title>Sorry</title><p>Log in", DOCX)
    assert (page.media_type, page.title) == ("text/html", "Sorry")


def test_what_header_fields_say_holds_for_files_too() -> None:
    headers = (("content-type", DOCX), ("x-robots-tag", "noindex"), ("link", "<http://c.example/>; rel=canonical"))
    page = read(Capture(Visit("http://a.example/x"), 0.0, 0.1, 200, headers, body=WORD), "Gossamer")
    assert (page.text, page.noindex, page.canonical) == ("x", True, "http://c.example/")
    assert page.digest.startswith("sha256:")
