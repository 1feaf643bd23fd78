"""What is done to a collection at rest."""

from __future__ import annotations

from gossamer.cli.options.verb_parts import (
    Verbs,
    add_directory,
    add_verb,
)


def build(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "build",
        "make the texts, the index and the graph of links that are missing",
        "gossamer build my-web --convert",
    )
    add_directory(verb)
    verb.add_argument(
        "--convert",
        action="store_true",
        help="read all pages again, as after an upgrade, with other settings or for another page function",
    )
    verb.add_argument("--compact", action="store_true", help="make an index of many parts again in one")


def verify(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "verify",
        "read everything back and check that it fits together",
        "gossamer verify my-web --repair",
    )
    add_directory(verb)
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


def remove(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "remove",
        "take pages out of the collection for good, and never fetch them again",
        "gossamer remove my-web '^https://example\\.org/private/' --dry-run",
    )
    add_directory(verb)
    verb.add_argument(
        "pattern", metavar="PATTERN", help="an address of the collection, or an RE2 pattern: all addresses with it"
    )
    verb.add_argument("--archive", action="store_true", help="take their records out of the WARC files too")
    verb.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb.add_argument("--yes", action="store_true", help="do not ask")


def prune(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "prune",
        "let old versions of pages go, out of the archive too. The newest version of a page always stays, and so does"
        " each that another page needs because it is a copy. `gossamer watch` does it by itself once a day where"
        " the plan has a rule (`keep`)",
        "gossamer prune my-web --keep '90 days' --dry-run",
    )
    add_directory(verb)
    verb.add_argument("--keep", metavar="RULE", help="which stay, like 'last 5' or '90 days' (that of the plan)")
    verb.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb.add_argument("--yes", action="store_true", help="do not ask")


def fetch_collection(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "fetch-collection",
        "make a whole collection on this disk from the checkpoints in a store, also while it is crawled elsewhere."
        " The new one has no store. What a kill has left is gone on with",
        "gossamer fetch-collection s3://my-bucket/my-web my-copy",
    )
    verb.add_argument("dir", metavar="DIR", help="a collection that has a store, or the store itself")
    verb.add_argument("to", metavar="TO", help="the directory of the new collection")
    verb.add_argument("--json", action="store_true", help="answer as JSON")
