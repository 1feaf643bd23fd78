"""What can be asked for: one parser for each verb, each with an example."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module

from gossamer.cli.options.folding import Folded
from gossamer.cli.options.parsers import Top, Verb
from gossamer.version import VERSION

EXIT_CODES = """\
exit codes:
    0  done
    1  any other error; with `broken --exit-code`: something is broken
    2  wrong usage: option, address, pattern
    3  DIR is not a collection
    4  another process is writing to DIR
    5  not one page could be fetched
    6  the disk is full, failing or not writable
    7  the collection is damaged
    8  no such address or host in the collection
    9  an imported file is damaged; the rest was taken
  130  stopped, by Ctrl-C or `stop`; nothing is lost
"""


HOMES: Mapping[str, str] = {
    **dict.fromkeys(("crawl", "watch", "files"), "fetching"),
    "status": "asking",
    **dict.fromkeys(("top", "pause", "resume", "stop", "set", "add", "retry"), "steering"),
    **dict.fromkeys(("list", "broken", "why", "show", "history", "changes", "alert", "search"), "asking"),
    **dict.fromkeys(("serve", "replay", "mcp"), "showing"),
    **dict.fromkeys(("similar", "duplicates", "links", "rank", "evaluate"), "asking"),
    "convert": "without_collection",
    "build": "upkeep",
    "import": "fetching",
    "export": "showing",
    **dict.fromkeys(("verify", "remove", "prune", "fetch-collection"), "upkeep"),
    **dict.fromkeys(("simulate", "plan-cluster", "demo", "help", "completion"), "without_collection"),
}
"""Each verb, with the module that has its parser, as a function of its name."""


def parser(verb: str = "") -> argparse.ArgumentParser:
    """The whole command line; or what of it reads the words of one verb, which takes a tenth of the time."""
    top = Top(
        prog="gossamer",
        description="Turn a part of the web into a collection you own.",
        epilog="`gossamer help COMMAND` lists the options of a command, with an example.\n\n" + EXIT_CODES,
        formatter_class=Folded,
    )
    top.whole = parser
    top.add_argument("--version", action="version", version=f"gossamer {VERSION}")
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Verb)
    for name in [verb] if verb in HOMES else HOMES:
        home, function = import_module(f"{__name__}.{HOMES[name]}"), name.replace("-", "_")
        (getattr(home, function, None) or getattr(home, f"{function}_"))(verbs)
    return top
