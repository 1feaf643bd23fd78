"""Parse, run, and end with a documented exit code. Answers go to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gossamer.cli.commands import INTERRUPTED
from gossamer.cli.options import parser
from gossamer.errors import GossamerError


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point of the `gossamer` command."""
    options = parser().parse_args(argv)
    try:
        return int(options.run(options))
    except GossamerError as error:
        print(f"gossamer: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; what Python would still flush has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
