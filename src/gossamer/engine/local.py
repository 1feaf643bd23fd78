"""Workers as processes of this machine: started, connected, restarted when they die.

Each worker has one line to the supervisor, which passes on what workers send each other. It holds what a slow worker
has not read yet, so workers keep a window of unacknowledged messages; see `protocols.py` for what delivery promises.

A crew may be all there is, or the part of a larger one that is on this machine (`Part`): then workers are handed to it
and taken from it while it runs, and what is for others goes out.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf

from gossamer.engine.deaths import Deaths, lost, words_for
from gossamer.engine.fork_client import Birth, ForkClient
from gossamer.engine.fork_server import CANCEL
from gossamer.engine.orders import pack, refuse_in_worker
from gossamer.engine.owner import Owned
from gossamer.engine.protocols import SUPERVISOR, Reports, Work
from gossamer.engine.wire import LEASE, Kind, Line, frame, pair, payload
from gossamer.errors import GossamerError, shortage
from gossamer.printable import log

CHILD = "from gossamer.engine.child import live as child"
"""What a worker process does, for the fork server."""
GRACE = 1.0
"""Seconds from asking a worker to end until it is killed."""
RELEASE_GRACE = 60.0
"""The same for one that goes on elsewhere: it puts all in order first."""


@dataclass(frozen=True, slots=True)
class Outfit:
    """What every worker process is given at birth."""

    preload: Sequence[str] = ()
    """Modules that are imported once for all workers."""
    keep: Sequence[int] = ()
    """Descriptors that stay open as long as a worker lives. A lock held by one is held until the last worker is gone,
    also when the supervisor is killed."""


PLAIN = Outfit()


@dataclass(frozen=True, slots=True)
class Part:
    """The rest of a larger crew, for the part of it that is here. It begins without workers, and is given some."""

    forward: Callable[[int, bytes | memoryview], None]
    """A frame for a worker that is elsewhere."""
    left: Callable[[int], None]
    """A worker is over here: it has finished, was released or is given up."""


class Member:
    """One worker, over all its lives."""

    def __init__(self, index: int, term: int, ended: Callable[[Member, int | None], None]) -> None:
        self.index = index
        self.term = term
        self.deaths = Deaths()
        self.line: Line | None = None
        self.birth: Birth | None = None
        self.restart: asyncio.TimerHandle | None = None
        self.finished = self.released = self.over = False
        self.error: GossamerError | None = None
        self.last_words = ""
        self._ended = ended

    def begun(self) -> None:
        """Its process is there, and can be killed: now it may have its orders."""
        if self.line is not None:
            self.line.release()

    def ended(self, code: int | None) -> None:
        """Its process is gone: take what it said last."""
        if self.line is not None:
            self.line.drain()
            self.line.close()
        if self.birth is not None and self.birth.failure is not None:
            self.error = self.birth.failure
        self.line = self.birth = None
        self._ended(self, code)

    def write(self, kind: Kind, source: int, message: bytes = b"") -> None:
        if self.line is not None:
            self.line.write(kind, source, self.index, message)


class Crew(Owned):
    """A `Supervisor` of `count` processes that all do `work`."""

    def __init__(
        self,
        work: Work,
        count: int,
        reports: Reports,
        *,
        outfit: Outfit = PLAIN,
        part: Part | None = None,
    ) -> None:
        self._orders = pack(work, count)
        self._count = count
        self._outfit = outfit
        self._part = part
        self._leased_until = -inf if part else inf
        self._reports = reports
        here = () if part else range(count)
        self._members = {index: Member(index, 0, self._ended) for index in here}
        self._errors: list[Exception] = []
        self._ending = False
        self._killer: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()

    async def run(self) -> None:
        """Run all workers until each has ended by itself; then raise the first error that ended one of them."""
        refuse_in_worker()
        self._loop = asyncio.get_running_loop()
        self._forks = ForkClient(self._outfit.preload, CHILD, self._loop, shares=True)
        try:
            for member in self._members.values():
                self._begin(member)
            await self._all_over()
        finally:
            self._close()
        if self._errors:
            raise self._errors[0]

    def send(self, to: int, message: bytes) -> None:
        """To one worker; lost when it is dead or has ended."""
        self.deliver(to, frame(Kind.MESSAGE, SUPERVISOR, to, message))

    def send_all(self, message: bytes) -> None:
        """To every worker."""
        for member in self._members.values():
            member.write(Kind.MESSAGE, SUPERVISOR, message)

    def attend(self, message: bytes) -> None:
        """Nobody is beside the workers of a machine but their owner."""

    def kill(self, index: int) -> None:
        """End one worker that hangs, by force; like any that dies, it is started again."""
        self._signal(signal.SIGKILL, index)

    def terminate(self) -> None:
        """End all workers now: CANCEL cancels their work, SIGKILL follows after a grace. `run` then returns."""
        if self._ending:
            return
        self._ending = True
        self._signal(CANCEL)
        self._killer = self._loop.call_later(GRACE, self._signal, signal.SIGKILL)
        for member in [*self._members.values()]:
            if member.restart is not None:
                member.restart.cancel()
                self._leave(member)
        self._see_end()

    # ------------------------------------------------- as a part of a larger crew

    def has(self, index: int) -> bool:
        """Is its place here?"""
        return index in self._members

    def adopt(self, index: int, term: int) -> None:
        """Its place is here from now on. All others hear that it began anew."""
        self._members[index] = member = Member(index, term, self._ended)
        self._begin_again(member)

    def release(self, index: int) -> None:
        """It ends in good order, to begin again elsewhere; CANCEL cancels its work."""
        member = self._members.get(index)
        if member is None or member.released:
            return
        if member.restart is not None:
            member.restart.cancel()
            self._leave(member)
        else:
            member.released = True
            self._signal(CANCEL, index)
            self._loop.call_later(RELEASE_GRACE, self._end_released, member)

    def _end_released(self, member: Member) -> None:
        if not member.over:
            self.kill(member.index)

    def lease(self, until: float) -> None:
        """Until that steady time nobody else is given a place that is here."""
        self._leased_until = until
        for member in self._members.values():
            member.write(Kind.LEASE, SUPERVISOR, LEASE.pack(until))

    def deliver(self, target: int, whole: bytes | memoryview) -> None:
        """Pass a frame on to a worker that is here; it is lost when that one is dead or gone."""
        if (member := self._members.get(target)) is not None and member.line is not None:
            member.line.forward(whole)

    # ------------------------------------------------------------------- lives

    async def _all_over(self) -> None:
        try:
            await self._over.wait()
        except asyncio.CancelledError:  # whoever called gives up; the workers may clean up first
            self.terminate()
            await self._over.wait()
            raise

    def _close(self) -> None:
        self._forks.close()
        if self._killer is not None:
            self._killer.cancel()
        for member in self._members.values():
            if member.line is not None:
                member.line.close()

    def _begin(self, member: Member) -> None:
        mine, theirs = pair()
        with theirs, ExitStack() as failed:
            failed.enter_context(mine)
            member.birth = self._forks.fork([theirs.fileno(), *self._outfit.keep], member.ended, member.begun)
            failed.pop_all()
        member.line = Line(mine, partial(self._take, member), lambda: None, self._go_wrong, held=True)
        member.last_words = ""
        orders = self._orders._replace(term=member.term, leased_until=self._leased_until)
        member.write(Kind.WORK, SUPERVISOR, pickle.dumps(orders))

    def _begin_again(self, member: Member) -> None:
        member.restart = None
        try:
            self._begin(member)
        except (GossamerError, OSError) as error:  # nobody waits for this call: what it raised would be lost
            self._fail(member, _told(error))
            return
        for other in range(self._count):
            if other != member.index:
                self._pass_on(other, frame(Kind.REBORN, member.index, other))
                member.write(Kind.REBORN, other)

    def _ended(self, member: Member, code: int | None) -> None:
        if member.error is not None:
            self._fail(member, member.error)
        elif member.finished or member.released or self._ending:
            self._leave(member)
        else:
            self._bury(member, member.last_words or words_for(code))

    def _bury(self, member: Member, words: str) -> None:
        self._call(self._reports.died, member.index, words)
        wait = member.deaths.wait(member.last_words)
        if wait is None:
            self._fail(member, lost(f"worker {member.index}", member.deaths.in_a_row, words))
        elif self._ending:
            self._leave(member)
        else:
            member.restart = self._loop.call_later(wait, self._begin_again, member)

    def _fail(self, member: Member, error: GossamerError) -> None:
        self._errors.append(error)
        self._call(self._reports.failed, member.index, error)
        self._leave(member)

    def _leave(self, member: Member) -> None:
        member.over = True
        if self._part is not None:
            del self._members[member.index]
            self._call(self._part.left, member.index)
        self._see_end()

    def _see_end(self) -> None:
        """A part is over only when somebody says so: it may be given others."""
        if all(each.over for each in self._members.values()) and (self._part is None or self._ending):
            self._over.set()

    def _signal(self, number: signal.Signals, only: int | None = None) -> None:
        for member in self._members.values():
            if member.birth is not None and only in (None, member.index):
                self._forks.kill(member.birth, number)

    # ---------------------------------------------------------------- messages

    def _take(self, member: Member, kind: int, source: int, target: int, whole: memoryview) -> None:
        if kind != Kind.MESSAGE:
            self._note(member, kind, payload(whole))
        elif target == SUPERVISOR:
            self._reports.heard(source, payload(whole))
        else:
            self._pass_on(target, whole)

    def _pass_on(self, target: int, whole: bytes | memoryview) -> None:
        if target in self._members or self._part is None:
            self.deliver(target, whole)
        else:
            self._part.forward(target, whole)

    def _note(self, member: Member, kind: int, message: bytes) -> None:
        match kind:
            case Kind.WELL:
                member.deaths.forget()
            case Kind.FINISHED:
                member.finished = True
            case Kind.FAILED:
                member.error = pickle.loads(message)
            case Kind.BROKE:
                trace = message.decode(errors="replace")
                member.last_words = f"raised {trace.rstrip().rpartition(chr(10))[2]}"
                log.error("worker %d broke:\n%s", member.index, trace)


def _told(error: GossamerError | OSError) -> GossamerError:
    """Why a worker cannot be begun."""
    if isinstance(error, GossamerError):
        return error
    return shortage(error) or GossamerError(f"a worker cannot be started: {error}. What is kept is safe: start again")
