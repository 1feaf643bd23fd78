"""Who may ask, by which name, and what may change something?"""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import pytest

from gossamer.errors import UsageError
from gossamer.web.safety import FAILURES_MOST, Access, Password, local_names
from gossamer.web.serving import LOCAL, Wanted, listening
from harness.served import Served, serving


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8360", "127.0.0.1:1", "[::1]:8360", "LOCALHOST"],
)
def test_it_answers_to_its_own_names(host: str) -> None:
    assert Access(local_names()).is_ours(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8360",
        "localhost@evil.example",
        "evil.example/localhost",
        "127.0.0.2",
        "[::1",
        "localhost:99999999",
        "localhost localhost",
        "",
        "localhost,evil.example",
        "localhost\x00",
    ],
)
def test_a_name_that_only_resolves_to_us_is_none_of_ours(host: str) -> None:
    assert not Access(local_names()).is_ours(host)


def test_a_request_by_another_name_gets_nothing_of_the_collection(served: Served) -> None:
    for path in ("/", "/crawl", "/map", "/static/live.js", "/health", "/no-such-page"):
        came = served.get(path, host="evil.example")
        assert came.status == 421
        assert len(came.body) < 100


def test_two_names_are_none(served: Served) -> None:
    with socket.create_connection((LOCAL, served.port)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        first = connection.makefile("rb").readline()
    assert int(first.split()[1]) in (400, 421)


def test_every_answer_says_what_a_page_of_ours_may_do(served: Served) -> None:
    for path in ("/", "/?q=x", "/crawl", "/map", "/no-such-page", "/static/live.js", "/suggest?q=ab"):
        policy = served.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert "unsafe-eval" not in policy
        assert served.get(path).headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://localhost.evil.example"},
        {"origin": "http://["},
        {"origin": "httpx://localhost"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_what_another_page_sends_is_refused(served: Served, headers: dict[str, str]) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert served.ask(method, "/", b"", headers).status == 403


def test_what_nobody_understands_is_told_as_that(served: Served) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "FOO"):
        reply = served.ask(method, "/", b"", {})
        assert reply.status == 405
        assert reply.headers["allow"] == "GET, HEAD, POST"


def test_who_may_only_look_changes_nothing(collection: Path) -> None:
    with serving(collection, Access(local_names(), read_only=True)) as running:
        assert running.get("/").status == 200
        assert running.ask("POST", "/", b"").status == 403


def test_a_server_for_all_wants_a_password_or_to_be_looked_at_only() -> None:
    with pytest.raises(UsageError, match="GOSSAMER_PASSWORD"):
        Wanted(public=True)
    assert Wanted(public=True, read_only=True).access().any_address
    assert Wanted(public=True, password="secret").access().password


def test_a_password_is_asked_for_everywhere_and_not_guessed_quickly(collection: Path) -> None:
    def said(password: str) -> dict[str, str]:
        return {"authorization": "Basic " + base64.b64encode(f"me:{password}".encode()).decode()}

    with serving(collection, Access(local_names(), password=Password.of("right"))) as running:
        for path in ("/", "/crawl", "/static/live.js", "/suggest?q=ab"):
            assert running.get(path).status == 401
        assert running.get("/", **said("right")).status == 200
        assert running.get("/", authorization="Basic !!!").status == 401
        wrong = [running.get("/", **said(f"guess {number}")).status for number in range(FAILURES_MOST + 2)]
        assert wrong[0] == 401
        assert wrong[-1] == 429
        assert running.get("/", **said("right")).status == 429, "the next guess may be the right one"


def test_no_path_of_a_request_reaches_other_files(served: Served) -> None:
    for path in (
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/",
        "/static/live.js%00",
    ):
        came = served.get(path)
        assert came.status in (400, 404, 405), path
        assert b"import" not in came.body


def test_a_port_that_is_taken_is_said_with_the_cure() -> None:
    with listening(LOCAL, 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError, match="--port"):
            listening(LOCAL, port)
    with pytest.raises(UsageError, match="--port"):
        listening(LOCAL, 70_000)
