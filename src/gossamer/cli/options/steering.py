"""What is said to a crawl that runs."""

from __future__ import annotations

from gossamer.cli.options.verb_parts import Verbs, add_directory, add_site, add_verb


def top(verbs: Verbs) -> None:
    add_directory(add_verb(verbs, "top", "the live view of a crawl in the terminal; q ends it", "gossamer top my-web"))


def pause(verbs: Verbs) -> None:
    add_directory(add_verb(verbs, "pause", "pause the running crawl until `resume`", "gossamer pause my-web"))


def resume(verbs: Verbs) -> None:
    add_directory(add_verb(verbs, "resume", "go on with a crawl that was paused", "gossamer resume my-web"))


def stop(verbs: Verbs) -> None:
    ends = "end the running crawl when what is under way is done"
    add_directory(add_verb(verbs, "stop", ends, "gossamer stop my-web"))


def set_(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "set",
        "change settings of the plan: for the crawl that runs, or for the next one",
        "gossamer set my-web delay=2 pages=5000 exclude='/calendar/'",
    )
    add_directory(verb)
    verb.add_argument(
        "assigned",
        metavar="NAME=VALUE",
        nargs="+",
        help="any setting of DIR/plan.toml; `gossamer help --plan` lists them",
    )


def add(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "add",
        "add seeds: to the crawl that runs, or for the next one",
        "gossamer add my-web https://example.org/news/",
    )
    add_directory(verb)
    verb.add_argument("seeds", metavar="SEED", nargs="+", help="where to start from, too")


def retry(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "retry",
        "try once more what failed: by the crawl that runs, or by the next one",
        "gossamer retry my-web --site example.org",
    )
    add_directory(verb)
    add_site(verb)
