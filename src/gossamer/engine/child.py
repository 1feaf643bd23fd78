"""A worker process from its birth to its end: it loads its work, runs it, and tells how it ended.

uvloop runs it where it is installed: half the cost of the standard loop. The signal `CANCEL` cancels the work, which
then cleans up. This module is imported before the process is forked, so that uvloop is loaded once.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeAlias

from gossamer.engine.fork_server import CANCEL
from gossamer.engine.orders import Orders, become_worker, load
from gossamer.engine.wire import HEADER, Kind
from gossamer.engine.worker_link import ProcessSeat
from gossamer.errors import GossamerError, shortage

End: TypeAlias = tuple[Kind, bytes] | None
"""The frame that tells how the work ended; None when it was cancelled."""


def _fast_loops() -> Callable[[], asyncio.AbstractEventLoop]:
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return asyncio.new_event_loop


LOOPS = _fast_loops()


def live(line: socket.socket) -> NoReturn:
    """All that this process does."""
    become_worker()
    code = 1
    try:
        code = _live(line)
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _live(line: socket.socket) -> int:
    line.setblocking(True)
    header = line.recv(HEADER.size, socket.MSG_WAITALL)
    if len(header) < HEADER.size:
        return 1  # the supervisor is gone before it began
    length, _, _, index = HEADER.unpack(header)
    orders: Orders = pickle.loads(line.recv(length, socket.MSG_WAITALL))
    with asyncio.Runner(loop_factory=LOOPS) as runner:
        end = runner.run(_work(line, index, orders))
    return int(end is None or end[0] is not Kind.FINISHED)


async def _work(line: socket.socket, index: int, orders: Orders) -> End:
    life = asyncio.current_task()
    assert life is not None
    wrong: list[Exception] = []

    def go_wrong(error: Exception) -> None:
        wrong.append(error)
        life.cancel()

    link = ProcessSeat(index, orders, line, go_wrong)
    asyncio.get_running_loop().add_signal_handler(CANCEL, life.cancel)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {CANCEL})
    end = await _run(link, orders, wrong)
    link.leave(end)
    return end


async def _run(link: ProcessSeat, orders: Orders, wrong: list[Exception]) -> End:
    try:
        await load(orders)(link)
    except asyncio.CancelledError:
        return _as_frame(wrong[0]) if wrong else None
    except BaseException as error:
        return _as_frame(error)
    return _as_frame(wrong[0]) if wrong else (Kind.FINISHED, b"")


def _as_frame(error: BaseException) -> End:
    if isinstance(error, BaseExceptionGroup):
        return _as_frame(error.exceptions[0])
    error = shortage(error) or error
    if not isinstance(error, GossamerError):
        return (Kind.BROKE, "".join(traceback.format_exception(error)).encode(errors="replace"))
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)
    except Exception:  # an error with an __init__ of its own may not survive; its words do
        packed = pickle.dumps(GossamerError(str(error)))
    return (Kind.FAILED, packed)


def _flush() -> None:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
