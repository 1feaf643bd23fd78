"""What others are shown of a collection, or given."""

from __future__ import annotations

from gossamer.cli.options.verb_parts import (
    BELOW,
    Verbs,
    add_directory,
    add_verb,
    port,
    positive,
)
from gossamer.collection.ask.formats import FORMATS
from gossamer.tagged.passages import WORDS


def serve(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "serve",
        "show it in a browser: search page, dashboard, JSON. Programs ask at /api/v1/, and /api/v1/openapi.json"
        " describes it",
        "gossamer serve my-web",
    )
    add_directory(verb)
    verb.add_argument(
        "--port", type=port, metavar="N", help="where to listen (8360, or a free one where that is taken)"
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


def replay(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "replay",
        "show its pages as they were, with their scripts running and all that a crawl with --archive has kept; nothing"
        " is loaded from anywhere else. It needs the extra `replay` (`pip install '.[replay]'` where you cloned"
        " Gossamer). `gossamer serve` shows pages in which nothing runs",
        "gossamer replay my-web",
    )
    add_directory(verb)
    verb.add_argument(
        "--port", type=port, metavar="N", help="where to listen (8370, or a free one where that is taken)"
    )


def mcp(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "mcp",
        "let a language model search and read it, by the Model Context Protocol on standard input and output. It needs"
        " the extra `mcp` (`pip install '.[mcp]'` where you cloned Gossamer); a client is told to start `gossamer` with"
        ' ["mcp", "/path/to/my-web"], as docs/mcp.md shows',
        "gossamer mcp my-web",
    )
    verb.add_argument("dir", metavar="DIR", help="the directory of the collection")


def export(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "export",
        "write the collection in an open format",
        "gossamer export my-web jsonl -o pages.jsonl",
        "gossamer export my-web markdown -o pages --without-links",
        "gossamer export my-web files -o mirror",
        "gossamer export my-web parquet -o pages.parquet --site example.org",
    )
    add_directory(verb)
    verb.add_argument(
        "form",
        metavar="FORMAT",
        choices=FORMATS,
        help=f"{', '.join(FORMATS)}. markdown: a file for each page; files: the same with the bytes that came, as a"
        " mirror of wget; parquet needs pyarrow: pip install '.[parquet]' where you cloned Gossamer",
    )
    verb.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        default="-",
        help="a new file; for markdown, files and bagit a new directory, for warc also an old one; - is standard output"
        " (-)",
    )
    part = verb.add_argument_group("a part of it: jsonl, passages, markdown, files, parquet, trec, graph")
    part.add_argument("--site", metavar="HOST", action="append", help=f"pages of {BELOW}; repeatable")
    part.add_argument("--include", metavar="PATTERN", action="append", help="addresses with an RE2 pattern; repeatable")
    part.add_argument("--query", metavar="WORDS", default="", help="pages that a search for it finds")
    part.add_argument(
        "--without-copies", action="store_true", help="one of each group of pages that say the same, or nearly"
    )
    verb.add_argument(
        "--fields",
        metavar="NAMES",
        action="append",
        help="of jsonl, parquet: only these of each page, as url,title,markdown (all: text has all words, content those"
        " of the main content, markdown the same as Markdown; fields.NAME: what a page function gave by that name)",
    )
    verb.add_argument(
        "--without-links", action="store_true", help="of jsonl, markdown, parquet: the words of links alone"
    )
    verb.add_argument(
        "--words",
        metavar="N",
        type=positive,
        help=f"of passages: the most that each has, but for long sentences ({WORDS})",
    )
