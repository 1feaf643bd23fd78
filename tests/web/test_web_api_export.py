"""The whole collection comes over the wire: the same lines, a few exports at once, and none for who has gone."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Client, serving

from gossamer.cli.main import main
from gossamer.collection import Collection
from gossamer.web.api import export
from gossamer.web.leases import EXPORTS_AT_ONCE
from gossamer.web.serving import LOCAL

PLACE = "/api/v1/export.jsonl"


def test_lines_are_those_of_the_command_line(
    client: Client, dated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, query in (
        ([], {}),
        (["--site", "example.org"], {"site": "example.org"}),
        (["--include", "/guide/", "--without-links"], {"include": "/guide/", "links": "false"}),
        (["--query", "cascade"], {"query": "cascade"}),
        (["--fields", "url, title"], {"fields": "url, title"}),
    ):
        path = tmp_path / f"pages{len(options)}{''.join(query)}.jsonl"
        assert main(["export", str(dated), "jsonl", "-o", str(path), *options]) == 0
        reply = client.get(PLACE, **query)
        assert reply.headers["content-type"] == "application/x-ndjson"
        assert reply.body == path.read_bytes()
        assert json.loads(reply.body.splitlines()[0])["url"]


@pytest.mark.parametrize(
    "query", [{"include": "("}, {"site": "::"}, {"x": "1"}, {"query": " "}, {"links": "?"}, {"fields": "x"}]
)
def test_what_is_wrong_is_said_before_the_first_line(client: Client, query: dict[str, str]) -> None:
    reply = client.get(PLACE, **query)
    assert (reply.status, reply.headers["content-type"]) == (400, "application/problem+json")


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection that is never at its end."""

    def lines(self: Collection, **_: object) -> Iterator[bytes]:
        self.status()
        while True:
            yield b'{"url": "https://example.org/"}\n' * 1_000

    monkeypatch.setattr(Collection, "export_lines", lines)


def begun(client: Client) -> socket.socket:
    """An export of which only the beginning was taken."""
    taker = socket.create_connection((LOCAL, client.port), timeout=60)
    taker.sendall(f"GET {PLACE} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    assert taker.recv(15).startswith(b"HTTP/1.1 200")
    return taker


def is_room(client: Client) -> bool:
    """Whether one more export begins."""
    connection = http.client.HTTPConnection(LOCAL, client.port, timeout=60)
    connection.request("GET", PLACE)
    status = connection.getresponse().status
    connection.close()
    assert status in (200, 503)
    return status == 200


@pytest.mark.usefixtures("endless")
def test_exports_are_few_and_one_that_nobody_hears_ends(dated: Path) -> None:
    with serving(dated) as client:
        takers = [begun(client), begun(client)]
        reply = client.get(PLACE)
        assert (reply.status, reply.headers["retry-after"]) == (503, "2")
        assert client.api("status")["pages"], "questions are answered meanwhile"
        takers[0].close()
        while not is_room(client):
            pass  # the server hears of it when it sends the next lines
        takers[1].close()


@pytest.mark.usefixtures("endless")
def test_an_export_that_nobody_takes_ends(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "STALLED", 0.2)
    with serving(dated) as client:
        takers = [begun(client), begun(client)]
        while not is_room(client):
            pass  # both are open, and read nothing
        for taker in takers:
            taker.close()


def test_exports_one_after_another_share_their_threads(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set[int]()
    some = export._Reader._some

    def noted(reader: export._Reader) -> bytes:
        threads.add(threading.get_native_id())
        return some(reader)

    monkeypatch.setattr(export._Reader, "_some", noted)
    with serving(dated) as client:
        for _ in range(8):
            while client.get(PLACE).status != 200:
                pass  # the one before is just being closed
    assert len(threads) <= EXPORTS_AT_ONCE
