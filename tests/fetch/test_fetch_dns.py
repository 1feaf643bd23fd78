"""Names are looked up once, in the background, and what goes wrong is told apart."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable

import pytest
from fetch_hostile import answer, fetching, run, says, serving

from gossamer.fetch import Answer, Found, Resolver, Threads
from gossamer.fetch import dns as dns_module
from gossamer.fetch import names as names_module
from gossamer.fetch.names import system_lookup
from gossamer.model import Fault, Visit


class Steps:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now


class Names:
    """A lookup that counts its questions."""

    def __init__(self, reply: Callable[[str], Found]) -> None:
        self.asked: list[str] = []
        self._reply = reply

    def __call__(self, host: str) -> Found:
        self.asked.append(host)
        return self._reply(host)


def fails(number: int, text: str = "failed") -> Callable[[str], Found]:
    def reply(host: str) -> Found:
        raise socket.gaierror(number, text)

    return reply


def asked_over_time(names: Names, moments: list[float]) -> int:
    """How often a name is looked up when it is wanted at these seconds."""
    clock = Steps()

    async def main() -> None:
        resolver = Resolver(clock, Threads(names))
        for moment in moments:
            clock.now = 1000.0 + moment
            await resolver.resolve("site.test")
        resolver.close()

    run(main())
    return len(names.asked)


def resolve(lookup: Callable[[str], Found], host: str = "site.test") -> Answer:
    async def main() -> Answer:
        resolver = Resolver(Steps(), Threads(lookup))
        try:
            return await resolver.resolve(host)
        finally:
            resolver.close()

    return run(main())


@pytest.mark.parametrize(
    ("ttl", "kept"),
    [(None, 300), (0, 300), (1, 300), (300, 300), (1000, 1000), (3600, 3600), (1_000_000, 3600), (-5, 300)],
)
def test_an_answer_is_kept_for_its_time_within_bounds(ttl: float | None, kept: float) -> None:
    names = Names(lambda host: Found(("1.1.1.1",), ttl))
    assert asked_over_time(names, [0, 1, kept - 1]) == 1
    assert asked_over_time(names, [0, kept + 1]) == 3


@pytest.mark.parametrize(
    ("number", "fault", "kept"),
    [
        (socket.EAI_NONAME, Fault.NO_SUCH_HOST, 60),
        (socket.EAI_NODATA, Fault.NO_SUCH_HOST, 60),
        (socket.EAI_AGAIN, Fault.DNS, 10),
        (socket.EAI_FAIL, Fault.DNS, 10),
        (socket.EAI_SYSTEM, Fault.DNS, 10),
    ],
)
def test_a_name_that_does_not_exist_is_not_a_server_that_does_not_answer(
    number: int, fault: Fault, kept: float
) -> None:
    answer = resolve(fails(number))
    assert answer.addresses == ()
    assert answer.failure is not None
    assert answer.failure.fault is fault
    assert "site.test" in answer.failure.detail
    names = Names(fails(number))
    assert asked_over_time(names, [0, kept - 1, kept + 1]) == 2


@pytest.mark.parametrize("error", [UnicodeError("label too long"), ValueError("embedded null"), OSError(24, "files")])
def test_a_lookup_that_breaks_is_a_failure(error: Exception) -> None:
    def reply(host: str) -> Found:
        raise error

    answer = resolve(reply)
    assert answer.failure is not None
    assert answer.failure.fault is (Fault.DNS if isinstance(error, OSError) else Fault.NO_SUCH_HOST)


def test_a_host_without_addresses_does_not_exist() -> None:
    answer = resolve(lambda host: Found(()))
    assert answer.failure is not None
    assert answer.failure.fault is Fault.NO_SUCH_HOST


@pytest.mark.parametrize("name", ["a" * 300, "a..b", ".", "-", "ä" * 70 + ".test", "a\0b"])
def test_the_system_is_asked_for_impossible_names_without_harm(name: str) -> None:
    async def main() -> Answer:
        resolver = Resolver(Steps())
        try:
            return await resolver.resolve(name)
        finally:
            resolver.close()

    answer = run(main())
    assert answer.failure is not None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("8.8.8.8", "8.8.8.8"),
        ("::1", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("x.LOCALHOST.", "127.0.0.1"),
    ],
)
def test_an_address_is_answered_without_asking(host: str, address: str) -> None:
    names = Names(fails(socket.EAI_AGAIN))
    assert resolve(names, host).addresses == (address,)
    assert names.asked == []


def test_many_who_ask_at_once_share_one_question() -> None:
    names = Names(lambda host: Found(("1.1.1.1",)))

    async def main() -> list[Answer]:
        resolver = Resolver(Steps(), Threads(names))
        answers = await asyncio.gather(*(resolver.resolve("site.test") for _ in range(100)))
        resolver.close()
        return answers

    answers = run(main())
    assert names.asked == ["site.test"]
    assert {answer.addresses for answer in answers} == {("1.1.1.1",)}


def test_one_who_gives_up_does_not_spoil_it_for_the_others() -> None:
    gate = threading.Event()

    def reply(host: str) -> Found:
        gate.wait(30)
        return Found(("1.1.1.1",))

    async def main() -> Answer:
        resolver = Resolver(Steps(), Threads(reply))
        impatient = asyncio.create_task(resolver.resolve("site.test"))
        patient = asyncio.create_task(resolver.resolve("site.test"))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        gate.set()
        answer = await patient
        assert impatient.cancelled()
        resolver.close()
        return answer

    assert run(main()).addresses == ("1.1.1.1",)


def test_a_slow_name_server_holds_up_nobody_else() -> None:
    gate = threading.Event()

    def reply(host: str) -> Found:
        if host == "slow.test":
            gate.wait(30)
        return Found(("1.1.1.1",))

    async def main() -> None:
        resolver = Resolver(Steps(), Threads(reply))
        slow = asyncio.create_task(resolver.resolve("slow.test"))
        assert (await resolver.resolve("quick.test")).addresses
        assert not slow.done()
        gate.set()
        assert (await slow).addresses
        resolver.close()

    run(main())


def test_the_cache_is_bounded_and_drops_what_was_not_used_for_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.dns._ENTRIES", 3)
    names = Names(lambda host: Found(("1.1.1.1",)))

    async def main() -> None:
        resolver = Resolver(Steps(), Threads(names))
        for host in ("a", "b", "c", "a", "d", "a", "b"):
            await resolver.resolve(host)
        resolver.close()

    run(main())
    assert names.asked == ["a", "b", "c", "d", "b"]


def test_the_second_address_is_tried_when_the_first_is_dead() -> None:
    async def main() -> None:
        async with serving(says(answer(b"hello"))) as server:
            lookup = lambda host: Found(("127.0.0.9", "127.0.0.1"))  # noqa: E731  # short
            async with fetching(lookup=lookup) as fetcher:
                capture = await fetcher(Visit(server.url()))
        assert (capture.body, capture.address) == (b"hello", "127.0.0.1")

    run(main())


@pytest.mark.parametrize(
    ("turn", "asked", "failure"),
    [
        ("127.0.0.1", 1, None),
        ("127.0.0.9", 0, Fault.CONNECT),
        ("127.0.0.77", 0, Fault.CONNECT),
        ("10.0.0.1", 0, Fault.BLOCKED_ADDRESS),
        ("site.test", 0, Fault.DNS),
    ],
)
def test_a_visit_that_has_its_turn_at_one_address_goes_to_no_other(
    turn: str, asked: int, failure: Fault | None
) -> None:
    async def main() -> None:
        async with serving(says(answer(b"hello"))) as server:
            lookup = lambda host: Found(("127.0.0.9", "127.0.0.1"))  # noqa: E731  # short
            async with fetching(lookup=lookup, turn=lambda visit: turn) as fetcher:
                capture = await fetcher(Visit(server.url()))
        assert server.connections == asked
        assert (capture.failure.fault if capture.failure else None) is failure
        assert bool(capture.request) is (failure is None)

    run(main())


def test_a_name_that_fails_is_a_failure_of_the_visit() -> None:
    async def main() -> None:
        async with fetching(lookup=fails(socket.EAI_NONAME)) as fetcher:
            capture = await fetcher(Visit("http://nowhere.test/"))
        assert capture.failure is not None
        assert str(capture.failure) == "no-such-host: nowhere.test does not exist"

    run(main())


def test_a_name_that_waits_for_a_thread_is_not_blamed_for_the_names_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.names.PATIENCE", 0.02)
    gate = threading.Event()

    def reply(host: str) -> Found:
        if host.startswith("slow"):
            gate.wait(30)
        return Found(("1.1.1.1",))

    async def main() -> None:
        resolver = Resolver(Steps(), Threads(reply))
        slow = [asyncio.create_task(resolver.resolve(f"slow{number}.test")) for number in range(32)]
        good = asyncio.create_task(resolver.resolve("good.test"))
        given_up = await asyncio.gather(*slow)
        assert {answer.failure.fault for answer in given_up if answer.failure} == {Fault.DNS}
        assert await asyncio.wait({good}, timeout=0.1) == (set(), {good})
        gate.set()
        assert (await good).addresses
        resolver.close()

    run(main())


def test_a_host_with_hundreds_of_addresses_costs_no_more_than_a_few() -> None:
    many = Found(tuple(f"192.0.2.{number}" for number in range(250)))
    assert len(resolve(lambda host: many).addresses) == 16


def test_an_answer_is_asked_for_again_when_its_time_is_over_and_not_before() -> None:
    names = Names(lambda host: Found(("1.1.1.1",), 1_000.0))
    assert asked_over_time(names, [0, 999.9]) == 1
    names.asked.clear()
    assert asked_over_time(names, [0, 1_000]) == 2


def test_whoever_closes_ends_the_questions_that_are_not_answered() -> None:
    class Silent:
        def __init__(self) -> None:
            self.asked = asyncio.Event()
            self.closed = False

        async def find(self, host: str) -> Found:
            self.asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        def close(self) -> None:
            self.closed = True

    async def main() -> None:
        names = Silent()
        resolver = Resolver(Steps(), names)
        asking = asyncio.create_task(resolver.resolve("site.test"))
        await names.asked.wait()
        resolver.close()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert names.closed

    run(main())


def test_a_question_that_was_answered_is_forgotten() -> None:
    async def main() -> None:
        resolver = Resolver(Steps(), Threads(lambda host: Found(("1.1.1.1",))))
        await resolver.resolve("site.test")
        await asyncio.sleep(0)
        assert not resolver._asking
        resolver.close()

    run(main())


def test_closing_waits_for_nobody_and_forgets_who_waits_for_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.names._THREADS", 1)
    gate, looking = threading.Event(), threading.Event()
    asked: list[str] = []

    def reply(host: str) -> Found:
        asked.append(host)
        looking.set()
        gate.wait(30)
        return Found(("1.1.1.1",))

    async def main() -> None:
        names = Threads(reply)
        finding = [asyncio.create_task(names.find(host)) for host in ("first.test", "second.test")]
        await asyncio.get_running_loop().run_in_executor(None, looking.wait, 30)
        names.close()
        assert not gate.is_set()
        for each in finding:
            each.cancel()
        gate.set()
        await asyncio.gather(*finding, return_exceptions=True)
        with pytest.raises(RuntimeError, match="shutdown"):
            await names.find("third.test")

    run(main())
    assert asked == ["first.test"]


def test_the_system_tells_each_address_once_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(host: str, port: None, **_: object) -> list[tuple[object, ...]]:
        places = [("2001:db8::1", 0, 0, 0), ("192.0.2.1", 0), ("192.0.2.1", 0), ("2001:db8::1", 0, 0, 0)]
        return [(None, None, 6, "", place) for place in places]

    monkeypatch.setattr(socket, "getaddrinfo", told)
    assert system_lookup("site.test") == Found(("2001:db8::1", "192.0.2.1"))


@pytest.mark.parametrize(("text", "detail"), [("no luck", "site.test: no luck"), (None, "site.test: ")])
def test_what_the_system_says_of_a_failure_is_told(text: str | None, detail: str) -> None:
    def reply(host: str) -> Found:
        raise socket.gaierror(socket.EAI_AGAIN, text) if text else socket.gaierror()

    failure = resolve(reply).failure
    assert failure is not None
    assert failure.detail == detail


def test_a_name_server_has_half_a_minute_and_the_system_thirty_two_threads() -> None:
    assert (names_module.PATIENCE, names_module._THREADS) == (30.0, 32)


def test_ten_thousand_names_are_remembered_and_a_host_has_sixteen_addresses() -> None:
    assert (dns_module._ENTRIES, dns_module._ADDRESSES) == (10_000, 16)
