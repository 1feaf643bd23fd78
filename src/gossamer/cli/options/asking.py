"""What a collection is asked."""

from __future__ import annotations

from gossamer.cli.options.verb_parts import (
    BELOW,
    Verbs,
    add_directory,
    add_number,
    add_site,
    add_verb,
    natural,
)
from gossamer.setting_text import TIME

LANGUAGE = """\
query:
  foreign key           pages about these words; the more of them the better
  "foreign key"         one after the other
  index*                words that begin so
  cascade OR restrict   one of them
  cascade AND restrict  both of them
  -oracle, NOT oracle   not this; --rebase, -x=y and -l are words
  (a OR b) -(c d)       parentheses
  title:index           in the title; also title:"foreign key"
  inurl:docs            in the address
  site:example.org      of this site or host; also site:example.org/docs
  type:pdf              of this type; also filetype:pdf and media types
  lang:de               in this language
  after:2026-03         from this day on; before:2026 from before it
  link:example.org/a    that links to this address
  price:30              with this in a field that a page function gave (--on-page)
  docno:GX000-01-02     with this number in a collection of TREC that was imported
Put the query in single quotes, so that the shell leaves it alone.
"""
"""The query language in a few lines, for `gossamer help search`."""


def status(verbs: Verbs) -> None:
    add_directory(
        add_verb(
            verbs,
            "status",
            "what it holds, what it is doing, what failed and why",
            "gossamer status my-web",
        )
    )


def list_(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "list",
        "all addresses that were ever found, or those of a state, a reason or a site, and the state of each; or hosts. "
        "Addresses come by host name read from its end, then by path",
        "gossamer list my-web --state failed --reason 'http 404'",
    )
    add_directory(verb)
    verb.add_argument(
        "--state",
        metavar="STATE",
        help="queued, done, failed or excluded; missing: what pages need and is not here; "
        "of those that are done: page, redirect, duplicate, near-copy, unread",
    )
    verb.add_argument(
        "--reason", metavar="WORDS", help="a reason as `status` prints it; other words: all reasons that begin so"
    )
    verb.add_argument(
        "--hosts", action="store_true", help="hosts in the place of addresses: how many pages, queued, failed"
    )
    add_site(verb)


def broken(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "broken",
        "links that lead nowhere: what failed or is gone, the pages that link to it, and the text of the links",
        "gossamer broken my-web --external --csv",
    )
    add_directory(verb)
    verb.add_argument("--site", metavar="HOST", help=f"only links, wherever they lead, that stand on pages of {BELOW}")
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


def why(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "why",
        "state, reason, next time and history of an address, host or file",
        "gossamer why my-web https://example.org/missing",
    )
    add_directory(verb)
    verb.add_argument(
        "subject", metavar="URL-or-HOST", help="an address, a host name, or the path of a file in a collection of files"
    )


def show(verbs: Verbs) -> None:
    example = "gossamer show my-web https://example.org/ --as links"
    verb = add_verb(verbs, "show", "show a page of the collection", example)
    add_directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of the page")
    verb.add_argument(
        "--as",
        dest="form",
        choices=("text", "html", "markdown", "links", "headers", "raw", "screenshot"),
        default="text",
        help="the main content as text, HTML or Markdown, the links, the header fields, the bytes, or the picture of a"
        " crawl with --screenshots (text)",
    )
    verb.add_argument("--full", action="store_true", help="with --as text: all words, not only the main content")
    verb.add_argument("--at", metavar="TIME", help=f"as it was then: the end of {TIME}")


def history(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "history",
        "the versions of a page, and what changed",
        "gossamer history my-web https://example.org/ --diff 1 2",
    )
    add_directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of the page")
    verb.add_argument(
        "--diff",
        nargs="*",
        metavar="VERSION",
        help="what changed between two versions, by number or time; one: since then; none: the last change",
    )
    verb.add_argument("--full", action="store_true", help="with --diff: all words, not only the main content")
    verb.add_argument("--search", metavar="WORDS", help="only the versions that say this: they have all of the words")


def changes(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "changes",
        "pages that are new, changed or gone since the last crawl began, or since a time; with a question, those that "
        "answer it",
        "gossamer changes my-web --since 7d 'foreign key'",
    )
    verb.epilog = (
        f"{verb.epilog}\nA page has changed if its title, its main content or a field of it says something else."
        " What stands around that, as menus and lists of links, does not count;"
        " `gossamer history DIR URL --diff --full` shows it.\n"
        "\nA QUERY is in the language of `gossamer help search`. A page matches if it has all the words."
        " Pages that are gone or moved never match. Only the title and the main content count;"
        " `gossamer show DIR URL --full` prints all words of a page.\n"
    )
    add_directory(verb)
    verb.add_argument("question", metavar="QUERY", nargs="*", default=[], help="only pages that answer this question")
    verb.worded = True
    verb.add_argument(
        "--since",
        metavar="TIME",
        help=f"the beginning of {TIME}",
    )
    add_site(verb)
    verb.add_argument(
        "-n",
        "--number",
        type=natural,
        metavar="N",
        default=100,
        help="how many, the newest first (100); 0: all, in the order of the addresses",
    )
    verb.add_argument("--atom", action="store_true", help="as a feed (Atom)")


def alert(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "alert",
        "keep questions, and tell what is new about each: add, list, remove, run",
        "gossamer alert add my-web cascades 'on delete cascade' --webhook https://example.org/hook",
    )
    verb.epilog = (
        f"{verb.epilog}\n"
        "  alert add DIR NAME QUERY   keep a question; what is new about it from now on is reported\n"
        "  alert list DIR             all of them, and deliveries that failed\n"
        "  alert remove DIR NAME      keep it no longer\n"
        "  alert run DIR              tell what is new now; `gossamer crawl` does it at its end, `gossamer watch`"
        " once an hour and at its end\n"
    )
    verb.add_argument("action", metavar="ACTION", choices=("add", "list", "remove", "run"), help="what to do")
    add_directory(verb)
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


def search(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "search",
        'find pages: words, "phrases", begin*, -not, AND, OR, ( ), '
        "site: type: lang: title: inurl: before: after: link:",
        "gossamer search my-web 'foreign key \"on delete cascade\" site:example.org'",
    )
    verb.epilog = f"{verb.epilog}\n{LANGUAGE}"
    add_directory(verb)
    verb.add_argument("question", metavar="QUERY", nargs="+", help="what to look for; quote what the shell would take")
    verb.worded = True
    add_number(verb, "hits")
    verb.add_argument("--offset", type=natural, metavar="N", default=0, help="leave out the first N (0)")
    verb.add_argument(
        "--sort",
        choices=("relevance", "date", "-date"),
        default="relevance",
        help="by relevance (the default), by date: the newest first, or the oldest: -date",
    )
    past = verb.add_mutually_exclusive_group()
    past.add_argument(
        "--at",
        metavar="TIME",
        help=f"as the collection stood then: the end of {TIME}",
    )
    past.add_argument(
        "--all-versions",
        action="store_true",
        help="all that pages ever said, and when each said it first and last",
    )
    verb.add_argument("--facets", action="store_true", help="say how many pages of which site, type, language, year")
    verb.add_argument("--explain", action="store_true", help="say why each hit stands where it stands")


def similar(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "similar",
        "the copies of a page, exact and near, and pages that are alike, on all sites",
        "gossamer similar my-web https://example.org/",
    )
    add_directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of a page of the collection")


def duplicates(verbs: Verbs) -> None:
    add_directory(
        add_verb(
            verbs,
            "duplicates",
            "groups of copies, each under its main page, pages that are alike, and hosts that serve the same site",
            "gossamer duplicates my-web --json",
        )
    )


def links(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "links",
        "who links to an address, what others call it, and what it links to",
        "gossamer links my-web https://example.org/",
    )
    add_directory(verb)
    verb.add_argument("url", metavar="URL", help="the address of a page")


def rank(verbs: Verbs) -> None:
    verb = add_verb(verbs, "rank", "the pages that rank highest by the links to them", "gossamer rank my-web -n 20")
    add_directory(verb)
    add_number(verb, "pages")
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
    way.add_argument(
        "--by", choices=("rank", "links"), default="rank", help="by PageRank (rank), or by how many pages link there"
    )
    verb.add_argument(
        "--plot", metavar="FILE", help="draw how rank is shared out and how it was found, as SVG, into a file"
    )


def evaluate(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "evaluate",
        "measure the ranking against the judgements of people",
        "gossamer evaluate my-web --queries queries.txt --judgements qrels.txt",
    )
    add_directory(verb)
    verb.add_argument("--queries", metavar="FILE", required=True, help="a question a line: name, space, words")
    verb.add_argument("--judgements", metavar="FILE", required=True, help="qrels of TREC: name 0 URL grade")
