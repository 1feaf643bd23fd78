"""What a Gemini server says, in the words of HTTP."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.fetch.protocols import gemini
from gossamer.fetch.protocols.asking import Ask, Said


def said(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[Said, list[Any]]:
    done: list[Any] = []

    async def connection(address: str, port: int, **more: Any) -> Any:
        reader = asyncio.StreamReader()
        reader.feed_data(answer)
        reader.feed_eof()
        done.append((address, port, more["server_hostname"]))
        return reader, SimpleNamespace(write=done.append, close=lambda: done.append("closed"))

    monkeypatch.setattr(asyncio, "open_connection", connection)
    ask = Ask("gemini://a.test/x", "a.test", 1965, "127.0.0.1", "/x", 5.0, 100)
    return asyncio.run(gemini.say(ask)), done


def test_a_page_comes_with_its_type_from_the_address_that_the_guard_let_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, done = said(b"20 text/plain; lang=en\r\nhello", monkeypatch)
    assert found == Said(200, b"hello", (("content-type", "text/plain; lang=en"),), "OK")
    assert done == [("127.0.0.1", 1965, "a.test"), b"gemini://a.test/x\r\n", "closed"]
    assert said(b"20\r\nhello", monkeypatch)[0].headers == (("content-type", "text/gemini"),)


def test_a_page_that_is_too_long_is_taken_until_there_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = said(b"20 text/plain\r\n" + b"x" * 200_000, monkeypatch)
    assert 100 < len(found.body) < 200_000


@pytest.mark.parametrize(
    ("line", "status", "headers"),
    [
        (b"30 /there", 302, (("location", "/there"),)),
        (b"31 /there", 301, (("location", "/there"),)),
        (b"10 name?", 400, ()),
        (b"40 later", 503, ()),
        (b"44 30", 429, (("retry-after", "30"),)),
        (b"44 soon", 429, ()),
        (b"43 30", 503, ()),
        (b"50 no", 403, ()),
        (b"51 none", 404, ()),
        (b"52 gone", 410, ()),
        (b"53 elsewhere", 421, ()),
        (b"59 what", 400, ()),
        (b"60 who", 403, ()),
        (b"99 odd", 502, ()),
    ],
)
def test_its_codes_are_statuses(line: bytes, status: int, headers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found, done = said(line + b"\r\n", monkeypatch)
    assert (found.status, found.headers, found.body) == (status, headers, b"")
    assert done[-1] == "closed"


@pytest.mark.parametrize("line", [b"hello\r\n", b"2x y\r\n", b"20 " + b"x" * 1_025 + b"\r\n"])
def test_what_is_no_gemini_is_refused(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="none of Gemini"):
        said(line, monkeypatch)


def test_a_first_line_may_have_a_kilobyte(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = said(b"51 " + b"x" * 1_024 + b"\r\n", monkeypatch)
    assert found.status == 404
