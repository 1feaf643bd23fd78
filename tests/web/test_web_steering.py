"""A crawl that is steered from a browser."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock
from urllib.parse import urlencode

import pytest

import gossamer
from gossamer.testing import MadeWeb, WebSpec
from gossamer.web import steering
from gossamer.web.safety import Access, local_names
from harness.served import Came, Served, serving

SLOW = WebSpec(seed=5, hosts=2, pages=40, names="ip")


@pytest.fixture
def own(collection: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(collection, tmp_path / "own"))


@pytest.fixture
def steered(own: Path) -> Iterator[Served]:
    with serving(own) as running:
        yield running


def post(served: Served, action: str, token: str | None = None, **fields: str) -> Came:
    named = {"token": served.access.token if token is None else token, **fields}
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": served.url}
    return served.ask("POST", f"/crawl/steer/{action}", urlencode(named).encode(), headers)


def plan_of(folder: Path) -> gossamer.Plan:
    with gossamer.open(folder) as web:
        return web.plan


def test_seeds_and_settings_stand_in_the_plan_afterwards(steered: Served, own: Path) -> None:
    came = post(steered, "add", seeds="https://a.example/\nb.example/x")
    assert (came.status, came.headers["location"]) == (303, "/crawl?done=add")
    assert "https://a.example/" in plan_of(own).seeds
    assert post(steered, "set", delay="2.5", pages="70", scope="domain", exclude="/print/\n\\.pdf$").status == 303
    plan = plan_of(own)
    assert (plan.delay, plan.ip_delay, plan.pages, plan.scope) == (2.5, 2.5, 70, "domain")
    assert plan.exclude == ("/print/", "\\.pdf$")
    assert "The settings are changed." in steered.get("/crawl?done=set").text


def test_a_long_list_of_seeds_is_taken_whole_or_not_at_all(steered: Served, own: Path) -> None:
    seeds = [f"https://a.example/a-page-with-a-long-name/{number}" for number in range(5_000)]
    assert post(steered, "add", seeds="\n".join(seeds)).status == 303
    with gossamer.open(own) as web:
        assert web.add(seeds) == 0, "all are known"
    assert post(steered, "add", seeds="\n".join(seeds * 5)).status == 413


def test_a_form_with_the_delay_as_it_is_leaves_that_of_addresses_alone(steered: Served, own: Path) -> None:
    with gossamer.open(own) as web:
        web.change(delay=3, ip_delay=0.25)
    assert post(steered, "set", delay="3", pages="71").status == 303
    plan = plan_of(own)
    assert (plan.delay, plan.ip_delay, plan.pages) == (3, 0.25, 71)


def test_at_the_limit_of_pages_it_is_offered_to_raise_it(
    steered: Served, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gossamer.open(own) as web:
        status = replace(web.status(), held_by="the limit is reached", queued=3)
        web.change(pages=(pages := status.pages))
    monkeypatch.setattr(steering, "_begin", begun := AsyncMock())
    monkeypatch.setattr(gossamer.Collection, "status", lambda web: status)
    asked = steered.get("/crawl/confirm/start").text
    assert f"The limit of {pages} pages is reached" in asked
    assert f'name="pages" type="number" min="0" value="{2 * pages}"' in asked
    assert post(steered, "start", pages=str(2 * pages)).status == 303
    assert plan_of(own).pages == 2 * pages
    assert begun.await_count == 1
    assert "The limit" not in steered.get("/crawl/confirm/start").text


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_without_our_token_nothing_changes(steered: Served, own: Path, token: str) -> None:
    before = (own / "plan.toml").read_bytes()
    for action in ("add", "set", "retry", "start", "pause", "resume", "stop"):
        assert post(steered, action, token, seeds="https://a.example/", delay="9").status == 403
    assert (own / "plan.toml").read_bytes() == before
    assert plan_of(own).delay != 9


def test_who_would_begin_a_crawl_of_nothing_is_told_so(steered: Served) -> None:
    assert "Nothing waits to be fetched" in steered.get("/crawl/confirm/start").text


def test_looking_changes_nothing(steered: Served, own: Path) -> None:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}

    before = state()
    for path in ("/crawl", "/crawl/change", "/crawl/confirm/stop", "/crawl/confirm/start", "/?q=word", "/map"):
        assert steered.get(path).status == 200
    for action in ("add", "pause", "start"):
        assert steered.get(f"/crawl/steer/{action}").status == 405
    assert state() == before


@pytest.mark.parametrize(
    ("action", "fields", "words"),
    [
        ("add", {"seeds": "https://a.example/\nnot an address"}, "is not an address"),
        ("set", {"delay": "soon"}, "is a number"),
        ("set", {"delay": "-1"}, "delay"),
        ("set", {"scope": "galaxy"}, "scope"),
        ("set", {"exclude": "("}, "pattern"),
        ("add", {"seeds": ""}, "no seed"),
        ("pause", {}, "no crawl runs"),
        ("nonsense", {}, "nothing like that"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_cure(
    steered: Served, own: Path, action: str, fields: dict[str, str], words: str
) -> None:
    before = (own / "plan.toml").read_bytes()
    came = post(steered, action, **fields)
    assert came.status in (400, 409)
    assert words in came.text
    assert (own / "plan.toml").read_bytes() == before


@pytest.mark.parametrize("where", ["form", "header"])
def test_a_form_of_ten_thousand_fields_is_refused(steered: Served, where: str) -> None:
    """Whether or not the token is among them."""
    token = {"x-gossamer-token": steered.access.token} if where == "header" else {}
    headers = {"content-type": "application/x-www-form-urlencoded", **token}
    fields = urlencode({"token": steered.access.token} | {f"field-{number}": "" for number in range(10_000)})
    came = steered.ask("POST", "/crawl/steer/add", fields.encode(), headers)
    assert (came.status, came.body.count(b"fields")) == ((400, 1) if token else (403, 0))


def test_a_crawl_that_does_not_begin_says_why_on_a_busy_machine_too(
    steered: Served, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = subprocess.Popen

    def slowly(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
        return start(["sh", "-c", 'sleep 2; exec "$@"', "sh", *command], **how)

    (own / "id").write_text("0123456789abcdef0123456789abcdef\n")  # as if somebody else had made it
    monkeypatch.setattr(steering.subprocess, "Popen", slowly)
    came = post(steered, "start")
    assert came.status == 400
    assert "allow_addresses" in came.text


def test_a_server_that_only_shows_has_no_buttons(own: Path) -> None:
    with serving(own, Access(local_names(), read_only=True)) as running:
        assert "/crawl/confirm" not in running.get("/crawl").text
        assert post(running, "add", seeds="https://a.example/").status == 403


@pytest.mark.soak  # in every run, `test_web_walk.py` does it with a browser
def test_a_crawl_is_begun_paused_resumed_and_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "live"
    with MadeWeb(SLOW).serve() as web:
        with gossamer.open(folder) as made:
            made.crawl(
                web.seed, pages=1, scope="any", delay=0.2, ip_delay=0.2, allow_addresses=("127.0.0.0/8",), shards=2
            )
            made.change(pages=0)
        with serving(folder) as running:
            assert post(running, "start").status == 303
            wait(lambda: count(folder) > 1)
            assert "Pause" in running.get("/crawl").text
            assert post(running, "start").status == 409, "one crawl at a time"
            assert post(running, "pause").status == 303
            wait(lambda: "Paused" in running.get("/crawl").text)
            time.sleep(1.5)  # what was under way is done
            pages = count(folder)
            time.sleep(1.5)
            assert count(folder) == pages
            assert post(running, "resume").status == 303
            wait(lambda: count(folder) > pages)
            assert post(running, "stop").status == 303
            wait(lambda: "At rest" in running.get("/crawl").text)
    with gossamer.open(folder) as made:
        assert made.status().queued
        assert not made.verify().problems


def count(folder: Path) -> int:
    with gossamer.open(folder) as web:
        return web.status().pages


def wait(true: object) -> None:
    assert callable(true)
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)
