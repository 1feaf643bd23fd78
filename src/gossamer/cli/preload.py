"""What does a crawl load before it begins? All that its shards need, and nobody looks for cycles in that any more.

Several shards and their readers are forked from this process while nothing is open in it (`engine/zygote.py`). One
shard is this process itself: a copy of it would cost more than its readers gain.
"""

from __future__ import annotations

import argparse
import gc
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from gossamer.cli.opening import settings
from gossamer.collection.crawl import finished
from gossamer.collection.folder import Folder
from gossamer.errors import GossamerError
from gossamer.plan import Plan


def load_ahead(options: argparse.Namespace) -> None:
    """Nothing where there is likely nothing to do. What is wrong with the plan is said by the crawl."""
    folder = Path(options.dir)
    if (folder / finished.FILE).exists() and not (options.revisit or options.keep_fresh):
        return
    with suppress(GossamerError, OSError):
        _load(Folder(folder).load_plan().changed(**settings(options)))


def _load(plan: Plan) -> None:
    if plan.engine != "local":
        return
    from gossamer.collection.crawl.wiring import preload

    for name in ("gossamer.collection.crawl.supervisor", *preload(plan)):
        import_module(name)
    if plan.shards == 1:
        gc.freeze()
        return
    from gossamer.engine import child, zygote  # noqa: F401  # the first is for the processes of shards

    zygote.begin()
