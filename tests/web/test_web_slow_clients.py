"""Clients that send half a request, or nothing, are cut off and keep nobody waiting."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from api_server import TOKEN, Client, serving

from gossamer.web import connections
from gossamer.web.serving import LOCAL

HALF = (
    b"POST /api/v1/status HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\nx-gossamer-token: " + TOKEN.encode()
    + b"\r\n\r\nhalf"
)  # fmt: skip
HALVES = (
    b"",
    b"GET /api/v1/sta",
    b"GET /api/v1/status HTTP/1.1\r\nhost: localhost\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\nGET /hea",
    HALF,
    b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n" + HALF,
)


@contextmanager
def half_open(client: Client, number: int) -> Iterator[list[socket.socket]]:
    """So many that have begun to ask."""
    with ExitStack() as opened:
        clients = []
        for each in range(number):
            clients.append(opened.enter_context(socket.create_connection((LOCAL, client.port), timeout=120)))
            clients[-1].sendall(HALVES[each % len(HALVES)])
        yield clients


def is_cut_off(client: socket.socket) -> bool:
    """Waits until the server has closed the connection."""
    try:
        while client.recv(65_536):
            pass
    except ConnectionError:
        pass
    return True


def ask_beside(dated: Path, number: int) -> None:
    with serving(dated) as client, half_open(client, number) as clients:
        for _ in range(20):
            assert client.api("search", q="cascade")["hits"]
            assert client.get("/health").status == 200
        assert all(map(is_cut_off, clients))
        assert client.get("/health").status == 200


def test_half_open_clients_do_not_stop_the_others(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "ASKING", 2.0)
    ask_beside(dated, 200)


def test_the_one_that_waited_longest_makes_room(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTED_MOST", 20)
    with serving(dated) as client, half_open(client, 100):
        assert client.api("status")["pages"]


def ask_for_ever(client: socket.socket) -> None:
    while True:
        client.sendall(b"GET /static/live.js HTTP/1.1\r\nhost: localhost\r\n\r\n" * 2_000)


def test_who_takes_no_answer_is_cut_off(dated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "TAKING", 0.5)
    with serving(dated) as client, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.settimeout(60)
        deaf.connect((LOCAL, client.port))
        with pytest.raises(ConnectionError):
            ask_for_ever(deaf)
        assert client.get("/health").status == 200


def test_connections_leave_files_for_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"now": (1_024, 1_048_576)}
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.update(now=new))
    assert connections.most() == 512
    connections.make_room()
    assert (connections.most(), limits["now"]) == (connections.CONNECTED_MOST, (4_000, 1_048_576))
    limits["now"] = (256, 300)
    connections.make_room()
    assert (connections.most(), limits["now"]) == (150, (300, 300))


@pytest.mark.soak
def test_a_thousand_half_open_clients_do_not_stop_the_others(dated: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))  # both ends are in this process
    try:
        ask_beside(dated, 1_000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
