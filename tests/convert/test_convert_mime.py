"""MIME types mean what browsers think they mean."""

from __future__ import annotations

import json

import pytest

from gossamer.convert.type import mime
from gossamer.convert.type.sniff import media_type, wants_no_sniffing
from reference import reference


def _cases(name: str) -> list[dict[str, object]]:
    cases = json.loads((reference("wpt-mime") / name).read_text())
    return [case for case in cases if isinstance(case, dict)]


@pytest.mark.parametrize("name", ["mime-types.json", "generated-mime-types.json"])
def test_every_type_of_the_reference_is_parsed_and_written_as_there(name: str) -> None:
    wrong = []
    for case in _cases(name):
        found = mime.parse(str(case["input"]))
        if (None if found is None else str(found)) != case["output"]:
            wrong.append(case)
    assert wrong == []


def test_every_type_of_the_reference_is_in_its_groups() -> None:
    for case in _cases("mime-groups.json"):
        found = mime.parse(str(case["input"]))
        assert found is not None
        assert mime.groups(found) == set(case["groups"]), case  # type: ignore[call-overload]  # a list of names


def test_every_nosniff_of_the_reference_is_understood() -> None:
    for case in _cases("x-content-type-options.json"):
        lines = (line.partition(":") for line in str(case["input"]).split("\r\n"))
        values = [value.strip("\t ") for name, _, value in lines if name.lower() == "x-content-type-options"]
        assert wants_no_sniffing(values) is case["nosniff"], case


@pytest.mark.parametrize(
    ("fields", "meant"),
    [
        ([], None),
        ([""], None),
        (["*/*"], None),
        (["text/html", "nonsense"], "text/html"),
        (["text/plain, text/html"], "text/html"),
        (["text/html;charset=gbk", "text/html"], "text/html;charset=gbk"),
        (["text/html;charset=gbk", "text/html;charset=utf-8", "text/html"], "text/html;charset=gbk"),
        (["text/html;charset=gbk", "text/plain", "text/html"], "text/html"),
        (["text/html;charset=gbk", "*/*"], "text/html;charset=gbk"),
        (['text/html;x=",text/plain'], 'text/html;x=",text/plain"'),
        (["TEXT/HTML;Charset=GBK"], "text/html;charset=GBK"),
    ],
)
def test_repeated_and_listed_content_types_are_taken_together(fields: list[str], meant: str | None) -> None:
    found = mime.extract(fields)
    assert (None if found is None else str(found)) == meant


_EBML = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm"


@pytest.mark.parametrize(
    ("data", "fields", "found"),
    [
        (b"<!DOCTYPE html><p>", [], "text/html"),
        (b"\n\t <!-- note -->", [], "text/html"),
        (b"<HTML>", [], "text/html"),
        (b"<htmlx>", [], "text/plain"),
        (b"  <?xml version='1.0'?>", [], "text/xml"),
        (b"%PDF-1.7", [], "application/pdf"),
        (b"\x1f\x8b\x08\x00", [], "application/x-gzip"),
        (b"PK\x03\x04", [], "application/zip"),
        (b"\x89PNG\r\n\x1a\n", [], "image/png"),
        (b"\xff\xd8\xff\xe0", [], "image/jpeg"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", [], "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", [], "audio/wave"),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41", [], "video/mp4"),
        (_EBML, [], "video/webm"),
        (b"just words", [], "text/plain"),
        (b"\xef\xbb\xbfwords\x00", [], "text/plain"),
        (b"some\x00thing", [], "application/octet-stream"),
        (b"", [], "text/plain"),
        (b"<html>", ["text/plain"], "text/plain"),
        (b"some\x00thing", ["text/plain"], "application/octet-stream"),
        (b"some\x00thing", ["text/plain; charset=koi8-r"], "text/plain;charset=koi8-r"),
        (b"%PDF-1.7\x00", ["text/plain; charset=ISO-8859-1"], "application/pdf"),
        (b"GIF89a", ["image/png"], "image/gif"),
        (b"GIF89a", ["text/css"], "text/css"),
        (b"OggS\x00", ["audio/mpeg"], "application/ogg"),
        (b"<?xml version='1.0'?><!-- a --><rss version='2.0'>", ["text/html"], "application/rss+xml"),
        (b"\xef\xbb\xbf<feed xmlns='x'>", ["text/html; charset=utf-8"], "application/atom+xml"),
        (b"<html><rss>", ["text/html; charset=utf-8"], "text/html;charset=utf-8"),
        (b"GIF89a", ["application/xhtml+xml"], "application/xhtml+xml"),
    ],
)
def test_the_first_bytes_correct_the_type(data: bytes, fields: list[str], found: str) -> None:
    assert str(media_type(data, fields)) == found


def test_a_server_that_forbids_sniffing_is_believed() -> None:
    assert str(media_type(b"GIF89a", ["image/png"], nosniff=True)) == "image/png"
    assert str(media_type(b"<html>", [], nosniff=True)) == "text/plain"
