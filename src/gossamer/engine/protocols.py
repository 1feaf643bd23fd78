"""What a worker sees of the others, and what its owner sees of the workers.

Both are small protocols, and payloads are bytes, so that processes of one machine (`local.py`) and actors of a cluster
can stand behind them. Delivery is what both can promise: in order while sender and receiver live, lost when the
receiver dies. Whoever must not lose a message keeps it until it is acknowledged and sends it again when the receiver
is reborn.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

SUPERVISOR = -1
"""The index under which a worker hears the supervisor."""

Heard: TypeAlias = Callable[[int, bytes], None]
"""Who sent it, and the message."""


class WorkerLink(Protocol):
    """A worker's place among the others. Its methods are called from the worker's own loop."""

    @property
    def index(self) -> int:
        """Which worker this is; 0 is the first."""

    @property
    def count(self) -> int:
        """How many workers there are."""

    @property
    def term(self) -> int:
        """Its place is given to somebody new with a higher term, and lost to whoever has one; 0 where nobody can."""

    @property
    def leased_until(self) -> float:
        """Steady time until which nobody else is given its place; what others could notice may be done until then.
        Infinity where nobody else can have it."""

    def listen(self, heard: Heard, reborn: Callable[[int], None], orphaned: Callable[[], None]) -> None:
        """Say who hears the news; what came before is told now, in order.

        `heard`: a message from a worker, or from the `SUPERVISOR`. `reborn`: that worker began anew, and what was sent
        to it may be lost. `orphaned`: the supervisor is gone; save what is to be saved and end.
        """

    def send(self, to: int, message: bytes) -> None:
        """To another worker. It never waits: senders keep a window of unacknowledged messages, or memory grows."""

    def tell(self, message: bytes) -> None:
        """To the supervisor."""

    def well(self) -> None:
        """Real progress was made: earlier deaths no longer count."""


Work: TypeAlias = Callable[[WorkerLink], Coroutine[Any, Any, None]]
"""A worker's whole life: a top-level function of a module, or a `functools.partial` of one, for it must be pickled."""


@dataclass(frozen=True, slots=True)
class Reports:
    """What the owner of the workers is told of them."""

    heard: Heard
    """Something that a worker tells."""
    died: Callable[[int, str], None]
    """A worker ended before its work was done, and how. It is restarted."""
    failed: Callable[[int, Exception], None]
    """A worker raised a GossamerError or died too often. It is not restarted, and the others should be told to stop,
    because `run` waits for them."""


class Supervisor(Protocol):
    """All workers, as their owner sees them. Its methods are called from the loop that `run` runs in."""

    async def run(self) -> None:
        """Run all workers until each has ended by itself; raise the first error that ended one of them."""

    def send(self, to: int, message: bytes) -> None:
        """To one worker; lost when it is dead or has ended."""

    def send_all(self, message: bytes) -> None:
        """To every worker."""

    def attend(self, message: bytes) -> None:
        """To what is beside the workers, on each machine; see `Attendant`."""

    def kill(self, index: int) -> None:
        """End one worker by force. It is started again."""

    def terminate(self) -> None:
        """End all workers now, by force where asking does not help. None is restarted."""


class Attendant(Protocol):
    """What is done beside the workers of a machine: what they share there is made, looked after and removed."""

    @property
    def work(self) -> Work:
        """What the workers do on this machine."""

    @property
    def keep(self) -> Sequence[int]:
        """Descriptors that stay open as long as a worker lives."""

    def adopt(self, index: int) -> None:
        """A worker will begin here."""

    def gone(self, index: int) -> None:
        """A worker has no process here now: it died and is not back yet, goes on elsewhere, or is over."""

    def heard(self, message: bytes) -> None:
        """The owner of the crew has something to say to each machine."""

    def close(self) -> None:
        """No worker is left here."""


Attend: TypeAlias = Callable[[int, Callable[[int], None]], Attendant]
"""Begin on a machine: a number that tells it from all others in this crew, and how a worker that hangs is killed there.
It must be pickled."""
