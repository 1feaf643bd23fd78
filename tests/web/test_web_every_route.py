"""Whatever the server has a route for: by another name, from another page or without the token it is refused, and to
look changes nothing. A route that is new is asked too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from api_server import PAGE, TOKEN, Client, serving
from starlette.routing import Mount, Route

from gossamer.collection.column_families import FAMILIES
from gossamer.store.table.table import Table
from gossamer.web.api.steering import ACTIONS
from gossamer.web.app import MODEL_CONTEXT, routes
from gossamer.web.steering_page import ACTIONS as STEPS
from harness.read_only import looks

STEERING = ("/crawl/steer/", "/api/v1/steering/")
"""Where something can be changed."""
ENDLESS = "/crawl/events"
WITHOUT: list[Mapping[str, str]] = [
    {},
    {"x-gossamer-token": "another"},
    {"content-type": "application/x-www-form-urlencoded"},
    {"content-type": "multipart/form-data; boundary=x"},
]
"""The token."""
QUERY = {"q": "cascade", "url": PAGE, "name": "example.org", "host": "example.org", "subject": PAGE}


def places() -> Iterator[str]:
    """The address of each route, with a word in each of its gaps."""
    for route in routes():
        assert isinstance(route, Route | Mount)
        if route.path == "/crawl/steer/{action}":
            yield from (route.path.replace("{action}", name) for name in (*STEPS, "add", "set"))
        elif isinstance(route, Mount):
            yield from (f"{route.path}/live.js", f"{route.path}/none")
        else:
            yield route.path.replace("{action}", "stop").replace("{rest:path}", "none")
    yield MODEL_CONTEXT
    yield "/no-such-page"


EVERY = list(places())


def test_there_are_all_of_them() -> None:
    assert {"/", "/page", "/cached", "/broken.csv", "/crawl/confirm/stop", "/crawl/steer/start", ENDLESS} < {*EVERY}
    assert {f"/api/v1/steering/{action.name}" for action in ACTIONS} < {*EVERY}


@pytest.fixture(scope="module")
def client(dated: Path) -> Iterator[Client]:
    with serving(dated, by_post=(MODEL_CONTEXT,)) as found:
        yield found


@pytest.mark.parametrize("path", EVERY)
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", ""])
def test_a_forged_host_is_refused(client: Client, path: str, host: str) -> None:
    for method in ("GET", "HEAD", "POST"):
        reply = client.send(method, path, {"host": host, "x-gossamer-token": TOKEN}, **QUERY)
        assert reply.status == 421, method
        assert b"example.org" not in reply.body


@pytest.mark.parametrize("path", EVERY)
def test_nothing_is_changed_from_another_page_or_without_the_token(client: Client, path: str) -> None:
    right = {"x-gossamer-token": TOKEN}
    is_question = path == MODEL_CONTEXT  # which asks for no token, because nothing can be changed there
    refused: list[Mapping[str, str]] = [
        {**right, "origin": "http://evil.example"},
        {**right, "origin": "null"},
        {**right, "sec-fetch-site": "cross-site"},
        {**right, "sec-fetch-site": "same-site"},
        *([] if is_question else WITHOUT),
    ]
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        for headers in refused:
            reply = client.send(method, path, headers)
            assert reply.status in ((403,) if method == "POST" else (403, 405)), (method, headers)
            assert "access-control-allow-origin" not in reply.headers
        if not path.startswith(STEERING) and not is_question:
            assert client.send(method, path, right).status in (404, 405), method


def test_looking_changes_nothing(client: Client, dated: Path) -> None:
    """No byte, and the table has had no other commit."""
    before, commits = looks(dated), sequences(dated)
    for path in EVERY:
        if path != ENDLESS:
            client.get(path, **QUERY)
            client.get(path)
        client.send("HEAD", path, **QUERY)
        client.send("POST", path, body=b"seeds=https://a.example/")
    assert looks(dated) == before
    assert sequences(dated) == commits


def sequences(folder: Path) -> list[int]:
    """How far the table of each shard is."""
    found = []
    for place in sorted(folder.glob("shards/*/table")):
        with Table.open(place, FAMILIES, writable=False) as table:
            found.append(table.sequence)
    assert found
    return found
