"""`gossamer convert` reads any document; an input that cannot be read is told on one line and stops no other."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gossamer.cli.convert import MOST_BYTES
from gossamer.cli.main import main
from named_web import Reply, named_web

PAGE = (
    "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>On bread</title>"
    "<nav><a href='https://example.org/menu'>Menu</a></nav>"
    "<article><h1>On bread</h1>"
    + "".join(
        f"<p>Paragraph {number} tells at some length how flour, water, salt and time become a loaf of good bread, "
        f"and why <a href='https://example.org/{number}'>the oven</a> must be hot before the dough goes in.</p>"
        for number in range(8)
    )
    + "</article><footer>Imprint</footer>"
)
LOOPBACK = ("--allow-address", "127.0.0.0/8")


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    errors: list[str]


Convert = Callable[..., Said]


@pytest.fixture
def convert(capsysbinary: pytest.CaptureFixture[bytes]) -> Convert:
    def run(*arguments: str | Path) -> Said:
        code = main(["convert", *map(str, arguments)])
        told = capsysbinary.readouterr()
        return Said(code, told.out.decode(), told.err.decode().splitlines())

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "bread.html"
    path.write_text(PAGE)
    return path


def test_a_page_in_every_form(convert: Convert, page: Path) -> None:
    text = convert(page, "--as", "text")
    assert (text.code, text.errors) == (0, [])
    assert text.out.startswith("On bread\n")
    assert "Paragraph 7 tells" in text.out
    html = convert(page, "--as", "html").out
    assert html.startswith("<!DOCTYPE html>\n<html")
    assert "<title>On bread</title>" in html
    links = [line.split("\t") for line in convert(page, "--as", "links").out.splitlines()]
    assert ["https://example.org/3", "the oven"] in [line[:2] for line in links]
    assert {line[3] for line in links} <= {"content", "around"}
    told = json.loads(convert(page, "--as", "json").out)
    assert told["source"] == str(page)
    assert (told["title"], told["media_type"], told["encoding"]) == ("On bread", "text/html", "UTF-8")
    assert "Imprint" in told["text"]
    assert {"content", "html", "markdown", "language", "author", "published", "modified", "problem"} <= set(told)
    assert json.loads(convert(page, "--json").out) == told


def test_markdown_is_the_form_that_is_not_asked_for(convert: Convert, page: Path) -> None:
    plain = convert(page)
    assert plain.out == convert(page, "--as", "markdown").out
    assert plain.out.startswith("# On bread\n\n")
    assert "[the oven](https://example.org/3)" in plain.out


def test_full_has_all_words_and_goes_with_text_alone(convert: Convert, page: Path) -> None:
    full = convert(page, "--as", "text", "--full").out
    assert "Menu" in full
    assert "Imprint" in full
    assert "Imprint" not in convert(page, "--as", "text").out
    refused = convert(page, "--as", "html", "--full")
    assert (refused.code, len(refused.errors)) == (2, 1)


def test_standard_input_is_read_once_asked_for(
    convert: Convert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "piped"
    path.write_text("<p>Piped words")
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert "Piped words" in convert("-", "--as", "text").out


def test_the_type_can_be_forced_by_type_or_ending(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("a,b\n1,2\n")
    for name in ("text/csv", "csv", ".CSV"):
        assert json.loads(convert(path, "--json", "--type", name).out)["media_type"] == "text/csv"
    refused = convert(path, "--type", "nonsense")
    assert refused.code == 2
    assert "--type 'nonsense'" in refused.errors[0]


def test_several_inputs_are_named_and_come_in_their_order(convert: Convert, tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second--.txt"
    first.write_text("one")
    second.write_text("two")
    said = convert(first, second, "--as", "text").out
    assert said == f"==> {first} <==\none\n==> {second} <==\ntwo\n"
    assert convert(second, first, "--as", "html").out.startswith(
        f"<!-- {str(second).replace('--', '- -')} -->\n<!DOCTYPE"
    )
    lines = convert(first, second, first, "--json").out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["one", "two", "one"]


def test_what_cannot_be_read_is_told_and_the_others_go_on(convert: Convert, page: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 9)
    names = ["missing.html", "", "empty.txt", "noise.bin"]
    said = convert(*[tmp_path / name for name in names], page, "--as", "text")
    assert said.code == 1
    assert "Paragraph 7" in said.out
    reasons = [line.removeprefix("gossamer: ") for line in said.errors]
    assert [reason.partition(": ")[0] for reason in reasons] == [str(tmp_path / name) for name in names]
    assert "No such file" in reasons[0]
    assert "directory" in reasons[1]
    assert "empty: there are no bytes of it" in reasons[2]
    assert reasons[3].partition(": ")[2]


def test_a_file_without_end_is_given_up(convert: Convert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.cli.convert.MOST_BYTES", 1 << 20)
    said = convert("/dev/zero")
    assert (said.code, said.out) == (1, "")
    assert "larger than 1 MiB" in said.errors[0]
    assert MOST_BYTES >= 1 << 28


def test_a_reader_that_breaks_is_told_and_stops_no_other(
    convert: Convert, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("gossamer.convert.document", broken)
    said = convert(page, page)
    assert said.code == 1
    assert len(said.errors) == 2
    assert "which is a bug: RecursionError" in said.errors[0]


def test_names_and_words_cannot_steer_a_terminal(convert: Convert, tmp_path: Path) -> None:
    said = convert(tmp_path / "\x1b[2Jgone")
    assert said.code == 1
    assert "\x1b" not in said.errors[0]


def test_a_zip_that_is_no_document_is_still_an_answer(convert: Convert, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../etc/passwd", "root")
    path = tmp_path / "box.zip"
    path.write_bytes(packed.getvalue())
    assert convert(path, "--json").code in (0, 1)


# ------------------------------------------------------------------- addresses


def test_a_page_of_the_web_is_fetched_politely(convert: Convert, page: Path) -> None:
    with named_web() as web:
        web.put("a", "/bread", Reply(PAGE))
        web.put("a", "/old", Reply(location=web.url("b", "/new")))
        web.put("b", "/new", Reply("<title>New</title><p>It moved here."))
        urls = [web.url("a", "/bread"), web.url("a", "/old")]
        said = convert(urls[0], page, urls[1], *LOOPBACK, "--as", "text")
        asked = [(each.host, each.path) for each in web.asked()]
    assert (said.code, said.errors) == (0, [])
    assert said.out.index(f"==> {urls[0]} <==") < said.out.index(f"==> {page} <==") < said.out.index(urls[1])
    assert "It moved here." in said.out
    assert asked[0] == ("a.localhost", "/robots.txt")
    assert asked.index(("b.localhost", "/robots.txt")) < asked.index(("b.localhost", "/new"))
    assert sorted(set(asked)) == sorted(asked), "nothing is asked for twice, and no link is followed"


def test_what_robots_txt_forbids_is_not_fetched(convert: Convert) -> None:
    with named_web() as web:
        web.put("a", "/robots.txt", Reply("User-agent: *\nDisallow: /private\n", media_type="text/plain"))
        web.put("a", "/private", Reply("<p>Secret"))
        web.put("a", "/public", Reply("<p>Known to all"))
        said = convert(web.url("a", "/private"), web.url("a", "/public"), *LOOPBACK, "--as", "text")
        assert all(each.path != "/private" for each in web.asked())
    assert said.code == 1
    assert "Known to all" in said.out
    assert said.errors == [f"gossamer: {web.url('a', '/private')}: robots.txt forbids it"]


def test_addresses_that_lead_nowhere_say_why(convert: Convert) -> None:
    with named_web() as web:
        missing, inside = web.url("a", "/missing"), web.url("b", "/")
        said = convert(missing, "http://[nonsense/", *LOOPBACK)
        closed = convert(inside)
    assert said.code == 1
    assert any(line.startswith(f"gossamer: {missing}: http 404") for line in said.errors)
    assert any("http://[nonsense/" in line for line in said.errors)
    assert closed.code == 1
    assert "blocked-address" in closed.errors[0]
    assert "--allow-address" in closed.errors[0]


def test_nothing_is_left_behind(convert: Convert, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with named_web() as web:
        web.put("a", "/", Reply(PAGE))
        assert convert(web.url("a"), *LOOPBACK).code == 0
    assert os.listdir(tmp_path) == []
