"""What is said to a crawl, a watch and an import, and to one that runs."""

from __future__ import annotations

from gossamer.cli.options.parsers import Verb
from gossamer.cli.options.verb_parts import (
    Verbs,
    add_assigned,
    add_directory,
    add_setting,
    add_talking,
    add_verb,
    port,
)
from gossamer.settings import FAR, FILES, FRESH, NETWORK, POLITE, SETTINGS


def crawl(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "crawl",
        "crawl from seeds, or go on where it stopped",
        "gossamer crawl my-web https://example.org/ --pages 1000 --contact me@example.org",
        "gossamer crawl my-web            # go on",
        "gossamer crawl my-web --revisit  # ask again; `changes` lists what is new",
        "gossamer crawl guide https://example.org/guide/ --scope path --exclude '\\.pdf$'",
        "gossamer crawl many --seeds seeds.txt --time 2h --bytes 10G -q --log many.log",
    )
    verb.description = (
        "Crawl from seeds, or go on where it stopped. What is asked for is kept in\n"
        "DIR/plan.toml, where each setting has its comment. Edit it between crawls, or\n"
        "write one before the first crawl: `gossamer crawl DIR` is then enough."
    )
    _crawling(verb, FAR, POLITE, NETWORK)


def watch(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "watch",
        "keep it up to date: crawl, then come back to each page when it has likely changed",
        "gossamer watch my-web --budget 10000/day",
    )
    verb.description = (
        "Keep a collection up to date, for months if you like. What is new is crawled as\n"
        "`crawl` does. Each page is visited again when that is worth it: by how often it\n"
        "has changed so far, and by what the budget allows. Feeds and sitemaps are read\n"
        "again too. A change is found by `search` within a minute and listed by\n"
        "`changes`. `why DIR ADDRESS` says how often a page changes and when it is due.\n"
        "Ctrl-C or `gossamer stop DIR` ends it, `pause`, `resume` and `set` steer it."
    )
    _crawling(verb, FRESH, FAR, POLITE, NETWORK)


def files(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "files",
        "read the files of folders on this machine: all at first, later what has changed",
        "gossamer files my-files ~/Documents ~/mail",
    )
    verb.description = (
        "Make files of this machine a collection: found by `search`, with their versions.\n"
        "The first run reads all, a later one what is new or has changed; a file that is\n"
        "gone leaves the index. No link is followed, hidden files and those that\n"
        ".gitignore and .ignore files name are left out. The collection can be entered by\n"
        "you alone (mode 0700), and `serve` wants a password. `why DIR PATH` says what\n"
        "became of a file."
    )
    add_directory(verb)
    verb.set_defaults(revisit=False, keep_fresh=False, seeds=(), seed_list=(), serve=None)
    verb.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="files and folders to read, or s3://, zip:// and the like; none: those named before",
    )
    verb.add_argument(
        "--watch",
        action="store_true",
        help="go on, and read what changes within two seconds (with the extra `files`: pip install '.[files]')",
    )
    add_assigned(verb)
    add_talking(verb, "file")
    group = verb.add_argument_group(FILES)
    for name in ("hidden", "ignore_files", "include", "exclude"):
        add_setting(group, name)
    verb.add_argument(
        "--trust-plan", action="store_true", help="of a collection that somebody else made: read its folders"
    )


def _crawling(verb: Verb, *groups: str) -> None:
    """What is said to a crawl and to a watch, with the settings of these groups."""
    add_directory(verb)
    verb.set_defaults(revisit=False, keep_fresh=FRESH in groups)
    verb.add_argument("seeds", metavar="SEED", nargs="*", help="where to start; none: go on where it stopped")
    verb.add_argument(
        "--seeds",
        action="append",
        dest="lists",
        metavar="FILE",
        help="seeds from a file, one a line; - is standard input",
    )
    add_assigned(verb)
    verb.add_argument(
        "--serve",
        nargs="?",
        const=0,
        type=port,
        metavar="PORT",
        help="show it in a browser while it crawls, as `gossamer serve` does",
    )
    add_talking(verb, "fetch")
    for title in groups:
        group = verb.add_argument_group(title)
        for name, setting in SETTINGS.items():
            if setting.option and setting.option.group == title:
                add_setting(group, name)
        if title == FAR and FRESH not in groups:
            group.add_argument(
                "--revisit",
                action="store_true",
                help="ask again for all that was asked for: pages, what failed, and redirects",
            )
    group.add_argument(
        "--header",
        action="append",
        metavar="'NAME: VALUE'",
        help="send this too, to the sites of the seeds; repeatable",
    )
    group.add_argument("--cookie", metavar="FILE", help="send the cookies of a cookies.txt, to the sites of the seeds")
    group.add_argument(
        "--auth", metavar="USER", help="log in as USER there; the password is in GOSSAMER_PASSWORD or asked for"
    )
    group.add_argument(
        "--send-to",
        action="append",
        metavar="SITE",
        help="send header, cookies and password to this host or site, and not to those of the seeds; repeatable",
    )
    group.add_argument(
        "--login", metavar="FILE", help="log in by forms and the like, as a file says that only you can read"
    )
    group.add_argument(
        "--trust-plan",
        action="store_true",
        help="use the proxy, certificates and private addresses in a plan that somebody else wrote",
    )


def import_(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "import",
        "take in what other crawlers captured, from WARC, ARC, WACZ and TREC Web files",
        "gossamer import my-web crawl-*.warc.gz site.wacz",
    )
    add_directory(verb)
    verb.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="plain, gzip, lz4 or zstandard, or the directory of another collection; what was imported is passed over",
    )
    add_setting(verb, "shards")
