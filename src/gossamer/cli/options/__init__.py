"""What can be asked for: one parser for each verb, each with an example."""

from __future__ import annotations

import argparse

from gossamer.cli.options import asking, fetching, showing, upkeep, without_collection
from gossamer.cli.options.parsers import Top, Verb
from gossamer.version import VERSION

EXIT_CODES = """\
exit codes:
  0  done                                   5  not one seed could be fetched
  1  any other error; broken --exit-code    6  the disk is full, failing or not writable
  2  wrong usage: option, address, pattern  7  the collection is damaged
  3  DIR is not a collection                8  no such address or host in the collection
  4  another process is writing to DIR      9  an imported file is damaged; the rest was taken
                                          130  stopped, by Ctrl-C or `stop`; nothing is lost
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top: argparse.ArgumentParser = Top(
        prog="gossamer",
        description="Turn a part of the web into a collection you own.",
        epilog="`gossamer help COMMAND` lists the options of a command, with an example.\n\n" + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"gossamer {VERSION}")
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Verb)
    fetching.crawl(verbs)
    fetching.watch(verbs)
    fetching.files(verbs)
    asking.status(verbs)
    fetching.steering(verbs)
    asking.list_(verbs)
    asking.broken(verbs)
    asking.why(verbs)
    asking.show(verbs)
    asking.history(verbs)
    asking.changes(verbs)
    asking.alert(verbs)
    asking.search(verbs)
    showing.serve(verbs)
    showing.replay(verbs)
    showing.mcp(verbs)
    asking.similar(verbs)
    asking.duplicates(verbs)
    asking.links(verbs)
    asking.rank(verbs)
    asking.evaluate(verbs)
    without_collection.convert(verbs)
    upkeep.build(verbs)
    fetching.import_(verbs)
    showing.export(verbs)
    upkeep.verify(verbs)
    upkeep.remove(verbs)
    upkeep.prune(verbs)
    upkeep.fetch_collection(verbs)
    without_collection.simulate(verbs)
    without_collection.plan_cluster(verbs)
    without_collection.demo(verbs)
    without_collection.help_(verbs)
    without_collection.completion(verbs)
    return top
