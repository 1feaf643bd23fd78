"""Other protocols than HTTP go where their host is, and nowhere that the guard forbids."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.fetch import Guard, Resolver
from gossamer.fetch.dns import Answer
from gossamer.fetch.protocols.asking import OtherProtocols
from gossamer.fetch.protocols.deadlines import Means
from gossamer.model import Capture, Failure, Fault, SystemClock, Visit

GONE = Failure(Fault.NO_SUCH_HOST, "does not exist")


def asked(url: str, answer: Answer) -> tuple[Capture, list[str]]:
    """What comes of a visit, and the names that were looked up."""
    names: list[str] = []

    class Told(Resolver):
        async def resolve(self, host: str) -> Answer:
            names.append(host)
            return answer

    async def usual(visit: Visit) -> Capture:
        return Capture(visit, 0.0, 0.1, 200)

    async def main() -> Capture:
        return await OtherProtocols(usual, Guard(), Told(SystemClock()), Means())(Visit(url))

    return asyncio.run(main()), names


def test_a_host_that_is_not_there_is_its_own_fault() -> None:
    capture, names = asked("ftp://a.test/", Answer(failure=GONE))
    assert (capture.status, capture.failure, names) == (0, GONE, ["a.test"])


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("192.0.2.1", "10.0.0.1"), ("::1",)])
def test_a_host_with_a_forbidden_address_is_not_asked(addresses: tuple[str, ...]) -> None:
    capture, _ = asked("gemini://a.test/", Answer(addresses))
    assert capture.failure is not None
    assert capture.failure.fault is Fault.BLOCKED_ADDRESS
    assert any(f"--allow-address {each} opens it" in str(capture.failure) for each in addresses)


def test_the_web_goes_its_usual_way() -> None:
    capture, names = asked("http://a.test/", Answer(failure=GONE))
    assert (capture.status, names) == (200, [])
