"""Whoever has the key says which pages have changed: those that the collection is about, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import gossamer_command, wait_for
from gossamer.collection.signal import listening, pings
from gossamer.frontier.revisit.token_bucket import TokenBucket
from gossamer.web import indexnow
from gossamer.web.receiver import receiving
from gossamer.web.serving import Wanted
from harness.hub import Site, hub_and_site
from harness.served import Came, Served
from harness.served import serving as served

SETTINGS: dict[str, Any] = {"delay": 0, "ip_delay": 0, "allow_addresses": ("127.0.0.0/8",), "exclude": ("/private/",)}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with hub_and_site() as found:
        found.pages["/"] = "text/html", "<p>All about herons.</p>"
        yield found


@pytest.fixture(scope="module")
def folder(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pinged") / "web"
    with gossamer.open(path) as web:
        web.crawl(site.url, **SETTINGS, shards=2)
    return path


@pytest.fixture
def server(folder: Path) -> Iterator[Served]:
    (folder / pings.FILE).unlink(missing_ok=True)
    wanted = Wanted(pinged=True, read_only=True, password="heron")
    with receiving(folder, "", pinged=True) as heard, served(folder, wanted.access(), heard) as running:
        yield running


def key(folder: Path) -> str:
    return listening.load(folder).key


def post(server: Served, **said: Any) -> Came:
    body = json.dumps(said).encode()
    return server.ask("POST", indexnow.PATH, body, {"Content-Type": "application/json; charset=utf-8"})


def told(folder: Path, *urls: str) -> bool:
    return set(pings.told(folder)) == set(urls)


def test_a_page_is_due_that_whoever_has_the_key_names(server: Served, folder: Path, site: Site) -> None:
    answer = server.get(f"/indexnow?url={site.url}new&key={key(folder)}")
    assert (answer.status, json.loads(answer.text)) == (200, {"taken": 1, "left_out": 0})
    wait_for(lambda: told(folder, f"{site.url}new"))
    assert len(key(folder)) == 32


def test_many_are_named_at_once_and_those_that_are_not_ours_are_left_out(
    server: Served, folder: Path, site: Site
) -> None:
    urls = [site.url, f"{site.url}new", f"{site.url}new#part", f"{site.url}private/x", "http://other.example/"]
    answer = post(server, host="", key=key(folder), keyLocation="x", urlList=urls)
    assert (answer.status, json.loads(answer.text)) == (200, {"taken": 2, "left_out": 3})
    wait_for(lambda: told(folder, site.url, f"{site.url}new"))


def test_a_wrong_key_is_refused_and_changes_nothing(server: Served, folder: Path, site: Site) -> None:
    for wrong in ("", "x", key(folder).upper() + "0", "\xe4" * 32, key(folder)[:-1]):
        assert post(server, key=wrong, urlList=[site.url]).status == 403
    assert server.get(f"/indexnow?url={site.url}").status == 403
    assert server.get(f"/indexnow?url={site.url}&key=%ff").status == 403
    assert server.get("/").status == 401, "all else wants the password"
    assert not (folder / pings.FILE).exists()


@pytest.mark.parametrize(
    ("urls", "host", "status"),
    [
        ([], "", 400),
        (["http://other.example/"], "", 422),
        (["http://other.example/"], "other.example", 422),
        (["SITE"], "other.example", 422),
        (["no address"], "", 422),
        (["SITE"] * (indexnow.AT_ONCE + 1), "", 422),
        ([7], "", 400),
        ("SITE", "", 400),
    ],
)
def test_what_is_not_ours_or_makes_no_sense_is_said_so(
    server: Served, folder: Path, site: Site, urls: Any, host: str, status: int
) -> None:
    named = [site.url if each == "SITE" else each for each in urls] if isinstance(urls, list) else urls
    answer = post(server, key=key(folder), host=host, urlList=named)
    assert (answer.status, "error" in json.loads(answer.text)) == (status, True)
    assert not (folder / pings.FILE).exists()


def test_what_is_no_json_or_too_much_is_refused(server: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for body in (b"", b"{", b"[]", b"\xff", b'{"key": "x"}', b"[" * 50_000):
        assert server.ask("POST", indexnow.PATH, body).status == 400
    assert server.get("/indexnow").status == 400
    monkeypatch.setattr(indexnow, "BODY_MOST", 1_000)
    assert server.ask("POST", indexnow.PATH, b" " * 2_000).status == 413


def test_so_many_are_taken_in_an_hour(
    server: Served, folder: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexnow, "_A_DAY", 24.0 * 3)
    urls = [f"{site.url}{number}" for number in range(2)]
    assert [post(server, key=key(folder), urlList=urls).status for _ in range(2)] == [200, 429]
    bucket = TokenBucket()
    bucket.take(24.0, 100.0, 1)
    assert bucket.holds(24.0, 100.0) == 0


def test_without_pings_there_is_no_such_place_and_the_key_stays(folder: Path, site: Site) -> None:
    with receiving(folder, "", pinged=True):
        before = key(folder)
    assert before
    with receiving(folder, "") as none, served(folder) as running:
        assert none is None
        assert running.get(f"/indexnow?url={site.url}&key={before}").status == 404
    with receiving(folder, "", pinged=True) as again:
        assert again is not None
        assert again.key == before


def test_the_command_shows_the_key(folder: Path) -> None:
    import subprocess

    command = gossamer_command("serve", str(folder), "--pings", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        first, second = running.stdout.readline(), running.stdout.readline()
        running.terminate()
    assert "is served at http://127.0.0.1:" in first
    assert second.startswith("pings: http://127.0.0.1:")
    assert f"/indexnow?key={key(folder)}&url=ADDRESS" in second
