"""When an answer came is asked of the kernel, by a machine whose clock and socket are made."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

from gossamer.fetch import times as module
from gossamer.fetch.times import Times, times

NOW = 1_000.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: NOW))


def tell(monkeypatch: pytest.MonkeyPatch, sent: int, came: int) -> list[str]:
    """A kernel that says how many milliseconds ago the last byte went out and came in; what becomes of its socket."""
    done: list[str] = []

    class Socket:
        def __init__(self, fileno: int) -> None:
            assert fileno == 5

        def getsockopt(self, *_: int) -> bytes:
            return struct.pack("<44xI4xI", sent, came)

        def detach(self) -> None:
            done.append("detached")

    names = SimpleNamespace(socket=Socket, IPPROTO_TCP=6, TCP_INFO=11)
    monkeypatch.setattr(module, "socket", names)
    return done


def test_on_a_connection_that_stood_before_both_moments_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    done = tell(monkeypatch, sent=3_000, came=1_000)
    assert times(5, new=False) == Times(999.0, 997.0)
    assert done == ["detached"], "the socket is libcurl's, and stays open"


def test_on_a_new_connection_what_was_sent_is_not_only_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    tell(monkeypatch, sent=3_000, came=1_000)
    assert times(5, new=True) == Times(999.0)


def test_what_came_before_the_request_was_sent_is_no_answer_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tell(monkeypatch, sent=1_000, came=3_000)
    assert times(5, new=False) == Times(997.0)
    tell(monkeypatch, sent=1_000, came=1_000)
    assert times(5, new=False) == Times(999.0, 999.0)


def test_without_a_socket_it_is_now() -> None:
    assert times(-1, new=False) == Times(NOW)


def test_what_is_no_socket_any_more_is_asked_in_vain() -> None:
    with open("/dev/null") as file:
        assert times(file.fileno(), new=False) == Times(NOW)


def test_descriptor_zero_is_a_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def socket(fileno: int) -> None:
        asked.append(fileno)
        raise OSError(88, "Socket operation on non-socket")

    monkeypatch.setattr(module, "socket", SimpleNamespace(socket=socket))
    assert times(0, new=True) == Times(NOW)
    assert asked == [0]


def test_an_answer_takes_from_the_request_to_its_last_byte() -> None:
    assert Times(999.0, 997.0).taken(10.0) == 2.0
    assert Times(997.0, 999.0).taken(10.0) == 0.0
    assert Times(999.0).taken(10.0) == 9.0, "the second in which we were busy is not the server's"
    assert Times(980.0).taken(10.0) == 0.0


def test_a_system_that_tells_less_than_linux_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    short = SimpleNamespace(getsockopt=lambda *_: bytes(4), detach=lambda: None)
    monkeypatch.setattr(module, "socket", SimpleNamespace(socket=lambda **_: short, IPPROTO_TCP=6, TCP_INFO=11))
    assert times(5, new=True) == Times(NOW)
