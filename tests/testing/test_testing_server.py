"""The made web over loopback: the same bytes as in-process, the same log, and a process of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from made_webs import EVERYTHING

from gossamer.model import Visit
from gossamer.testing import Errors, Log, MadeWeb, WebSpec, server
from gossamer.testing.wire import request_head, split_url


class StoppedClock:
    """So that dates are equal on both faces."""

    def wall(self) -> float:
        return 1_800_000_000.0

    def steady(self) -> float:
        return 5.0


@contextmanager
def connected(web: MadeWeb, url: str, **options: int) -> Iterator[socket.socket]:
    address = web.resolve(split_url(url)[0])
    with socket.socket() as client:
        client.settimeout(30)
        for name, value in options.items():
            client.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        client.connect((address, web.spec.port))
        yield client


def rest_of(client: socket.socket) -> bytes:
    return b"".join(iter(lambda: client.recv(65_536), b""))


def head_for(url: str, *fields: str) -> bytes:
    return request_head(Visit(url))[:-2] + "".join(f"{field}\r\n" for field in fields).encode() + b"\r\n"


def raw_answer(web: MadeWeb, url: str) -> bytes:
    """All bytes that come back for one request."""
    with connected(web, url) as client:
        client.sendall(head_for(url, "Connection: close"))
        return rest_of(client)


def test_both_faces_send_the_same_bytes() -> None:
    with MadeWeb(replace(EVERYTHING, hosts=5), clock=StoppedClock()).serve() as served:
        twin = MadeWeb(served.spec, clock=StoppedClock())
        urls = {link.url for page in served.reachable() if "/closed/" not in page for link in served.links(page)}
        urls |= served.reachable() | {f"{served.home(host)}robots.txt" for host in range(5)}
        urls |= {f"{served.home(host)}sitemap.xml" for host in range(5)}
        asked = sorted(url for url in urls if "/silent/" not in url)
        assert len(asked) > 150
        for url in asked:
            capture = asyncio.run(twin.fetch(Visit(url)))
            assert raw_answer(served, url) == capture.head + capture.wire, url
    assert [(e.url, e.status, e.size, e.finished) for e in served.log.entries] == [
        (e.url, e.status, e.size, e.finished) for e in twin.log.entries
    ]


def test_addresses_are_served_as_hosts_of_their_own() -> None:
    with MadeWeb(WebSpec(hosts=260, pages=2, names="ip")).serve() as served:
        for host in (0, 249, 250, 259):
            assert served.home(host) == f"http://{served.address(host)}:{served.spec.port}/"
            assert raw_answer(served, served.home(host)).startswith(b"HTTP/1.1 200 OK\r\n")
    assert [entry.host for entry in served.log.entries] == ["127.0.1.1", "127.0.1.250", "127.0.2.1", "127.0.2.10"]


def test_nothing_but_loopback_is_listened_on() -> None:
    listeners = server.listen(["127.0.1.1"], 0)
    for listener in listeners:
        device = listener.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
        assert device.rstrip(b"\0") == b"lo" or listener.getsockname()[0].startswith("127.")
        listener.close()


def test_without_the_right_to_bind_to_a_device_each_address_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = server._bound

    def refuse(address: str, port: int, device: bytes = b"") -> socket.socket:
        if device:
            raise PermissionError
        return bound(address, port)

    monkeypatch.setattr(server, "_bound", refuse)
    with MadeWeb(WebSpec(hosts=3, pages=1, names="ip")).serve() as served:
        for host in range(3):
            assert b"200 OK" in raw_answer(served, served.home(host))


def test_one_connection_answers_many_requests_in_turn() -> None:
    with MadeWeb(WebSpec(hosts=2, pages=20), clock=StoppedClock()).serve() as served:
        urls = list(served.pages())
        with connected(served, urls[0]) as client:
            client.sendall(b"".join(map(head_for, urls[:-1])) + head_for(urls[-1], "Connection: close"))
            answers = rest_of(client)
        assert answers == b"".join(raw_answer(served, url) for url in urls)


def test_requests_in_turn_do_not_overlap() -> None:
    with MadeWeb(WebSpec(pages=30, names="ip")).serve() as served:
        for url in served.pages():
            raw_answer(served, url)
    assert served.log.overlaps("127.0.1.1") == []
    assert len(served.log.gaps("127.0.1.1")) == 29
    assert min(served.log.gaps("127.0.1.1")) >= 0


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://h0.example/ HTTP/1.1\r\nHost: h0.example\r\n\r\n",
        b"\x16\x03\x01 this is not HTTP \r\n\r\n",
        b"GET /" + b"a" * 70_000,
    ],
)
def test_what_is_no_request_for_this_web_is_refused(request_: bytes) -> None:
    with MadeWeb().serve() as served:
        with connected(served, served.seed) as client:
            client.sendall(request_)
            assert rest_of(client).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert raw_answer(served, served.seed).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_client_that_leaves_a_silent_server_is_in_the_log_as_unfinished() -> None:
    with MadeWeb(WebSpec(errors=Errors(silent=1.0))).serve() as served:
        silent = next(link.url for link in served.links(served.seed) if "/silent/" in link.url)
        with connected(served, served.seed) as client:
            client.sendall(head_for(served.seed) + head_for(silent))
            assert client.recv(1)  # the first is answered, so the second was read with it
    assert [(e.url, e.status, e.finished) for e in served.log.entries] == [
        (served.seed, 200, True),
        (silent, 0, False),
    ]


def test_an_answer_is_finished_only_when_the_last_byte_is_out() -> None:
    with MadeWeb(WebSpec(pages=1, words=(1_500_000, 1_500_000))).serve() as served:
        with connected(served, served.seed, SO_RCVBUF=4096) as client:
            client.sendall(head_for(served.seed))
            assert client.recv(1)
            (waiting,) = served.log.in_flight
            assert served.log.entries == ()
        assert len(raw_answer(served, served.seed)) > 8_000_000
    assert waiting.url == served.seed
    assert [entry.finished for entry in served.log.entries] == [False, True]


def test_a_web_can_be_served_inside_an_event_loop() -> None:
    async def ask() -> bytes:
        with MadeWeb(WebSpec(names="ip")).serve() as served:
            reader, writer = await asyncio.open_connection(served.host(0), served.spec.port)
            writer.write(head_for(served.seed, "Connection: close"))
            answer = await reader.read()
            writer.close()
            return answer

    assert asyncio.run(ask()).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_port_that_is_taken_is_an_error_at_once() -> None:
    with MadeWeb().serve() as served, pytest.raises(OSError, match="in use"), MadeWeb().serve(served.spec.port):
        pass


@contextmanager
def process(*options: str) -> Iterator[dict[str, object]]:
    """The web as a process of its own; what it says when it is ready."""
    command = [sys.executable, "-m", "gossamer.testing", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        try:
            yield json.loads(running.stdout.readline())
        finally:
            running.send_signal(signal.SIGTERM)
            assert running.wait(30) == 0


def test_the_process_serves_what_its_options_ask_for_and_keeps_its_log(tmp_path: Path) -> None:
    log = tmp_path / "asked.jsonl"
    options = "--hosts 3 --pages 6 --seed 7 --words 10 20 --errors.busy 1 --errors.retry-after 9".split()  # noqa: SIM905  # as typed
    spec = WebSpec(seed=7, hosts=3, pages=6, words=(10, 20), names="ip", errors=Errors(busy=1, retry_after=9))
    for run in (1, 2):
        with process(*options, "--log", str(log)) as ready:
            web = MadeWeb(replace(spec, port=int(str(ready["port"]))))
            assert ready == {"port": web.spec.port, "seed": web.seed}
            for url in web.pages():
                body = asyncio.run(web.fetch(Visit(url))).body
                assert raw_answer(web, url).endswith(b"\r\n\r\n" + body)
            busy = next(link.url for link in web.links(web.seed) if "/busy/" in link.url)
            assert b"\r\nretry-after: 9\r\n" in raw_answer(web, busy)
            lines = Log.read(log).entries
        assert len(lines) == run * 19
        assert [entry.url for entry in lines[-19:]] == [*web.pages(), busy]


def test_the_process_outlives_a_client_that_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "asked.jsonl"
    client = """
import socket, sys
s = socket.create_connection(("127.0.1.1", int(sys.argv[1])))
s.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.1.1\\r\\n\\r\\n")
s.recv(1)
print("asked", flush=True)
s.sendall(b"GET /robots.txt HTTP/1.1\\r\\nHost: 127.0.1.1\\r\\n\\r\\n")
sys.stdin.read()
"""
    with process("--log", str(log)) as ready:
        command = [sys.executable, "-c", client, str(ready["port"])]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout
            assert running.stdout.readline() == "asked\n"
            running.kill()
        web = MadeWeb(WebSpec(names="ip", port=int(str(ready["port"]))))
        assert b"200 OK" in raw_answer(web, web.seed)
    assert Log.read(log).counts()[web.seed.replace(f":{web.spec.port}", "")] == 1
    assert Log.read(log).counts(whole=True)[web.seed] == 1


@pytest.mark.parametrize("option", ["--errors.busy=2", "--hosts=0", "--names=both", "--hosts=many", "--log=/"])
def test_the_process_refuses_a_web_that_cannot_be_made(option: str) -> None:
    command = [sys.executable, "-m", "gossamer.testing", option]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "error: " in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr
