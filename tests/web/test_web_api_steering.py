"""A program steers a crawl as the command line does, with the token and within what may be changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_server import TOKEN, Client, Reply, serving

import gossamer
from gossamer.collection import lock
from gossamer.collection.lock import CRAWL
from gossamer.collection.steering import SOON, Steering
from gossamer.web.api.steering import ACTIONS

RIGHT = {"x-gossamer-token": TOKEN, "content-type": "application/json"}


@pytest.fixture
def own(dated: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(dated, tmp_path / "my-web"))


@pytest.fixture
def steered(own: Path) -> Iterator[Client]:
    with serving(own) as client:
        yield client


def post(client: Client, action: str, sent: Any = None) -> Reply:
    body = b"" if sent is None else json.dumps(sent).encode()
    return client.send("POST", f"/api/v1/steering/{action}", RIGHT, body)


def plan_of(folder: Path) -> gossamer.Plan:
    with gossamer.open(folder) as web:
        return web.plan


def test_what_a_crawl_goes_by_is_told_with_the_token(client: Client, dated: Path) -> None:
    told = client.api("steering")
    assert (told["running"], told["paused"], told["token"]) == (False, False, TOKEN)
    assert set(told["settings"]) == {*SOON} - {"seeds"}
    assert told["settings"]["delay"] == plan_of(dated).delay


def test_a_server_that_only_shows_tells_no_token_and_changes_nothing(own: Path) -> None:
    with serving(own, read_only=True) as client:
        assert client.api("steering")["token"] is None
        assert post(client, "add", {"seeds": ["https://a.example/"]}).status == 403
    assert "https://a.example/" not in plan_of(own).seeds


def test_seeds_settings_and_retries_are_those_of_the_next_crawl(steered: Client, own: Path) -> None:
    seeds = ["https://a.example/", "https://example.org/", "b.example/x"]
    assert post(steered, "add", {"seeds": seeds}).json == {"action": "add", "count": 2}
    assert {"https://a.example/", "https://example.org/"} <= set(plan_of(own).seeds)
    sent = {"delay": 2.5, "pages": 70, "scope": "domain", "exclude": ["/print/", "\\.pdf$"]}
    assert post(steered, "set", sent).json == {"action": "set", "count": None}
    plan = plan_of(own)
    assert (plan.delay, plan.pages, plan.scope, plan.exclude) == (2.5, 70, "domain", ("/print/", "\\.pdf$"))
    assert steered.api("steering")["settings"]["exclude"] == ["/print/", "\\.pdf$"]
    assert post(steered, "retry").json == {"action": "retry", "count": 3}
    assert post(steered, "retry", {"site": "nobody.example"}).json["count"] == 0


def test_a_crawl_that_runs_is_paused_resumed_and_stopped(steered: Client, own: Path) -> None:
    with lock.exclusive(own, CRAWL):
        for action, paused in (("pause", True), ("resume", False)):
            assert post(steered, action).status == 200
            assert Steering(own).orders().paused is paused
            assert steered.api("steering")["paused"] is paused
        assert steered.api("steering")["running"] is True
        assert post(steered, "stop").status == 200
        assert Steering(own).orders().stop == Steering(own).crawl()
        reply = post(steered, "start")
        assert (reply.status, reply.json["status"]) == (409, 409)


@pytest.mark.parametrize(
    ("action", "sent", "words"),
    [
        ("pause", None, "no crawl runs"),
        ("pause", {"site": "a"}, "none is known here"),
        ("add", None, "seeds: is missing; it must be a list of texts, 1,000 at most"),
        ("add", {"seeds": []}, "seeds: must be a list of texts"),
        ("add", {"seeds": ["https://a.example/", 5]}, "seeds: must be a list of texts"),
        ("add", {"seeds": ["http://"]}, "http://"),
        ("set", {"delay": "soon"}, "delay: must be a number from 0"),
        ("set", {"delay": -1}, "delay: must be a number from 0"),
        ("set", {"pages": 1.5}, "pages: must be a whole number from 0"),
        ("set", {"scope": "galaxy"}, "one of any, domain, host, page, path"),
        ("set", {"exclude": ["("]}, "pattern"),
        ("set", {"allow_addresses": ["0.0.0.0/0"]}, "no parameter"),
        ("set", {"on_page": "os:system"}, "no parameter"),
        ("set", [1], "JSON object"),
        ("retry", {"site": ""}, "site: must be"),
    ],
)
def test_what_cannot_be_done_is_a_problem_with_its_cure(
    steered: Client, own: Path, action: str, sent: Any, words: str
) -> None:
    before = (own / "plan.toml").read_bytes()
    reply = post(steered, action, sent)
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/problem+json"
    assert words in reply.json["detail"]
    assert (own / "plan.toml").read_bytes() == before


def test_what_is_no_json_is_refused(steered: Client) -> None:
    for body in (b"{", b"\xff", b"[" * 100_000, b'{"seeds": ["\\ud800"]}', b"seeds=a"):
        assert steered.send("POST", "/api/v1/steering/add", RIGHT, body).status == 400, body[:20]


def test_without_the_token_nothing_changes(steered: Client, own: Path) -> None:
    before = (own / "plan.toml").read_bytes()
    body = json.dumps({"seeds": ["https://a.example/"]}).encode()
    for wrong in ({}, {"x-gossamer-token": "another"}, {**RIGHT, "origin": "http://evil.example"}):
        for action in ACTIONS:
            assert steered.send("POST", f"/api/v1/steering/{action.name}", wrong, body).status == 403
    for action in ACTIONS:
        assert steered.get(f"/api/v1/steering/{action.name}").status == 404
    assert (own / "plan.toml").read_bytes() == before
