"""What people meet in their first hour: each message says what to do, and doing it helps."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.errors import InvalidPlan, NothingFetched, UsageError
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table
from tiny_server import page, tiny_server

QUICK = {"shards": 1, "delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "disk_pause": 0, "disk_pause_share": 0.0}


def test_what_the_guard_refused_is_fetched_when_its_address_is_opened(tmp_path: Path) -> None:
    with tiny_server({"/": page("/a"), "/a": page()}) as tiny, gossamer.open(tmp_path / "web") as web:
        with pytest.raises(NothingFetched, match=r"--allow-address 127[.]0[.]0[.]1 opens it"):
            web.crawl(f"{tiny.origin}/", **QUICK)
        assert web.crawl(allow_addresses=("127.0.0.1",)).pages == 2


def test_what_is_still_refused_is_asked_for_no_second_time(tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as web:
        for _ in range(2):
            with pytest.raises(NothingFetched, match="--allow-address"):
                web.crawl("http://127.0.0.1:9/", **QUICK)
        assert len(web.why("http://127.0.0.1:9/").history) == 2  # a seed that is named again is tried again
        with pytest.raises(NothingFetched):
            web.crawl()
        assert len(web.why("http://127.0.0.1:9/").history) == 2


def test_a_seed_of_the_command_that_fails_beside_others_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--allow-address", "127.0.0.1", "--delay", "0", "--patience", "0", "--set", "shards=1", "-q")
    with tiny_server({"/": page("/a", "/gone"), "/a": page()}) as tiny:
        crawl = ["crawl", str(tmp_path / "web")]
        assert main([*crawl, f"{tiny.origin}/", f"{tiny.origin}/nowhere", *options]) == 0
        assert capsys.readouterr() == ("", f"gossamer: {tiny.origin}/nowhere: http 404\n")
        assert main([*crawl, f"{tiny.origin}/gone", "-q"]) == 0
        assert capsys.readouterr().err == f"gossamer: {tiny.origin}/gone: http 404\n"
        assert main([*crawl, f"{tiny.origin}/a", "-q"]) == 0
        assert capsys.readouterr().err == ""


def test_who_comes_later_with_a_page_function_hears_how_the_pages_get_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text("def fails(page):\n    return 1 / 0\n")
    own, crawl = f"{tmp_path / 'own.py'}:fails", ["crawl", str(tmp_path / "web")]
    options = ("--allow-address", "127.0.0.1", "--delay", "0", "--set", "shards=1", "--set", "on_page=")
    with tiny_server({"/": page()}) as tiny:
        assert main([*crawl, f"{tiny.origin}/", *options]) == 0
        capsys.readouterr()
        assert main([*crawl, "--on-page", own]) == 0
        assert f"hint: `gossamer build {tmp_path / 'web'} --convert` gives the page function" in capsys.readouterr().out
        assert main([*crawl, "--revisit"]) == 0
        assert "the page function failed for 1 page; once it is mended" in capsys.readouterr().out


def test_a_page_function_that_gives_nothing_for_any_page_is_told_what_it_gets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text("def price(page):\n    return {'a': repr(page)} if 'price' in page.html else {}\n")
    crawl = ["crawl", str(tmp_path / "web"), "--on-page", f"{tmp_path / 'own.py'}:price"]
    options = ("--allow-address", "127.0.0.1", "--delay", "0", "--set", "shards=1")
    with tiny_server({"/": page(), "/b": "<title>B</title><p>The price is high."}) as tiny:
        assert main([*crawl, f"{tiny.origin}/", *options]) == 0
        told = capsys.readouterr().out
        assert "hint: no page has fields" in told
        assert f"`gossamer build {tmp_path / 'web'} --convert` calls it again" in told
        assert main([*crawl[:2], f"{tiny.origin}/b"]) == 0
        assert "hint" not in capsys.readouterr().out
        with gossamer.open(tmp_path / "web") as web:
            assert web.page(f"{tiny.origin}/b").fields == {"a": f"<ReadPage {tiny.origin}/b 'B'>"}
            assert repr(web.pages()).startswith("<Pages: ")


def test_a_plan_without_quotation_marks_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("seeds = [example.org]\n")
    with pytest.raises(InvalidPlan, match="texts stand in quotation marks"):
        gossamer.open(tmp_path).plan  # noqa: B018  # it is read here


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_an_empty_pattern_is_refused_because_every_address_has_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidPlan, match=f"{name} has an empty pattern.*`--set {name}=` empties it"):
        gossamer.open(tmp_path / "web").crawl("http://127.0.0.1:9/", **{name: ("",)})
    assert not (tmp_path / "web").exists()


def test_a_pattern_of_a_shell_is_hinted_at(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with gossamer.open(tmp_path / "web") as web, pytest.raises(NothingFetched):
        web.crawl("http://127.0.0.1:9/", include=("/guide/*.html",), **QUICK)
    assert r"perhaps '/guide/[^/]*\.html$' is meant" in caplog.text


def test_a_scope_of_several_seeds_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Its row was written in the order of a hash that every process draws anew, so each start read all rows."""

    with gossamer.open(tmp_path / "web") as web, pytest.raises(NothingFetched):
        web.crawl(*(f"http://127.0.0.1:{port}/" for port in (9, 8, 7)), **QUICK)
    with Table.open(Folder(tmp_path / "web").table(0), FAMILIES, writable=False) as table:
        said = (table.get(META, b"scope") or b"").decode()
    assert "['http://127.0.0.1:7/', 'http://127.0.0.1:8/', 'http://127.0.0.1:9/']" in said


def test_a_program_names_seeds_and_parts_as_it_likes(tmp_path: Path) -> None:
    pages = {"/": page("/guide/a", "/guide/b", "/c"), "/guide/a": page(), "/guide/b": page(), "/c": page("/guide/a")}
    with tiny_server(pages) as tiny, gossamer.open(tmp_path / "web") as web:
        given = gossamer.Credentials(headers="X-Key: 1")
        seeds = [f"{tiny.origin}/guide/a", f"{tiny.origin}/guide/b"]
        web.crawl(seeds, scope="page", allow_addresses="127.0.0.1", credentials=given, **QUICK)
        assert tiny.sent("X-Key", "/guide/a") == ["1"]
        web.crawl(scope="host", seeds=f"{tiny.origin}/", exclude="/guide/b")
        assert len(web.plan.seeds) == 1
        assert [each.url for each in web.pages(include="/guide/b")] == [f"{tiny.origin}/guide/b"]
        assert len(list(web.pages(site="127.0.0.1"))) == 4
        row = dict(next(web.pages()))
        assert row == next(web.pages().records())
        assert row["url"] == f"{tiny.origin}/"
        assert repr(web) == f"<Collection {tmp_path / 'web'}>"
        assert [len(group.copies) for group in web.duplicates()] == [1]
    for wrong in (7, None, b"http://127.0.0.1:9/", [7]):
        with gossamer.open(tmp_path / "other") as web, pytest.raises(UsageError, match="is no text"):
            web.crawl(wrong)
