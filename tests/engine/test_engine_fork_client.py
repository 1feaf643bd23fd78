"""The client of the fork server: the same promises to threads that wait and to an event loop that goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from crews import LONGEST

from gossamer.engine.fork_client import MOST_BARREN, Birth, Ended, ForkClient, NoServer

CHILD = "import os; child = lambda line: os._exit((line.recv(1) or bytes(1))[0])"
"""It ends with the exit code that it is sent."""


Asked = tuple[Birth, socket.socket]


@contextmanager
def asked(client: ForkClient, ended: Ended = lambda code: None) -> Iterator[Asked]:
    """A process and our end of its line. Its own end is closed when it is gone."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            birth = client.fork([theirs.fileno()], ended)
        ours.settimeout(LONGEST)
        yield birth, ours


def is_gone(line: socket.socket) -> bool:
    """Whether a process has closed its end of a line already, as any does that is dead."""
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True
    except BlockingIOError:
        return False


def server_of(client: ForkClient) -> int:
    assert client._server is not None
    return client._server.pid


@pytest.fixture
def client() -> Iterator[ForkClient]:
    """Asked from threads."""
    client = ForkClient([], CHILD)
    yield client
    client.close()


# -------------------------------------------------------------------- threads


def test_each_thread_hears_how_its_own_process_ended(client: ForkClient) -> None:
    def life(code: int) -> int | None:
        with asked(client) as (birth, line):
            line.send(bytes([code]))
            return client.end_of(birth)

    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(life, range(24))] == [*range(24)]


def test_a_process_may_be_killed_before_it_is_born(client: ForkClient) -> None:
    with asked(client) as (birth, _):
        assert birth.process is None
        client.kill(birth)
        assert client.end_of(birth) == -signal.SIGKILL


def test_when_the_server_dies_its_children_go_and_a_new_one_serves(client: ForkClient) -> None:
    with asked(client) as (first, line), asked(client) as (second, other):
        while second.process is None:
            client._hear()
        os.kill(server_of(client), signal.SIGKILL)
        assert client.end_of(first) is None
        assert client.end_of(second) is None
        assert is_gone(line)
        assert is_gone(other)
    with asked(client) as (birth, line):
        line.send(b"\7")
        assert client.end_of(birth) == 7


def test_a_process_asked_of_a_server_that_has_just_died_is_not_waited_for_in_vain(client: ForkClient) -> None:
    with asked(client) as (birth, line):
        line.send(b"\0")
        client.end_of(birth)
    assert client._server is not None
    client._server.kill()
    client._server.wait()
    with asked(client) as (birth, _):
        assert client.end_of(birth) is None


def test_closing_waits_for_all_also_for_those_that_are_not_born_yet() -> None:
    client = ForkClient([], CHILD)
    with asked(client) as (birth, line):
        line.send(b"\0")
        client.end_of(birth)
        server = server_of(client)
        with asked(client) as (_, other):
            client.close()
            assert is_gone(other)
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
    with pytest.raises(ConnectionError, match="closed"), asked(client):
        pass


# ------------------------------------------------------ what cannot be loaded


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers are started as anybody's are, and load what they need themselves."""
    monkeypatch.setenv("GOSSAMER_TEST_COLD", "1")


@pytest.mark.usefixtures("cold")
def test_a_server_that_cannot_load_what_it_needs_says_so_and_is_not_started_again() -> None:
    client = ForkClient(["no_such_module"], CHILD)
    with asked(client) as (birth, _):
        assert client.end_of(birth) is None
    assert "no_such_module" in str(birth.failure)
    with pytest.raises(NoServer, match="No module named 'no_such_module'"), asked(client):
        pass
    assert client._server is None
    client.close()


@pytest.mark.usefixtures("cold")
def test_a_server_that_always_dies_before_it_is_ready_is_given_up() -> None:
    client = ForkClient([], f"import os, signal; os.kill(os.getpid(), signal.SIGKILL); {CHILD}")
    failures = []
    for _ in range(MOST_BARREN):
        with asked(client) as (birth, _):
            client.end_of(birth)
            failures.append(birth.failure)
    assert failures[:-1] == [None] * (MOST_BARREN - 1)
    assert "was killed by SIGKILL" in str(failures[-1])
    with pytest.raises(NoServer), asked(client):
        pass
    client.close()


@pytest.mark.usefixtures("cold")
def test_a_server_that_always_dies_at_its_first_fork_is_given_up() -> None:
    dies = "import os, signal; os.fork = lambda: os.kill(os.getpid(), signal.SIGKILL)"
    client = ForkClient([], f"{dies}; {CHILD}")
    for _ in range(MOST_BARREN):
        with asked(client) as (birth, _):
            client.end_of(birth)
    assert f"{MOST_BARREN} in a row died" in str(birth.failure)
    with pytest.raises(NoServer), asked(client):
        pass
    client.close()


NO_PROCESS = """
import errno, os
fork, refusals = os.fork, [1]

def refused():
    if refusals:
        refusals.pop()
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    return fork()

os.fork = refused
"""
"""The system gives none the first time."""


@pytest.mark.usefixtures("cold")
def test_a_process_that_the_system_does_not_give_is_a_lack_of_the_machine_and_the_server_goes_on() -> None:
    client = ForkClient([], f"exec({NO_PROCESS!r}); {CHILD}")
    with asked(client) as (birth, other):
        assert client.end_of(birth) is None
        assert is_gone(other)
    assert "lacks processes or memory" in str(birth.failure)
    server = server_of(client)
    with asked(client) as (birth, line):
        line.send(bytes([7]))
        assert client.end_of(birth) == 7
    assert server_of(client) == server
    client.close()


# ----------------------------------------------------------------------- loop


async def born(birth: Birth) -> None:
    while birth.process is None:  # noqa: ASYNC110 - nobody is told of a birth, so there is no event to wait for
        await asyncio.sleep(0)


async def ends_of_two(kill: Callable[[ForkClient, Birth], None]) -> list[int | None]:
    """How two processes ended, the first after it was killed in some way and the second by itself."""
    loop = asyncio.get_running_loop()
    client = ForkClient([], CHILD, loop)
    first, second = loop.create_future(), loop.create_future()
    try:
        with asked(client, first.set_result) as (birth, _), asked(client, second.set_result) as (_, line):
            await born(birth)
            kill(client, birth)
            line.send(b"\3")
            return await asyncio.wait_for(asyncio.gather(first, second), LONGEST)
    finally:
        client.close()


def test_a_loop_hears_how_each_process_ended() -> None:
    assert asyncio.run(ends_of_two(lambda client, birth: client.kill(birth, signal.SIGKILL))) == [-signal.SIGKILL, 3]


def test_a_loop_hears_that_nobody_knows_when_the_server_has_died() -> None:
    assert asyncio.run(ends_of_two(lambda client, _: os.kill(server_of(client), signal.SIGKILL))) == [None, None]


def test_closing_in_a_loop_waits_for_all_and_calls_nobody() -> None:
    async def close() -> None:
        heard: list[int | None] = []
        client = ForkClient([], CHILD, asyncio.get_running_loop())
        with asked(client, heard.append) as (first, line), asked(client, heard.append) as (_, other):
            await born(first)
            client.close()
            assert is_gone(line)
            assert is_gone(other)
        await asyncio.sleep(0)
        assert heard == []

    asyncio.run(close())
