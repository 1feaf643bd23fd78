"""What is a new worker told? How many there are, and its work, for a process that did not run the user's script."""

from __future__ import annotations

import pickle
from math import inf
from typing import Any, NamedTuple

from gossamer.engine.protocols import Work
from gossamer.errors import UsageError

_is_worker = False


def become_worker() -> None:
    """From now on this process is a worker."""
    global _is_worker
    _is_worker = True


def refuse_in_worker() -> None:
    """A worker must not start workers: a script that is loaded because it defines the work, and starts that work when
    loaded, would never come to an end."""
    if _is_worker:
        raise UsageError("a worker cannot start workers; put the calls under `if __name__ == '__main__':`")


class Orders(NamedTuple):
    """What every worker is told."""

    workers: int
    main: dict[str, Any]
    """How to load the user's script, where the work is defined in it."""
    work: bytes
    term: int = 0
    """As `WorkerLink.term`."""
    leased_until: float = inf
    """As `WorkerLink.leased_until`, at its birth."""


def pack(work: Work, workers: int) -> Orders:
    """Write the orders."""
    try:
        packed = pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"{work!r} cannot be handed to another process ({error}); define it at the top level of a module"
        ) from error
    return Orders(workers, _main() if b"__main__" in packed else {}, packed)


def _main() -> dict[str, Any]:
    """How to load the user's script, as the standard library does it for a new process."""
    from multiprocessing import spawn

    prepared = spawn.get_preparation_data("worker")
    return {key: value for key, value in prepared.items() if key.startswith("init_main")}


def load(orders: Orders) -> Work:
    """Find the work that the orders speak of."""
    try:
        if orders.main:
            from multiprocessing import spawn

            spawn.prepare(orders.main)
        work: Work = pickle.loads(orders.work)
    except BaseException as error:
        raise UsageError(
            f"the work cannot be loaded in a process of its own ({type(error).__name__}: {error}); define it in a"
            " module that can be imported, and in a script put what it does under `if __name__ == '__main__':`"
        ) from error
    return work
