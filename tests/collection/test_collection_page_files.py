"""Pages as the files they came as, and one of each group of copies: where strangers cannot choose the place."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection.ask.page_files import Kept, names, write
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock

WORDS = "Words of a paragraph that is long enough to be kept, about fish and the sea in which they swim. "
PAGES = {
    "/": b"<title>Start</title><a href=/guide/>guide</a><a href=/copy>copy</a><a href=/a.pdf>a</a><a href=/?q=1>q</a>",
    "/guide/": f"<title>Guide</title><p>{WORDS * 9}".encode(),
    "/copy": f"<title>Guide</title><p>{WORDS * 9}".encode(),
    "/a.pdf": b"%PDF-1.4 no real one",
    "/?q=1": b"<title>Found</title>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock, place = VirtualClock(), tmp_path_factory.mktemp("files") / "web"

    async def fetch(visit: Visit) -> Capture:
        body = PAGES.get(visit.url.partition("example.org")[2])
        status, kind = 404 if body is None else 200, "application/pdf" if visit.url.endswith("pdf") else "text/html"
        head = b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\n\r\n" % (status, kind.encode())
        body = body or b"nothing"
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", kind),), b"", head, body, body)

    with gossamer.open(place) as web:
        clock.run(web.crawl_async("http://example.org/", sitemaps="never", outside=Outside(clock, fetch)))
    return place


def test_each_page_is_a_file_with_its_bytes(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(folder), "files", "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"wrote 5 files to {tmp_path / 'out'}\n"
    found = {str(path.relative_to(tmp_path / "out")): path for path in (tmp_path / "out").rglob("*") if path.is_file()}
    plain = {f"example.org/{name}" for name in ("index.html", "guide/index.html", "copy.html", "a.pdf")}
    (query,) = set(found) - plain
    assert query.startswith("example.org/q-1-")
    assert len(found) == 5
    assert found["example.org/guide/index.html"].read_bytes() == PAGES["/guide/"]
    assert found["example.org/a.pdf"].read_bytes() == PAGES["/a.pdf"]


def test_of_copies_one_is_written(folder: Path, tmp_path: Path) -> None:
    assert main(["export", str(folder), "files", "-o", str(tmp_path / "out"), "--without-copies"]) == 0
    written = {path.name for path in (tmp_path / "out" / "example.org").iterdir()}
    assert len({"copy.html", "guide"} & written) == 1
    with gossamer.open(folder) as web:
        urls = [page.url for page in web.pages(copies=False)]
        assert len(urls) == 4
        assert [page.url for page in web.pages(include="/copy", copies=False)] == ["http://example.org/copy"]


def test_copies_cannot_be_left_out_of_what_is_written_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(folder), "cdxj", "--without-copies"]) == 2
    assert "written whole" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "media_type", "name"),
    [
        ("http://a.test/", "text/html", "a.test/index.html"),
        ("http://a.test/x/", "text/html", "a.test/x/index.html"),
        ("http://a.test/x.php", "text/html", "a.test/x.php.html"),
        ("http://a.test/x.HTM", "text/html", "a.test/x.HTM"),
        ("http://a.test/x.css", "text/css", "a.test/x.css"),
        ("http://a.test/x", "text/css", "a.test/x.css"),
        ("http://a.test/x", "strange/type", "a.test/x"),
        ("http://a.test:81/read.md", "text/markdown", "a.test-81/read.md"),
    ],
)
def test_a_name_ends_as_what_it_is(url: str, media_type: str, name: str) -> None:
    assert names(url, media_type)[0] == name


@pytest.mark.parametrize("backwards", [False, True])
def test_no_address_leaves_the_folder_or_is_in_the_way_of_another(backwards: bool, tmp_path: Path) -> None:
    own = names("http://a.test/x?1", "text/html")[1].rpartition("/")[2]
    urls = ["x", "x/y", "x.html", "x.html/y", "../../up", "%2e%2e/%2fetc", ".hidden", "a" * 300, "x?1", f"{own}/y"]
    urls = urls[::-1] if backwards else urls
    kept = (Kept(f"http://a.test/{each}", "text/html", each.encode()) for each in urls)
    assert write(kept, tmp_path / "out") == len(urls)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.read_text() for path in files) == sorted(urls)
    places = [path.relative_to(tmp_path).parts for path in files]
    assert all(place[:2] == ("out", "a.test") for place in places)
    assert not any(part.startswith(".") for place in places for part in place)
