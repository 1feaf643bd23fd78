"""Parse, run, and end with a documented exit code. Answers go to stdout, everything else to stderr.

The verbs are loaded when one was asked for: `--help` and a mistake in an option are answered without.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from gossamer.cli.options import parser
from gossamer.cli.out import complain
from gossamer.errors import INTERRUPTED, GossamerError, StorageError


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point of the `gossamer` command."""
    options = parser().parse_args(argv)
    try:
        return command(options.verb)(options)
    except GossamerError as error:
        complain(str(error))
        return error.exit_code
    except PermissionError as error:
        complain(f"{error.filename or getattr(options, 'dir', '')}: {error.strerror}; check its owner and mode")
        return StorageError.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; what Python would still flush has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def command(verb: str) -> Callable[[argparse.Namespace], int]:
    """The function of a verb."""
    from gossamer.cli import commands

    found: Callable[[argparse.Namespace], int] = getattr(commands, verb, None) or getattr(commands, f"{verb}_")
    return found  # import is a word of Python, so its function has another name
