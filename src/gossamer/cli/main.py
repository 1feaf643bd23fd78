"""Parse, run, and end with a documented exit code. Answers go to stdout, everything else to stderr.

The verbs are loaded when one was asked for: `--help` and a mistake in an option are answered without.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from errno import ENOMEM
from fcntl import F_GETFL, fcntl
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TextIO

from gossamer.cli.options import parser
from gossamer.cli.out import complain
from gossamer.cli.terminal import prepare
from gossamer.errors import INTERRUPTED, GossamerError, StorageError, UsageError, shortage
from gossamer.printable import pasted

CRAWLING = ("crawl", "watch")
"""The verbs whose processes are forked from ours, where it is ours alone."""
HOMES = {
    **dict.fromkeys(("crawl", "watch", "files"), "crawling"),
    **dict.fromkeys(("search", "history"), "finding"),
    **dict.fromkeys(("similar", "duplicates", "links", "rank", "evaluate"), "connections"),
    **dict.fromkeys(("list", "broken"), "reports"),
    **dict.fromkeys(("pause", "resume", "stop", "set", "add", "retry"), "steering"),
    **dict.fromkeys(("serve", "replay", "mcp"), "server"),
    **dict.fromkeys(("import", "export", "fetch-collection"), "transfer"),
    **dict.fromkeys(("build", "verify", "remove", "prune"), "upkeep"),
    "changes": "news",
    "alert": "alerts",
    "top": "top",
}
"""The module of each verb that is not in `commands`."""
_UNMAPPED = re.compile(r"failed to map segment|cannot allocate memory", re.IGNORECASE)


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point of the `gossamer` command."""
    options = argparse.Namespace()
    if argv is None:
        _spare_garbage()
    try:
        _stand_in()
        prepare()
        given = sys.argv[1:] if argv is None else argv
        options = parser(*given[:1]).parse_args(given)
        run = command(options.verb)
        if argv is None and options.verb in CRAWLING:
            from gossamer.cli.preload import load_ahead

            load_ahead(options)
        code = run(options)
        sys.stdout.flush()  # here, where it can still be said that there was no room for it
        return code or _delivered()
    except GossamerError as error:
        complain(pasted(str(error), getattr(options, "dir", "DIR")))
        return error.exit_code
    except PermissionError as error:
        complain(f"{error.filename or getattr(options, 'dir', '')}: {error.strerror}; check its owner and mode")
        return StorageError.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # the reader has seen enough
        return 0
    except FileNotFoundError:
        if _is_somewhere():
            raise
        complain("the directory this was started in was removed; `cd` to one that is there")
        return UsageError.exit_code
    except (OSError, MemoryError, ImportError) as error:
        lack = shortage(_named(error))  # of the machine, and no mistake of ours, wherever it shows
        if lack is None:
            raise
        _drop_output()
        complain(str(lack))
        return lack.exit_code


def _is_somewhere() -> bool:
    """Only whoever stands in a directory can find what is named from there."""
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def _named(error: Exception) -> Exception:
    """Without memory, Python and the loader of libraries do not say it as the system does."""
    unmapped = isinstance(error, ImportError) and _UNMAPPED.search(str(error))
    return OSError(ENOMEM, "") if unmapped or isinstance(error, MemoryError) else error


def _spare_garbage() -> None:
    """To look for cycles while modules are loaded, and in all of them at the end, takes a tenth of a short command."""
    gc.set_threshold(100_000, 50, 1_000)
    atexit.register(gc.freeze)


class _Nowhere(FileIO):
    """In the place of a standard output that is closed. It knows whether anything was lost."""

    lost = False

    def write(self, data: Any, /) -> int:
        self.lost = True
        return super().write(data)


def _stand_in() -> None:
    """Something in the place of what the shell has closed (`>&-`): else the next file that is opened would be it."""
    for name, mode in (("stdin", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # until the process ends
    if sys.stdout is None or not _is_for_writing(sys.stdout):
        sys.stdout = TextIOWrapper(BufferedWriter(_Nowhere(os.devnull, "w")), encoding="utf-8")


def _is_for_writing(stream: TextIO) -> bool:
    """Not where it was opened for reading, as by `1<FILE`. What stands for one in a program is."""
    try:
        return fcntl(stream.fileno(), F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError, AttributeError):
        return True


def _delivered() -> int:
    """What was to be said may have gone nowhere. A crawl is not broken off for that: it is told at its end."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _Nowhere) or not raw.lost:
        return 0
    complain("standard output is closed, and what was to be written there is lost; leave it open, or send it to a file")
    return StorageError.exit_code


def _drop_output() -> None:
    """What Python would still flush at its end has nowhere to go."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command(verb: str) -> Callable[[argparse.Namespace], int]:
    """The function of a verb. Only its module is loaded."""
    home, name = import_module(f"gossamer.cli.{HOMES.get(verb, 'commands')}"), verb.replace("-", "_")
    found: Callable[[argparse.Namespace], int] = getattr(home, name, None) or getattr(home, f"{name}_")
    return found  # import is a word of Python, so its function has another name
