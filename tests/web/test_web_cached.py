"""The kept original: what is sent, and what a browser is told about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from made_site import SITE, client, heron
from starlette.testclient import TestClient

import gossamer
from gossamer.collection.ask import similar_addresses
from gossamer.web import cached
from gossamer.web.cached import Wanted, _held, _kept
from gossamer.web.leases import Busy
from harness.dressed_site import serving


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(heron(tmp_path_factory.mktemp("cached") / "web")) as asking:
        yield asking


@pytest.mark.parametrize(
    "url", [f"{SITE}/guide/indexes", f"{SITE}/guide/handbook.pdf", "https://nowhere.example/", "\0"]
)
def test_whatever_is_sent_may_do_nothing_and_stand_in_our_pages_alone(asking: TestClient, url: str) -> None:
    headers = asking.get("/cached", params={"url": url}).headers
    policy = [each.strip() for each in headers["content-security-policy"].split(";")]
    assert policy[:2] == ["sandbox", "default-src 'none'"]
    assert "frame-ancestors 'self'" in policy
    assert not any(each.startswith(("script-src", "connect-src", "frame-src")) for each in policy)
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-dns-prefetch-control"] == "off"


def test_a_kept_page_leads_to_kept_pages(asking: TestClient) -> None:
    answer = asking.get("/cached", params={"url": f"{SITE}/guide/indexes"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<a href="/cached?url=https%3A%2F%2Fexample.org%2Fnews%2F">News</a>' in answer.text
    assert asking.get("/cached?url=https%3A%2F%2Fexample.org%2Fnews%2F").status_code == 200
    gone = asking.get("/cached", params={"url": f"{SITE}/missing"})
    assert gone.status_code == 404
    assert "This page is not kept here" in gone.text


def test_a_picture_that_was_not_kept_costs_one_look(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def near(*_: object) -> list[str]:
        pytest.fail("nobody has asked what else might be meant")

    monkeypatch.setattr(similar_addresses, "near", near)
    with gossamer.open(dated) as web:
        url = next(iter(web.pages())).url
        assert _held(web, 0.0, Event(), url) is not None
        assert _held(web, 0.0, Event(), f"{url}never-met.png") is None


def test_a_version_is_chosen_by_its_time(asking: TestClient) -> None:
    url = f"{SITE}/guide/indexes"
    assert "measure them." in asking.get("/cached", params={"url": url, "at": "2026-11-01T12:00:00Z"}).text
    assert "measure all." in asking.get("/cached", params={"url": url}).text
    assert asking.get("/cached", params={"url": url, "at": "1999-01-01"}).status_code == 404


def test_a_file_and_a_page_that_is_to_be_saved_are_downloads_of_the_very_bytes(asking: TestClient) -> None:
    book = asking.get("/cached", params={"url": f"{SITE}/guide/handbook.pdf"})
    assert book.headers["content-disposition"] == 'attachment; filename="handbook.pdf"'
    assert book.headers["content-type"] == "application/octet-stream"
    assert book.content.startswith(b"%PDF-")
    page = asking.get("/cached", params={"url": f"{SITE}/guide/indexes", "download": "1"})
    assert page.headers["content-disposition"] == 'attachment; filename="indexes"'
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.content.startswith(b"<!doctype html><html lang=")
    home = asking.get("/cached", params={"url": f"{SITE}/", "download": "1"})
    assert home.headers["content-disposition"] == 'attachment; filename="page"'


def test_text_is_shown_as_text(asking: TestClient) -> None:
    answer = asking.get("/cached", params={"url": f"{SITE}/robots.txt"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == "User-agent: *\nDisallow: /private/\n"


def test_no_work_goes_on_for_who_was_sent_away(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {"/": "<p>Words.<img src=/a.png><img src=/b.png>"}
    with serving(pages) as served, gossamer.open(tmp_path / "web") as web:
        web.crawl(f"{served.origin}/", requisites=True, delay=0, ip_delay=0, allow_addresses=("127.0.0.1",))
        wanted = Wanted(f"{served.origin}/", "", saved=False)
        assert b"Words." in _kept(web, wanted).body
        wanted.given_up.set()
        with pytest.raises(Busy, match="nobody waits"):
            _kept(web, wanted)


def test_who_was_answered_or_sent_away_is_known_to_wait_no_more(
    asking: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Wanted] = []

    def noted(web: gossamer.Collection, wanted: Wanted) -> cached.Kept:
        assert not wanted.given_up.is_set()
        seen.append(wanted)
        return _kept(web, wanted)

    monkeypatch.setattr(cached, "_kept", noted)
    for url in (f"{SITE}/guide/indexes", f"{SITE}/missing"):
        asking.get("/cached", params={"url": url})
    assert [each.given_up.is_set() for each in seen] == [True, True]
