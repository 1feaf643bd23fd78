"""Name servers of every kind: a slow, broken or lying one costs its own names, and only those."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import pycares
import pytest
from fetch_hostile import run
from made_names import (
    AAAA,
    CNAME,
    FORMERR,
    NXDOMAIN,
    REFUSED,
    SERVFAIL,
    A,
    NameServer,
    Record,
    Reply,
    Zone,
    addresses,
    naming,
)

from gossamer.errors import StorageError
from gossamer.fetch import Ares, Found
from gossamer.fetch import ares as ares_module
from gossamer.model import Failure, Fault


def plain(name: str, kind: int) -> Reply:
    return addresses(name, "192.0.2.1", ttl=600)(kind)


def ask(zone: Zone, *hosts: str, loop: str = "asyncio") -> tuple[list[Found | Failure], NameServer]:
    """What is found for each host when all are asked for at once."""

    async def main() -> tuple[list[Found | Failure], NameServer]:
        async with naming(zone) as server:
            names = Ares([server.address])
            found = await asyncio.gather(*map(names.find, hosts))
            names.close()
            return found, server

    return run(main(), loop)


def fault(found: Found | Failure) -> Fault | None:
    return found.fault if isinstance(found, Failure) else None


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_both_families_are_asked_and_the_time_to_live_is_told(loop: str) -> None:
    zone = lambda name, kind: addresses(name, "192.0.2.1", "2001:db8::1", ttl=77)(kind)  # noqa: E731  # short
    (found,), server = ask(zone, "site.test", loop=loop)
    assert isinstance(found, Found)
    assert (sorted(found.addresses), found.ttl) == (["192.0.2.1", "2001:db8::1"], 77.0)
    assert sorted(server.asked) == [("site.test", A), ("site.test", AAAA)]


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_hundreds_of_names_are_asked_at_once_and_a_silent_server_holds_up_none_of_them(loop: str) -> None:
    """None of 300 names is answered while the last one is."""

    async def main() -> None:
        async with naming(
            lambda name, kind: Reply(silent=True) if name.startswith("slow") else plain(name, kind)
        ) as server:
            names = Ares([server.address])
            slow = []
            for number in range(300):
                slow.append(asyncio.create_task(names.find(f"slow{number}.test")))
                for _ in range(3):  # the server reads as they come: its buffer is not what is tested
                    await asyncio.sleep(0)
            await server.was_asked(600)
            assert fault(await names.find("good.test")) is None
            assert not any(task.done() for task in slow)
            names.close()
            await asyncio.gather(*slow, return_exceptions=True)

    run(main(), loop)


BROKEN: dict[str, tuple[Callable[[str, int], Reply], Fault]] = {
    "no such name": (lambda name, kind: Reply(code=NXDOMAIN), Fault.NO_SUCH_HOST),
    "no address": (lambda name, kind: Reply(), Fault.NO_SUCH_HOST),
    "server failure": (lambda name, kind: Reply(code=SERVFAIL), Fault.DNS),
    "refused": (lambda name, kind: Reply(code=REFUSED), Fault.DNS),
    "not understood": (lambda name, kind: Reply(code=FORMERR), Fault.DNS),
    "garbage": (lambda name, kind: Reply(raw=b"\x81\x80garbage, and more of it"), Fault.DNS),
    "half a head": (lambda name, kind: Reply(raw=b"\x81"), Fault.DNS),
    "aliases in a circle": (
        lambda name, kind: Reply((Record(name, CNAME, f"b.{name}"), Record(f"b.{name}", CNAME, name))),
        Fault.NO_SUCH_HOST,
    ),
    "one family fails, the other has nothing": (
        lambda name, kind: Reply(code=SERVFAIL) if kind == A else Reply(delay=0.05),
        Fault.DNS,
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_name_is_told_apart_and_breaks_no_other(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.ares._TIMEOUT", 0.2)
    zone, expected = BROKEN[kind]
    good = [f"good{number}.test" for number in range(20)]
    answer = lambda name, kind: zone(name, kind) if name.endswith("bad.test") else plain(name, kind)  # noqa: E731  # short
    (bad, *others), _ = ask(answer, "bad.test", *good)
    assert isinstance(bad, Failure)
    assert bad.fault is expected
    assert "bad.test" in bad.detail
    assert [fault(each) for each in others] == [None] * len(good)


@pytest.mark.parametrize("wrong", [Reply(silent=True), Reply((Record("bad.test", A, "192.0.2.66"),), wrong_id=True)])
def test_silence_and_answers_to_other_questions_are_a_time_out(wrong: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.ares._TIMEOUT", 0.1)
    (found,), server = ask(lambda name, kind: wrong, "bad.test")
    assert fault(found) is Fault.DNS
    assert len(server.asked) == 2 * 3


def test_a_question_has_an_end_whatever_the_servers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.ares.PATIENCE", 0.05)
    (found,), _ = ask(lambda name, kind: Reply(silent=True), "bad.test")
    assert str(found) == "dns: no answer for bad.test within 0.05 s"


def test_a_name_with_one_family_that_is_never_answered_has_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.ares._TIMEOUT", 0.2)
    (found,), _ = ask(lambda name, kind: plain(name, kind) if kind == A else Reply(silent=True), "site.test")
    assert found == Found(("192.0.2.1",), 600.0)


def test_an_answer_that_is_too_long_for_a_datagram_comes_over_tcp() -> None:
    many = tuple(Record("site.test", A, f"192.0.2.{number}") for number in range(1, 200))
    (found,), server = ask(lambda name, kind: Reply(many if kind == A else (), only_tcp=True), "site.test")
    assert isinstance(found, Found)
    assert len(found.addresses) == 199
    assert server.by_tcp == 2


@pytest.mark.parametrize(("ttl", "met"), [(0, 0.0), (2**31 - 1, 2.0**31 - 1)])
def test_a_time_to_live_of_any_size_is_told_as_it_is(ttl: int, met: float) -> None:
    (found,), _ = ask(lambda name, kind: addresses(name, "192.0.2.1", ttl=ttl)(kind), "site.test")
    assert found == Found(("192.0.2.1",), met)


def test_aliases_are_followed_and_the_shortest_time_to_live_holds() -> None:
    def zone(name: str, kind: int) -> Reply:
        alias = Record(name, CNAME, "other.test", 5)
        return Reply((alias, Record("other.test", A, "192.0.2.1", 50))) if kind == A else Reply((alias,))

    (found,), _ = ask(zone, "site.test")
    assert found == Found(("192.0.2.1",), 5.0)


@pytest.mark.parametrize("host", ["a_b.test", "_dmarc.test", "-a.test", "xn--bcher-kva.test", "site.test.", "UP.test"])
def test_names_that_exist_though_no_standard_has_them_are_asked_for(host: str) -> None:
    (found,), server = ask(plain, host)
    assert isinstance(found, Found)
    assert (host.rstrip(".").lower(), A) in server.asked


@pytest.mark.parametrize(
    "host",
    [
        "a" * 64 + ".test",
        ".".join(["a" * 60] * 5),
        "a..b",
        ".",
        "",
        "a b",
        "a+b.test",
        "a\0b",
        "ä.test",
        "\ud800.test",
        "a'b",
    ],
)
def test_what_is_not_a_name_is_a_failure_and_is_never_asked_for(host: str) -> None:
    (found,), server = ask(plain, host)
    assert fault(found) is Fault.NO_SUCH_HOST
    assert server.asked == []


def test_a_name_without_a_dot_is_looked_for_in_the_search_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALDOMAIN", "corp.test")  # takes the place of `search` in resolv.conf
    (found,), _ = ask(lambda n, k: plain(n, k) if n == "wiki.corp.test" else Reply(code=NXDOMAIN), "wiki")
    assert found == Found(("192.0.2.1",), 600.0)


def test_the_hosts_file_comes_before_the_name_servers() -> None:
    listed = [line.split()[:2] for line in Path("/etc/hosts").read_text().splitlines() if line.split("#")[0].strip()]
    known = {name: address for address, name in listed if "localhost" not in name and ":" not in address}
    if not known:
        pytest.skip("/etc/hosts lists nothing but localhost")
    name, address = next(iter(known.items()))
    (found,), server = ask(plain, name)
    assert isinstance(found, Found)
    assert address in found.addresses
    assert server.asked == []


def test_a_machine_without_descriptors_is_not_blamed_on_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("gossamer.fetch.ares.pycares.Channel", broken)
    with pytest.raises(StorageError, match="ulimit -n"):
        ask(plain, "site.test")


def test_one_who_gives_up_leaves_no_socket_behind() -> None:
    async def main() -> None:
        async with naming(lambda name, kind: Reply(silent=True)) as server:
            names = Ares([server.address])
            asking = asyncio.create_task(names.find("slow.test"))
            await server.was_asked(1)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert not names._open
            names.close()

    run(main())


def test_the_system_is_asked_where_no_server_is_given() -> None:
    async def main() -> Found | Failure:
        names = Ares()
        try:
            return await names.find("localhost")
        finally:
            names.close()

    found = run(main())
    assert isinstance(found, Found)
    assert socket.inet_ntoa(socket.inet_aton("127.0.0.1")) in found.addresses


class Noted(ares_module._Question):
    """Remembers all that were asked."""

    all: ClassVar[list[Noted]] = []

    def __init__(self, servers: Sequence[str]) -> None:
        super().__init__(servers)
        self.all.append(self)
        self.channel = self._channel
        self.fired = 0

    def _process(self, read: int, write: int) -> None:
        self.fired += 1
        super()._process(read, write)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[Noted]:
    monkeypatch.setattr(ares_module, "_Question", Noted)
    Noted.all.clear()
    return Noted.all


def nothing_left(question: Noted) -> bool:
    timer = question._timer
    return (
        question._channel is None
        and not question._watched
        and question._answer.done()
        and (timer is None or timer.cancelled())
    )


@pytest.mark.parametrize("end", ["answered", "given up", "closed"])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_however_a_question_ends_no_channel_socket_or_timer_is_left(
    end: str, loop: str, noted: list[Noted], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[object] = []
    close = ares_module.pycares.Channel.close
    monkeypatch.setattr(ares_module.pycares.Channel, "close", lambda self: closed.append(self) or close(self))

    async def main() -> None:
        async with naming(plain if end == "answered" else lambda name, kind: Reply(silent=True)) as server:
            names = Ares([server.address])
            asking = asyncio.create_task(names.find("site.test"))
            await server.was_asked(2)
            if end == "given up":
                asking.cancel()
            if end == "closed":
                names.close()
            (found,) = await asyncio.gather(asking, return_exceptions=True)
            assert isinstance(found, Found if end == "answered" else asyncio.CancelledError)
            assert all(map(nothing_left, noted))
            assert [question.channel for question in noted] == closed
            assert not names._open
            names.close()

    run(main(), loop)
    assert noted


def test_who_closes_ends_all_that_is_asked() -> None:
    async def main() -> None:
        async with naming(lambda name, kind: Reply(silent=True)) as server:
            names = Ares([server.address])
            asking = [asyncio.create_task(names.find(f"slow{number}.test")) for number in range(5)]
            await server.was_asked(10)
            names.close()
            ended = await asyncio.gather(*asking, return_exceptions=True)
            assert [type(each) for each in ended] == [asyncio.CancelledError] * 5

    run(main())


@pytest.mark.parametrize("error", [OSError(1, "Operation not permitted"), pycares.AresError(11, "no server")])
def test_a_channel_that_cannot_be_made_is_a_failure_of_the_name_servers(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("gossamer.fetch.ares.pycares.Channel", broken)
    (found,), _ = ask(plain, "site.test")
    assert fault(found) is Fault.DNS
    assert "site.test could not be asked for" in str(found)


def test_a_try_has_three_seconds_and_there_are_three() -> None:
    assert (ares_module._TIMEOUT, ares_module._TRIES) == (3.0, 3)


def test_an_address_that_is_told_twice_is_found_once_in_its_order() -> None:
    twice = tuple(Record("site.test", A, f"192.0.2.{number}", 60 + number) for number in (1, 2, 1))
    (found,), _ = ask(lambda name, kind: Reply(twice if kind == A else ()), "site.test")
    assert isinstance(found, Found)
    assert (sorted(found.addresses), found.ttl) == (["192.0.2.1", "192.0.2.2"], 61.0)


def test_what_went_wrong_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.ares._TIMEOUT", 0.1)
    details = {}
    for name, reply in {"gone": Reply(code=NXDOMAIN), "broken": Reply(code=SERVFAIL)}.items():
        (found,), _ = ask(lambda _, kind, reply=reply: reply, f"{name}.test")
        details[name] = str(found)
    assert details["gone"] == "no-such-host: gone.test does not exist"
    words = pycares.errno.strerror(pycares.errno.ARES_ESERVFAIL)
    assert details["broken"] == f"dns: broken.test: {words.decode() if isinstance(words, bytes) else words}"


def test_a_name_server_that_waits_is_waited_for_without_being_looked_at_all_the_time(noted: list[Noted]) -> None:
    zone = lambda name, kind: Reply(plain(name, kind).records, delay=0.1)  # noqa: E731  # short
    (found,), _ = ask(zone, "site.test")
    assert isinstance(found, Found)
    assert sum(question.fired for question in noted) < 20
