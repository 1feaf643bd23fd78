"""A process that has loaded everything and forks commands that are to be killed: each begins at once.

It reads a line of JSON for each command, its words and its environment, and answers with two lines: the id of the
process, and how it ended. The command's standard error goes to the file that the environment names.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, NoReturn

LOADED = (
    "cli.crawling",
    "cli.transfer",
    "cli.upkeep",
    "collection.collection",
    "collection.derive.derived",
    "collection.derive.build",
)
LOADED += ("collection.imports.importing", "collection.maintain.repair", "collection.maintain.removal")
LOADED += (
    "collection.derive.copies",
    "collection.derive.copy_marks",
    "collection.derive.graph_making",
    "store.repair.verify",
)
LOADED += ("collection.ask.searching", "collection.ask.export", "collection.maintain.writable_shard", "frontier.audit")
LOADED += (
    "cli.preload",
    "collection.crawl.shard",
    "collection.crawl.supervisor",
    "engine.child",
    "dedupe.blocks",
    "convert.html.article",
    "convert.html.metadata",
    "testing.web",
    "store.repair.verify",
)


def main() -> None:
    for name in LOADED:
        importlib.import_module(f"gossamer.{name}")
    for line in sys.stdin:
        asked = json.loads(line)
        process = os.fork() or _live(asked)
        print("born", process, flush=True)
        print("ended", os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _live(asked: dict[str, Any]) -> NoReturn:
    """A command, in a group of its own, so that all of it can be killed at once."""
    os.setsid()
    os.environ.update(asked["environment"])
    quiet = os.open(os.devnull, os.O_RDWR)
    said = os.open(os.environ["GOSSAMER_TEST_SAID"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, target in ((0, quiet), (1, quiet), (2, said)):
        os.dup2(target, stream)
    code = 1
    try:
        importlib.import_module("sitecustomize").arm()
        sys.argv = ["gossamer", *asked["words"]]  # as the command itself takes them: one that crawls forks its zygote
        code = importlib.import_module("gossamer.cli.main").main()
    except SystemExit as error:
        code = int(error.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
