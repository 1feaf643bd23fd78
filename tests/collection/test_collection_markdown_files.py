"""Pages as Markdown files: whatever strangers call them, the files are where they should be and can be read."""

from __future__ import annotations

import datetime
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection.ask.markdown_files import file_name, linked_again, own_name, text_of, write
from gossamer.collection.documents import Document
from gossamer.errors import StorageError
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock

yaml = pytest.importorskip("yaml")
URL = "http://example.org/"
TITLE = 'a: "b" # \\ --- 😀 {x} \u2028 \x85 %y'
PATHS = ("", "../../up", "%2e%2e/%2fetc", "long" * 200, "CON", ".hidden/", "a?b=../c", "a?b=.._c", "a b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock, place = VirtualClock(), tmp_path_factory.mktemp("markdown") / "web"
    links = "".join(f'<a href="/{path}#here">page {number}</a> ' for number, path in enumerate(PATHS))

    async def fetch(visit: Visit) -> Capture:
        status = 404 if visit.url.endswith("robots.txt") else 200
        title = TITLE.replace("\x85", "&#x85;")
        words = f"Words of {len(visit.url)} in a paragraph that is long enough to be kept. "
        body = f"<!DOCTYPE html><meta charset=utf-8><title>{title}</title><p>{words * 5}{links}</p>".encode()
        head = b"HTTP/1.1 %d OK\r\nContent-Type: text/html\r\n\r\n" % status
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", "text/html"),), b"", head, body, body)

    with gossamer.open(place) as web:
        clock.run(web.crawl_async(URL, "http://other.example.org/", sitemaps="never", outside=Outside(clock, fetch)))
    return place


def test_a_file_for_each_page_with_front_matter_that_any_parser_reads(folder: Path, tmp_path: Path) -> None:
    assert main(["export", str(folder), "markdown", "-o", str(tmp_path / "out")]) == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    with gossamer.open(folder) as web:
        pages = {page.url: page for page in web.pages()}
    assert len(files) == len(pages) > len(PATHS)
    assert all(path.is_relative_to(tmp_path / "out") and path.suffix == ".md" for path in files)
    seen = 0
    for path in files:
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        told = yaml.safe_load(front)
        assert told["title"] == pages[told["url"]].title
        assert len(body.split("](")) == len(pages[told["url"]].markdown.split("]("))
        assert path.relative_to(tmp_path / "out").as_posix() in (file_name(told["url"]), own_name(told["url"]))
        for target in re.findall(r"\]\((?!http)(.*?)#here\)", body):
            assert (path.parent / target).is_file()
            seen += 1
    assert seen > len(PATHS)


def test_names_are_short_and_cannot_leave_the_folder() -> None:
    for url in ("http://[::1]/../x", f"http://{'a' * 63}.org/{'b' * 9000}?c", "http://a/%2e%2e%2f..", "http://a/"):
        host, name = file_name(url).split("/")
        assert not host.startswith(".")
        assert not name.startswith(".")
        assert len(name) < 120


def test_what_is_there_already_is_not_touched(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    for place in (tmp_path, tmp_path / "mine"):
        assert main(["export", str(folder), "markdown", "-o", str(place)]) == 2
        assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "empty").mkdir()
    assert main(["export", str(folder), "markdown", "-o", str(tmp_path / "empty")]) == 0


def test_the_folder_one_is_in_is_not_replaced(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(folder), "markdown", "-o", "."]) == 2
    assert "name a new one" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_fills_meanwhile_is_not_touched(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "pages"

    def pages() -> Iterator[Document]:
        place.mkdir()
        (place / "mine").write_text("mine")
        yield from ()

    with pytest.raises(StorageError, match="nothing was left"):
        write(pages(), place)
    assert [path.name for path in place.iterdir()] == ["mine"]
    assert list(tmp_path.iterdir()) == [place]


def test_a_part_is_chosen_by_site_pattern_and_question(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def urls(*options: str) -> int:
        assert main(["export", str(folder), "graph", *options]) == 0
        return len({each.split("\t")[0] for each in capsys.readouterr().out.splitlines()})

    whole = urls()
    assert 0 < urls("--site", "other.example.org") < whole == urls("--site", "example.org")
    assert urls("--include", "CON$") == 2
    assert urls("--query", "nosuchword") == 0
    assert 0 < urls("--query", "paragraph") <= whole
    for form in ("warc", "wacz", "cdxj"):
        assert main(["export", str(folder), form, "--site", "example.org"]) == 2
    for nonsense in (("--without-links",), ("--include", ""), ("--site", ""), ("--fields", "url")):
        assert main(["export", str(folder), "graph", *nonsense]) == 2


def test_of_each_page_only_the_fields_that_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def rows(*options: str) -> list[dict[str, object]]:
        assert main(["export", str(folder), "jsonl", *options]) == 0
        return [json.loads(each) for each in capsys.readouterr().out.splitlines()]

    whole = rows()
    names = ["published", "markdown", "url"]
    assert rows("--fields", "published,markdown", "--fields", "url") == [
        {name: row[name] for name in names} for row in whole
    ]
    assert "http" in str(rows("--fields", "markdown"))
    assert "http" not in str(rows("--fields", "markdown,title", "--without-links"))
    assert main(["export", str(folder), "jsonl", "--fields", "url,body"]) == 2
    assert "there is no field 'body'; choose from url, final_url" in capsys.readouterr().err
    assert main(["export", str(folder), "jsonl", "--fields", ""]) == 2


def test_without_links_the_words_of_links_stay(folder: Path) -> None:
    with gossamer.open(folder) as web:
        page = web.page(URL)
    told = text_of(page, links=False).split("---\n", 2)[2]
    assert "page 3" in told
    assert "http" not in told


def test_rows_for_data_frames_are_plain_values(folder: Path) -> None:
    plain = (str, int, float, bool, type(None), datetime.datetime)
    with gossamer.open(folder) as web:
        rows = list(web.pages().records())
    assert len({tuple(row) for row in rows}) == 1
    for row in rows:
        assert isinstance(row["fetched"], datetime.datetime)
        assert all(isinstance(value, plain) for name, value in row.items() if name != "links")
        assert all(isinstance(value, plain) for link in row["links"] for value in link.values())


def test_a_file_stands_where_its_address_says_and_has_digits_only_where_that_says_too_little() -> None:
    assert file_name("https://example.org/") == "example.org/index.md"
    assert file_name("https://example.org/guide/keys.html") == "example.org/guide/keys.md"
    assert file_name("http://127.0.0.1:8000/guide/") == "127.0.0.1-8000/guide/index.md"
    for odd in ("a?b=1", "a%20b", "x.md/y", "x.md", "a//b", "../x", "é", "d/" * 30):
        url = f"https://example.org/{odd}"
        assert file_name(url) == own_name(url)


def page(path: str, html: str) -> Document:
    return cast(
        Document,
        SimpleNamespace(
            url=f"https://example.org/{path}",
            title="",
            language=None,
            html=f"<p>{html}</p>",
            text="",
            page=SimpleNamespace(published=None, modified=None),
            version=SimpleNamespace(began=0.0),
            capture=Capture(Visit(f"https://example.org/{path}"), 0.0, 0.1, 200),
        ),
    )


def test_links_lead_to_files_that_are_there_and_to_the_web_otherwise(tmp_path: Path) -> None:
    home = "https://example.org/"
    body = (
        f'<a href="{home}guide/a#top">a</a> <a href="{home}guide/none">no</a> <a href="{home}q?x=1">q</a> '
        f'<a href="{home}x_(y)">p</a> <code>[code]({home}guide/a)</code> [x]({home}guide/a)</p>'
        f"\n<pre>[code]({home}guide/a)</pre>\n<p>End."
    )
    links = f'<a href="{home}">home</a> <a href="{home}guide/a.html">b</a>'
    pages = [page("", body), page("guide/a", links), page("guide/a.html", "b")]
    pages += [page("q?x=1", "q"), page("x_(y)", "p")]
    assert write(pages, tmp_path / "out") == 5
    host = tmp_path / "out" / "example.org"
    told = (host / "index.md").read_text().split("---\n\n", 1)[1]
    query, paren, html = (Path(own_name(f"{home}{path}")).name for path in ("q?x=1", "x_(y)", "guide/a.html"))
    assert told == (
        f"[a](guide/a.md#top) [no]({home}guide/none) [q]({query}) [p]({paren}) "
        f"`[code]({home}guide/a)` [x\\]({home}guide/a)\n\n```\n[code]({home}guide/a)\n```\n\nEnd.\n"
    )
    assert (host / "guide" / "a.md").read_text().endswith(f"[home](../index.md) [b](../{html})\n")


def test_code_begins_behind_a_backslash_too() -> None:
    md = "C:\\\\`[a](https://a.example/)` [a](https://a.example/) \\`[b](https://a.example/)\\` ``no [c](https://a.example/)"
    assert (
        linked_again(md, lambda _: "a.md") == "C:\\\\`[a](https://a.example/)` [a](a.md) \\`[b](a.md)\\` ``no [c](a.md)"
    )


def test_code_that_is_made_to_be_costly_costs_nothing() -> None:
    md = " ".join(f"\\\\``a{'`' * (2 * number + 1)}a``" for number in range(1, 1_000))
    began = time.process_time()
    assert linked_again(md, lambda _: "a.md") == md
    assert time.process_time() - began < 0.5  # with a search for each of them it takes half a minute


def test_a_page_that_lies_deep_below_its_host_has_its_folders(tmp_path: Path) -> None:
    assert write([page("one/two/three/a", "deep")], tmp_path / "out") == 1
    assert (tmp_path / "out" / "example.org" / "one" / "two" / "three" / "a.md").read_text().endswith("deep\n")
