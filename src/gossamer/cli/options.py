"""What can be asked for: one parser for each verb, each with an example."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

from gossamer.cli import guide
from gossamer.cli.query_help import LANGUAGE
from gossamer.collection.ask.formats import FORMATS
from gossamer.setting_text import TYPES, visits
from gossamer.settings import FAR, FILES, FRESH, NETWORK, POLITE, SETTINGS
from gossamer.shown import line
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


class Parser(argparse.ArgumentParser):
    """Repeats what it was given when it does not understand it: an address may come from anywhere."""

    def error(self, message: str) -> NoReturn:
        """As always, but harmless, and with what may have been meant."""
        if form := re.match(r"argument FORMAT: invalid choice: '(.*?)' ", message):
            message = guide.no_format(form[1], FORMATS)
        option = re.search(r"unrecognized arguments: (?:.*? )??((--?[A-Za-z][\w-]*)\S*)", message)
        if option is not None:  # what stands behind it is left over only because of it
            known = (each for verb in guide.verbs_of(self).values() for each in guide.options_of(verb))
            message = f"unrecognized arguments: {option[1]}{guide.meant(option[2], known)}"
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice is not None:
            message += guide.meant(choice[2], re.findall(r"'(.*?)'", choice[3]))
        verb = self.prog.partition(" ")[2].partition(" ")[0]
        more = f"`gossamer help {verb}` lists its options\n" if verb else ""
        self.exit(2, f"{self.prog}: error: {line(message)}\n{more}")  # and no usage, which would hide it


class Top(Parser):
    """All commands, in groups."""

    def format_help(self) -> str:
        """A newcomer sees first what to begin with."""
        usage = "usage: gossamer COMMAND ...      gossamer help COMMAND"
        return f"{usage}\n\n{self.description}\n\n{guide.commands(self)}\n\n{self.epilog}"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """An option that stands before the command belongs behind it."""
        given = list(sys.argv[1:] if args is None else args)
        if given and given[0].startswith("-") and given[0] not in self._option_string_actions:
            self.error(f"{given[0]}: options come after the command, as in `gossamer crawl DIR {given[0]}`")
        return super().parse_known_args(given, namespace)

    def error(self, message: str) -> NoReturn:
        """One that names no command wants to know which there are."""
        if "required: COMMAND" in message:
            self.print_help()
            self.exit(2)
        unknown = re.match(r"argument COMMAND: invalid choice: '(.*?)' ", message)
        if unknown:
            message = guide.no_command(unknown[1], guide.verbs_of(self))
        super().error(message)


class Verb(Parser):
    """Several seeds or files may stand on both sides of an option, which argparse takes for a mistake."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Once more with options and words apart, where words were left over."""
        if self.worded and args is not None:
            args = self._sorted(args)
        found, rest = super().parse_known_args(args, namespace)
        if not rest or self._apart:
            return found, rest
        self._apart = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._apart = False

    _apart = False
    worded = False
    """Words may begin with a dash, as `-not` of a query does; options of one letter are those that are known."""

    def _sorted(self, args: Sequence[str]) -> list[str]:
        """Options and their values first, then words behind `--`."""
        given: list[str] = []
        words: list[str] = []
        rest = list(args)
        while rest and rest[0] != "--":
            first = rest.pop(0)
            action = self._option_string_actions.get(first)
            if action is not None:
                value = rest[:1] if action.nargs != 0 else []
                glued = first.startswith("--") and value  # a value may begin with a dash too
                given += [f"{first}={value[0]}"] if glued else [first, *value]
                del rest[: action.nargs != 0]
            else:
                (given if self._is_option(first) else words).append(first)
        return [*given, "--", *words, *rest[1:]]

    def _is_option(self, text: str) -> bool:
        """`git pull --rebase` is words; what is nearly an option of ours is a slip."""
        name = text.partition("=")[0]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        near = any(option.startswith(name) for option in known) or guide.meant(name, known)
        return bool(re.match(r"-n[-\d]", text) or (text.startswith("--") and near))


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
    _crawl(verbs)
    _watch(verbs)
    _files(verbs)
    _status(verbs)
    _steering(verbs)
    _list(verbs)
    _broken(verbs)
    _why(verbs)
    _show(verbs)
    _history(verbs)
    _changes(verbs)
    _alert(verbs)
    _search(verbs)
    _serve(verbs)
    _mcp(verbs)
    _similar(verbs)
    _duplicates(verbs)
    _links(verbs)
    _rank(verbs)
    _evaluate(verbs)
    _convert(verbs)
    _build(verbs)
    _import(verbs)
    _export(verbs)
    _verify(verbs)
    _remove(verbs)
    _prune(verbs)
    _simulate(verbs)
    _demo(verbs)
    _help(verbs)
    _completion(verbs)
    return top


_Verbs: TypeAlias = "argparse._SubParsersAction[Verb]"


def _verb(verbs: _Verbs, name: str, text: str, example: str) -> Verb:
    verb = verbs.add_parser(
        name,
        help=text,
        description=textwrap.fill(text[0].upper() + text[1:] + ".", 79, break_on_hyphens=False),
        epilog=f"example:\n  {example}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.set_defaults(verb=name)
    return verb


def _directory(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("dir", metavar="DIR", help="the directory of the collection")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


def _crawl(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "crawl",
        "crawl from seeds, or go on where it stopped",
        "gossamer crawl my-web https://example.org/ --pages 1000 --contact me@example.org",
    )
    verb.description = (
        "Crawl from seeds, or go on where it stopped. What is asked for is kept in\n"
        "DIR/plan.toml, where each setting has its comment. Edit it between crawls, or\n"
        "write one before the first crawl: `gossamer crawl DIR` is then enough."
    )
    _crawling(verb, FAR, POLITE, NETWORK)


def _watch(verbs: _Verbs) -> None:
    verb = _verb(
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


def _files(verbs: _Verbs) -> None:
    verb = _verb(
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
    _directory(verb)
    verb.set_defaults(revisit=False, keep_fresh=False, seeds=(), seed_list=(), serve=None)
    verb.add_argument("paths", metavar="PATH", nargs="*", help="files and folders to read; none: those named before")
    verb.add_argument(
        "--watch",
        action="store_true",
        help="go on, and read what changes within two seconds (with the extra `files`: pip install '.[files]')",
    )
    _assigned(verb)
    _talking(verb, "file")
    group = verb.add_argument_group(FILES)
    for name in ("hidden", "ignore_files", "include", "exclude"):
        _setting(group, name)
    verb.add_argument(
        "--trust-plan", action="store_true", help="of a collection that somebody else made: read its folders"
    )


def _assigned(verb: Verb) -> None:
    verb.add_argument(
        "--set",
        action="append",
        dest="assigned",
        metavar="NAME=VALUE",
        help="any setting of DIR/plan.toml, which lists them; repeatable",
    )


def _talking(verb: Verb, what: str) -> None:
    """How much it says of each thing that it does."""
    talk = verb.add_mutually_exclusive_group()
    talk.add_argument("-q", "--quiet", action="store_true", help="say nothing but what went wrong")
    talk.add_argument("-v", "--verbose", action="store_true", help=f"say a line for each {what}")
    verb.add_argument(
        "--log",
        metavar="FILE",
        help=f"append a line for each {what} and each event, with its time in UTC, also with -q",
    )


def _crawling(verb: Verb, *groups: str) -> None:
    """What is said to a crawl and to a watch, with the settings of these groups."""
    _directory(verb)
    verb.set_defaults(revisit=False, keep_fresh=FRESH in groups)
    verb.add_argument("seeds", metavar="SEED", nargs="*", help="where to start; none: go on where it stopped")
    verb.add_argument(
        "--seeds",
        action="append",
        dest="lists",
        metavar="FILE",
        help="seeds from a file, one a line; - is standard input",
    )
    _assigned(verb)
    verb.add_argument(
        "--serve",
        nargs="?",
        const=0,
        type=_port,
        metavar="PORT",
        help="show it in a browser while it crawls, as `gossamer serve` does",
    )
    _talking(verb, "fetch")
    for title in groups:
        group = verb.add_argument_group(title)
        for name, setting in SETTINGS.items():
            if setting.option and setting.option.group == title:
                _setting(group, name)
        if title == FAR and FRESH not in groups:
            group.add_argument(
                "--revisit", action="store_true", help="ask again for every page that was fetched before"
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
        "--login", metavar="FILE", help="log in by forms and the like, as a file says that only you can read"
    )
    group.add_argument(
        "--trust-plan",
        action="store_true",
        help="use the proxy, certificates and private addresses in a plan that somebody else wrote",
    )


def _setting(group: argparse._ActionsContainer, name: str) -> None:
    """The option of a setting, as the list of settings has it."""
    setting, option = SETTINGS[name], SETTINGS[name].option
    if option is None:
        raise ValueError(f"{name} has no option")
    default = setting.default
    how: dict[str, Any]
    if isinstance(default, bool):
        how = {"action": "store_const", "const": not default}
    elif isinstance(default, tuple):
        how = {"action": "append", "metavar": option.metavar}
    else:
        how = {
            "type": TYPES.get(setting.unit) or _READ.get(type(default), str),
            "choices": setting.choices or None,
            "metavar": option.metavar,
        }
    shown = f"{default:g}" if isinstance(default, float) else default
    group.add_argument(option.flag, dest=name, help=option.text.format(shown), **how)


def _status(verbs: _Verbs) -> None:
    _directory(
        _verb(
            verbs,
            "status",
            "what it holds, what it is doing, what failed and why",
            "gossamer status my-web",
        )
    )


def _steering(verbs: _Verbs) -> None:
    """A crawl that runs, and what it can be told."""
    _directory(_verb(verbs, "top", "the live view of a crawl in the terminal; q ends it", "gossamer top my-web"))
    _directory(_verb(verbs, "pause", "pause the running crawl until `resume`", "gossamer pause my-web"))
    _directory(_verb(verbs, "resume", "go on with a crawl that was paused", "gossamer resume my-web"))
    _directory(_verb(verbs, "stop", "end the running crawl when what is under way is done", "gossamer stop my-web"))
    verb = _verb(
        verbs,
        "set",
        "change settings of the plan: for the crawl that runs, or for the next one",
        "gossamer set my-web delay=2 pages=5000 exclude='/calendar/'",
    )
    _directory(verb)
    verb.add_argument(
        "assigned", metavar="NAME=VALUE", nargs="+", help="any setting of DIR/plan.toml, which lists them"
    )
    verb = _verb(
        verbs,
        "add",
        "add seeds: to the crawl that runs, or for the next one",
        "gossamer add my-web https://example.org/news/",
    )
    _directory(verb)
    verb.add_argument("seeds", metavar="SEED", nargs="+", help="where to start from, too")
    verb = _verb(
        verbs,
        "retry",
        "try once more what failed: by the crawl that runs, or by the next one",
        "gossamer retry my-web --site example.org",
    )
    _directory(verb)
    _site(verb)


def _list(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "list",
        "all addresses that were ever found, or those of a state, a reason or a site, and the state of each; or hosts",
        "gossamer list my-web --state failed --reason 'http 404'",
    )
    _directory(verb)
    verb.add_argument(
        "--state",
        metavar="STATE",
        help="queued, done, failed or excluded; of those that are done: page, redirect, duplicate, near-copy, unread",
    )
    verb.add_argument(
        "--reason", metavar="WORDS", help="a reason as `status` prints it; other words: all reasons that begin so"
    )
    verb.add_argument(
        "--hosts", action="store_true", help="hosts in the place of addresses: how many pages, queued, failed, excluded"
    )
    _site(verb)


def _broken(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "broken",
        "links that lead nowhere: what failed or is gone, the pages that link to it, and the text of the links",
        "gossamer broken my-web --external --csv",
    )
    _directory(verb)
    verb.add_argument("--site", metavar="HOST", help="only links on the pages of this host and those below it")
    verb.add_argument(
        "--external", action="store_true", help="ask addresses outside the scope too, each once, by HEAD, politely"
    )
    verb.add_argument("--csv", action="store_true", help="answer as CSV, a row for each link")
    verb.add_argument("--exit-code", action="store_true", help="end with 1 when anything is broken (0)")
    verb.add_argument(
        "--trust-plan",
        action="store_true",
        help="with --external: use the proxy, certificates and private addresses in a plan that somebody else wrote",
    )


def _site(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--site", metavar="HOST", help="only this host and those below it")


def _why(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "why",
        "state, reason, next time and history of an address, host or file",
        "gossamer why my-web https://example.org/missing",
    )
    _directory(verb)
    verb.add_argument(
        "subject", metavar="URL-or-HOST", help="an address, a host name, or the path of a file in a collection of files"
    )


def _show(verbs: _Verbs) -> None:
    verb = _verb(verbs, "show", "show a page of the collection", "gossamer show my-web https://example.org/ --as links")
    _directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of the page")
    verb.add_argument(
        "--as",
        dest="form",
        choices=("text", "html", "markdown", "links", "headers", "raw"),
        default="text",
        help="the main content as text, HTML or Markdown, the links, the header fields, or the bytes (text)",
    )
    verb.add_argument("--full", action="store_true", help="with --as text: all words, not only the main content")
    verb.add_argument(
        "--at", metavar="TIME", help="as it was then: the end of a day, as 2026-11-01, or a time, as 2026-11-01T12:00Z"
    )


def _history(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "history",
        "the versions of a page, and what changed",
        "gossamer history my-web https://example.org/ --diff 1 2",
    )
    _directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of the page")
    verb.add_argument(
        "--diff",
        nargs="*",
        metavar="VERSION",
        help="what changed between two versions, by number or time; one: since then; none: the last change",
    )


def _changes(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "changes",
        "pages that are new, changed or gone since the last crawl began, or since a time; with a question, those that "
        "answer it",
        "gossamer changes my-web --since 7d 'foreign key'",
    )
    verb.epilog = (
        f"{verb.epilog}\nA QUERY is in the language of `gossamer help search`. A page matches if it\n"
        "has all the words. Pages that are gone or moved never match. Only the title and the main\n"
        "content count; `gossamer show DIR URL --full` prints all words of a page.\n"
    )
    _directory(verb)
    verb.add_argument("question", metavar="QUERY", nargs="*", default=[], help="only pages that answer this question")
    verb.worded = True
    verb.add_argument(
        "--since",
        metavar="TIME",
        help="the beginning of a day, as 2026-11-01, a time, as 2026-11-01T12:00Z, or how long ago, as 2h or 7d",
    )
    _site(verb)
    verb.add_argument(
        "-n",
        "--number",
        type=_natural,
        metavar="N",
        default=100,
        help="how many, the newest first (100); 0: all, in the order of the addresses",
    )
    verb.add_argument("--atom", action="store_true", help="as a feed (Atom)")


def _alert(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "alert",
        "keep questions, and tell what is new about each: add, list, remove, run",
        "gossamer alert add my-web cascades 'on delete cascade' --webhook https://example.org/hook",
    )
    verb.epilog = (
        f"{verb.epilog}\n"
        "  alert add DIR NAME QUERY   keep a question; what is new about it from now on is told\n"
        "  alert list DIR             all of them, and deliveries that failed\n"
        "  alert remove DIR NAME      keep it no longer\n"
        "  alert run DIR              tell what is new now; `gossamer crawl` does it at its end,\n"
        "                             `gossamer watch` once an hour and at its end\n"
    )
    verb.add_argument("action", metavar="ACTION", choices=("add", "list", "remove", "run"), help="what to do")
    _directory(verb)
    verb.add_argument("name", metavar="NAME", nargs="?", help="what the question is called")
    verb.add_argument(
        "question", metavar="QUERY", nargs="*", default=[], help="what to look for, as in `gossamer search`"
    )
    verb.worded = True
    verb.add_argument("--webhook", metavar="URL", default="", help="send what is new there, too: JSON by POST, signed")
    verb.add_argument(
        "--secret",
        metavar="WHERE",
        help="what it is signed with: a variable, as $NAME, or a file, as @/path ($GOSSAMER_WEBHOOK_SECRET)",
    )
    verb.add_argument(
        "--trust-alerts",
        action="store_true",
        help="of a collection that somebody else made: send to its webhooks; it is remembered",
    )


def _search(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "search",
        'find pages: words, "phrases", begin*, -not, AND, OR, ( ), '
        "site: type: lang: title: inurl: before: after: link:",
        "gossamer search my-web 'foreign key \"on delete cascade\" site:example.org'",
    )
    verb.epilog = f"{verb.epilog}\n{LANGUAGE}"
    _directory(verb)
    verb.add_argument("question", metavar="QUERY", nargs="+", help="what to look for; quote what the shell would take")
    verb.worded = True
    _number(verb, "hits")
    verb.add_argument("--offset", type=_natural, metavar="N", default=0, help="leave out the first N (0)")
    verb.add_argument(
        "--sort",
        choices=("relevance", "date", "-date"),
        default="relevance",
        help="by relevance (the default), by date: the newest first, or the oldest: -date",
    )
    verb.add_argument("--facets", action="store_true", help="say how many pages of which site, type, language, year")
    verb.add_argument("--explain", action="store_true", help="say why each hit stands where it stands")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


_READ: dict[type, Callable[[str], Any]] = {int: _whole, float: _number_of}
"""By the type of a setting."""


def _natural(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:  # digits that no list is as long as
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _number(verb: argparse.ArgumentParser, what: str) -> None:
    verb.add_argument("-n", "--number", type=_positive, metavar="N", default=10, help=f"how many {what} (10)")


def _port(text: str) -> int:
    if text.isdecimal() and int(text) < 1 << 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number up to 65535; without one the option comes last")


def _serve(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "serve",
        "show it in a browser: search page, dashboard, JSON. Programs ask at /api/v1/, and /api/v1/openapi.json"
        " describes it",
        "gossamer serve my-web",
    )
    _directory(verb)
    verb.add_argument(
        "--port", type=_port, metavar="N", help="where to listen (8360, or a free one where that is taken)"
    )
    verb.add_argument("--mcp", action="store_true", help="for language models too: the tools of `gossamer mcp` at /mcp")
    verb.add_argument("--read-only", action="store_true", help="show only: nothing can be changed from the browser")
    verb.add_argument(
        "--public",
        action="store_true",
        help="for other machines too; wants a password in GOSSAMER_PASSWORD, or --read-only",
    )
    verb.add_argument(
        "--name", action="append", dest="names", metavar="HOST", help="a name this server is called by; repeatable"
    )
    verb.add_argument(
        "--callback",
        metavar="URL",
        help="where others reach this server, as https://me.example/: hubs that feeds name (WebSub) are asked to tell"
        " of changes there, and a watch visits these at once",
    )
    verb.add_argument(
        "--pings",
        action="store_true",
        help="whoever has the key, which is shown, may say at /indexnow which pages are new or have changed (IndexNow)",
    )


def _mcp(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "mcp",
        "let a language model search and read it, by the Model Context Protocol on standard input and output. It needs"
        " the extra `mcp` (`pip install '.[mcp]'` where you cloned Gossamer); a client is told to start `gossamer` with"
        ' ["mcp", "/path/to/my-web"], as docs/mcp.md shows',
        "gossamer mcp my-web",
    )
    verb.add_argument("dir", metavar="DIR", help="the directory of the collection")


def _similar(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "similar",
        "the copies of a page, exact and near, and pages that are alike, on all sites",
        "gossamer similar my-web https://example.org/",
    )
    _directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of a page of the collection")


def _duplicates(verbs: _Verbs) -> None:
    _directory(
        _verb(
            verbs,
            "duplicates",
            "groups of copies, each under its main page, pages that are alike, and hosts that serve the same site",
            "gossamer duplicates my-web --json",
        )
    )


def _links(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "links",
        "who links to an address, with the text of the links, and what it links to",
        "gossamer links my-web https://example.org/",
    )
    _directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of a page")


def _rank(verbs: _Verbs) -> None:
    verb = _verb(verbs, "rank", "the pages that rank highest by the links to them", "gossamer rank my-web -n 20")
    _directory(verb)
    _number(verb, "pages")
    way = verb.add_mutually_exclusive_group()
    way.add_argument(
        "--query", metavar="WORDS", help="hubs and authorities among the pages that answer these, and those around them"
    )
    way.add_argument("--sites", action="store_true", help="sites instead of pages, by how near all others are to them")
    way.add_argument(
        "--trust",
        metavar="URL",
        action="append",
        help="a page you vouch for: pages by how trust in it reaches them; repeat",
    )
    verb.add_argument(
        "--plot", metavar="FILE", help="draw how rank is shared out and how it was found, as SVG, into a file"
    )


def _evaluate(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "evaluate",
        "measure the ranking against the judgements of people",
        "gossamer evaluate my-web --queries queries.txt --judgements qrels.txt",
    )
    _directory(verb)
    verb.add_argument("--queries", metavar="FILE", required=True, help="a question a line: name, space, words")
    verb.add_argument("--judgements", metavar="FILE", required=True, help="qrels of TREC: name 0 URL grade")


def _convert(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "convert",
        "read any documents, without a collection",
        "gossamer convert report.pdf page.html --as markdown\n"
        "  gossamer convert https://example.org/ --as text --contact me@example.org\n"
        "  gossamer convert - --type html --as json < page",
    )
    verb.add_argument(
        "inputs", metavar="FILE|URL|-", nargs="+", help="a file, an http address, or - for standard input"
    )
    verb.add_argument(
        "--as",
        dest="form",
        choices=("html", "markdown", "text", "json", "links"),
        default="markdown",
        help="the main content as HTML, Markdown or text; an object with all of it; or the links (markdown)",
    )
    verb.add_argument("--json", action="store_const", const="json", dest="form", help="the same as --as json")
    verb.add_argument("--full", action="store_true", help="with --as text: all words, not only the main content")
    verb.add_argument(
        "--type", metavar="TYPE", help="what the files are, as text/html or html; otherwise it is found out"
    )
    group = verb.add_argument_group("for addresses")
    for name in ("contact", "allow_addresses", "proxy", "ca_file"):
        _setting(group, name)


def _build(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "build",
        "make the texts, the index and the graph of links that are missing",
        "gossamer build my-web --convert",
    )
    _directory(verb)
    verb.add_argument(
        "--convert", action="store_true", help="read all pages again, as after an upgrade or with other settings"
    )


def _import(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "import",
        "take in what other crawlers captured, from WARC, ARC, WACZ and TREC Web files",
        "gossamer import my-web crawl-*.warc.gz site.wacz",
    )
    _directory(verb)
    verb.add_argument(
        "files", metavar="FILE", nargs="+", help="plain, gzip or zstandard; a file that was imported is passed over"
    )
    _setting(verb, "shards")


def _export(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "export",
        "write the collection in an open format",
        "gossamer export my-web jsonl -o pages.jsonl",
    )
    _directory(verb)
    verb.add_argument(
        "form",
        metavar="FORMAT",
        choices=FORMATS,
        help=f"{', '.join(FORMATS)}; parquet needs pyarrow: pip install '.[parquet]' where you cloned Gossamer",
    )
    verb.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        default="-",
        help="a new file; for warc also a directory, for markdown and bagit a new one; - is standard output (-)",
    )
    part = verb.add_argument_group("a part of it: jsonl, markdown, parquet, trec, graph")
    part.add_argument(
        "--site", metavar="HOST", action="append", help="pages of a host and the hosts below it; repeatable"
    )
    part.add_argument("--include", metavar="PATTERN", action="append", help="addresses with an RE2 pattern; repeatable")
    part.add_argument("--query", metavar="WORDS", default="", help="pages that a search for it finds")
    verb.add_argument(
        "--without-links", action="store_true", help="of jsonl, markdown, parquet: the words of links alone"
    )


def _verify(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "verify",
        "read everything back and check that it fits together",
        "gossamer verify my-web --repair",
    )
    _directory(verb)
    verb.add_argument(
        "--repair",
        action="store_true",
        help="save all that is whole, say what is lost and queue it, make again what is derived",
    )
    verb.add_argument(
        "--report",
        metavar="FILE",
        help="write what was found to a new file, as JSON: counts, digests of all files, problems, program and date",
    )


def _remove(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "remove",
        "take pages out of the collection for good, and never fetch them again",
        "gossamer remove my-web '^https://example\\.org/private/' --dry-run",
    )
    _directory(verb)
    verb.add_argument(
        "pattern", metavar="PATTERN", help="an address of the collection, or an RE2 pattern: all addresses with it"
    )
    verb.add_argument("--archive", action="store_true", help="take their records out of the WARC files too")
    verb.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb.add_argument("--yes", action="store_true", help="do not ask")


def _prune(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "prune",
        "let old versions of pages go, out of the archive too. The newest version of a page always stays, and so does"
        " each that another page needs because it is a copy. `gossamer watch` does it by itself once a day where"
        " the plan has a rule (`keep`)",
        "gossamer prune my-web --keep '90 days' --dry-run",
    )
    _directory(verb)
    verb.add_argument("--keep", metavar="RULE", help="which stay, like 'last 5' or '90 days' (that of the plan)")
    verb.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb.add_argument("--yes", action="store_true", help="do not ask")


def _simulate(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "simulate",
        "try a budget of visits on a made web, before you spend it. Each policy keeps the same pages fresh as well as"
        " it can, for some weeks that pass in seconds: an ideal schedule that knows every change rate (best), the one"
        " that `watch` uses (learning), and five published ones (azar, lambdacrawl, uniform, proportional, nutch). A"
        " table says which part of the copies is fresh, and how old they are",
        "gossamer simulate plan.toml --budget 2000 --plot plan.svg",
    )
    verb.add_argument(
        "plan",
        metavar="PLAN",
        nargs="?",
        help="a file in TOML that says how many pages there are, how often they change, and how many visits a day there"
        " are; or the directory of a collection, which has as many pages, and the rest is assumed",
    )
    verb.add_argument("--example", action="store_true", help="print a plan with every line explained, to begin with")
    verb.add_argument(
        "--budget", metavar="N", type=_visits, help="visits, like 10000/day, in the place of those of the plan"
    )
    verb.add_argument(
        "--goal",
        choices=("freshness", "age"),
        help="what visits are for, in the place of the plan's (age, as in `watch`)",
    )
    verb.add_argument("--plot", metavar="FILE", help="draw freshness and age over the days, as SVG, into a file")
    verb.add_argument("--json", action="store_true", help="answer as JSON, with the figures of every day")


def _visits(text: str) -> float:
    found = visits(text)
    if found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is less than one visit a day")
    return found


def _demo(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "demo",
        "crawl a made web on this machine and find a page in it",
        "gossamer demo",
    )
    verb.add_argument("dir", metavar="DIR", nargs="?", default="demo-web", help="where to keep it (demo-web)")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


def _help(verbs: _Verbs) -> None:
    verb = _verb(verbs, "help", "all commands, or the options of one", "gossamer help search")
    verb.add_argument("about", metavar="COMMAND", nargs="*", default=[], help="one of the commands; none: list them")
    verb.add_argument("--man", action="store_true", help="write the manual page: `gossamer help --man | man -l -`")


def _completion(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "completion",
        "write what completes commands and options in a shell. Put `source <(gossamer completion bash)` into ~/.bashrc,"
        " the same with zsh into ~/.zshrc, or the output for fish into ~/.config/fish/completions/gossamer.fish",
        "gossamer completion bash",
    )
    verb.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="the shell (that of $SHELL)")
