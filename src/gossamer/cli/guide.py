"""What can one ask for? The commands by what one wants, the manual page, and what a slip may have meant."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Mapping

from gossamer.settings import SETTINGS
from gossamer.version import VERSION

GROUPS: Mapping[str, str] = {
    "begin with": "crawl status search serve show export",
    "collect": "files watch import build simulate demo",
    "steer": "top pause resume stop set add retry",
    "look": "list why history links broken changes alert",
    "search": "similar duplicates rank evaluate",
    "take along": "convert mcp replay fetch-collection plan-cluster",
    "look after": "verify remove prune help completion",
}
"""Each command once, under what one wants; those that are not there are passed over."""
_INDENT = " " * 14
"""Where the words about a command begin."""
_CLOSE = 0.75
"""How much alike two words are when one is a slip of the other; a hint that is far off is worse than none."""
_NAMED = 3
"""Verbs that are named, at most."""
_ELSEWHERE = {
    **dict.fromkeys(("fetch", "mirror", "download", "spider", "scrape", "get"), "crawl"),
    **dict.fromkeys(("continue", "start", "run"), "crawl"),
    **dict.fromkeys(("suspend", "hold", "wait"), "pause"),
    **dict.fromkeys(("unpause", "go-on"), "resume"),
    **dict.fromkeys(("end", "halt", "abort", "kill", "cancel"), "stop"),
    **dict.fromkeys(("config", "configure", "change"), "set"),
    **dict.fromkeys(("seed", "seeds", "enqueue"), "add"),
    **dict.fromkeys(("monitor", "htop"), "top"),
    **dict.fromkeys(("update", "refresh", "recrawl", "revisit"), "crawl --revisit, or watch"),
    **dict.fromkeys(("find", "query", "grep"), "search"),
    **dict.fromkeys(("hosts", "sites", "domains"), "list --hosts"),
    **dict.fromkeys(("urls", "ls", "addresses"), "list"),
    **dict.fromkeys(("dups", "dupes", "copies"), "duplicates"),
    **dict.fromkeys(("check", "deadlinks", "linkcheck"), "broken"),
    **dict.fromkeys(("cat", "view", "page", "get-page"), "show"),
    **dict.fromkeys(("info", "stats", "stat"), "status"),
    **dict.fromkeys(("index", "reindex"), "build"),
    **dict.fromkeys(("delete", "rm", "purge"), "remove"),
    **dict.fromkeys(("alerts", "notify", "subscribe", "webhook"), "alert"),
    **dict.fromkeys(("diff", "new"), "changes, or history DIR ADDRESS --diff"),
    **dict.fromkeys(("server", "web", "ui", "dashboard", "browse"), "serve"),
    **dict.fromkeys(("wayback", "pywb", "playback"), "replay"),
    **dict.fromkeys(("sim", "simulation", "estimate", "budget"), "simulate"),
    **dict.fromkeys(("cost", "costs", "size-cluster", "cluster"), "plan-cluster"),
    "man": "help --man",
    "md": "markdown",
    "txt": "text",
    "htm": "html",
    **dict.fromkeys(("--password", "--user"), "--auth"),
    **dict.fromkeys(("--email", "--from"), "--contact"),
    **dict.fromkeys(("--rate", "--wait", "--sleep", "--crawl-delay"), "--delay"),
    **dict.fromkeys(("--max-depth", "--level"), "--depth"),
    **dict.fromkeys(("--input", "--input-file", "--seed-file", "--urls"), "--seeds"),
    **dict.fromkeys(("--duration", "--max-time"), "--time"),
    "--timeout": "--set total_seconds=SECONDS",
    **dict.fromkeys(("--reject", "--ignore", "--no-pdf"), "--exclude"),
    **dict.fromkeys(("--accept", "--only"), "--include"),
    **dict.fromkeys(("--limit", "--max-pages", "-l"), "--pages"),
    **dict.fromkeys(("--no-parent", "-np"), "--scope path"),
    "--limit-rate": "--bandwidth",
    **dict.fromkeys(("--jobs", "-j", "--concurrency", "--threads", "--parallel"), "--workers, or --per-host"),
    **dict.fromkeys(("--insecure", "-k", "--no-check-certificate"), "--ca-file FILE, which trusts your own authority"),
    **dict.fromkeys(("--recursive", "-r"), "--depth N; links are followed without it"),
    **dict.fromkeys(
        ("--config", "--settings", "--plan"), "--set, or the file plan.toml in the directory of the collection"
    ),
}
"""What other programs call it."""
_ANSWERS = {
    **dict.fromkeys(("--resume", "--continue", "--restart"), "leave it out: `gossamer crawl DIR` goes on by itself"),
    **dict.fromkeys(
        ("--user-agent", "--agent"), "the name that sites see cannot be set; --contact adds whom they may ask"
    ),
    "version": "`gossamer --version` tells it",
    **dict.fromkeys(("init", "create", "make"), "`gossamer crawl DIR https://example.org/` makes a collection"),
}
"""What is not there under any name, and what to do."""
_FOR_FILES = frozenset(("--output", "-o", "-O", "--output-file", "--output-document", "--out", "--format", "--export"))
"""What writes pages to files in programs that do it while they crawl."""


def verbs_of(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb."""
    found = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(next(found).choices)


def commands(top: argparse.ArgumentParser, columns: int) -> str:
    """All of them in their groups, a line of so many columns for each."""
    verbs = verbs_of(top)
    blocks = []
    for title, names in GROUPS.items():
        rows = [_row(name, verbs[name], columns) for name in names.split() if name in verbs]
        blocks.append("\n".join([f"{title}:", *rows]))
    return "\n\n".join(blocks)


def _row(name: str, verb: argparse.ArgumentParser, columns: int) -> str:
    said = first_sentence(verb)
    said = said[0].lower() + said[1:]
    filled = textwrap.fill(said, columns, initial_indent=_INDENT, subsequent_indent=_INDENT)
    if len(name) > len(_INDENT) - 4:  # it would touch what is said of it
        return f"  {name}\n{filled}"
    return f"  {name:<{len(_INDENT) - 2}}{filled.removeprefix(_INDENT)}"


def first_sentence(verb: argparse.ArgumentParser) -> str:
    """What it does; more stands in its own help."""
    return " ".join((verb.description or "").split()).partition(". ")[0].removesuffix(".")


def meant(word: str, known: Iterable[str]) -> str:
    """What was probably meant, as the end of a message; nothing where nobody can tell."""
    import difflib  # for slips alone

    names = [name for name in known if name != word]
    if word in _ANSWERS:
        return f"; {_ANSWERS[word]}"
    close = [here for here in [_ELSEWHERE.get(word, "")] if re.split("[, ]", here)[0] in names]
    close += difflib.get_close_matches(word, names, 1, _CLOSE)
    return f"; did you mean {close[0]}?" if close else ""


def no_option(word: str, verb: str, verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    """The end of a message about an option that a verb does not have: what it has instead, or whose option it is."""
    own = options_of(verbs[verb])
    if word in _FOR_FILES and not _FOR_FILES.intersection(own):
        return "; `gossamer export DIR FORMAT -o FILE` writes what was collected"
    others = [name for name, each in verbs.items() if word in options_of(each)]
    if not others or word in _ELSEWHERE or word in _ANSWERS:
        return meant(word, own)
    if "crawl" in others and (setting := word.lstrip("-").replace("-", "_")) in SETTINGS:
        return f"; it is one of crawl; `gossamer set DIR {setting}=...` puts it into the plan of a collection"
    return f"; {verb} has no such option; {' and '.join(others[:_NAMED])} {'has' if len(others) == 1 else 'have'}"


def no_command(word: str, verbs: Iterable[str]) -> str:
    """What is said of a verb that is none."""
    return f"{word!r} is no command{meant(word, verbs)}; `gossamer help` lists them".replace("?;", "?")


def no_format(word: str, forms: Iterable[str]) -> str:
    """What is said of a format of `export` that is none."""
    names = list(forms)
    table = word.lower() in ("csv", "tsv", "xlsx", "excel", "sqlite", "sql", "duckdb", "pandas", "arrow", "feather")
    cure = "; take jsonl or parquet, which pandas, Polars and DuckDB read and write as such" if table else ""
    if word.lower() in ("wget", "html", "raw", "tree", "mirror", "folder", "directory"):
        cure = "; files writes each page as it came into a folder of its site"
    return f"{word!r} is no format of export: there are {', '.join(names)}{cure or meant(word, names)}"


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """All that begins with a dash."""
    return [option for action in parser._actions for option in action.option_strings]


# ---------------------------------------------------------------- the manual page


def manual(top: argparse.ArgumentParser) -> str:
    """In the language of man(7), made from the parser."""
    lines = [
        f'.TH GOSSAMER 1 "" "gossamer {VERSION}" "User Commands"',
        ".SH NAME",
        r"gossamer \- turn a part of the web into a collection you own",
        ".SH SYNOPSIS",
        r".B gossamer",
        r"\fICOMMAND\fR ...",
        ".SH COMMANDS",
    ]
    verbs = verbs_of(top)
    names = [name for names in GROUPS.values() for name in names.split() if name in verbs]
    for name in names:
        lines += _section(name, verbs[name])
    codes = (top.epilog or "").partition("exit codes:\n")[2]
    return "\n".join([*lines, ".SH EXIT STATUS", ".nf", _roff(codes.rstrip()), ".fi"]) + "\n"


def _section(name: str, verb: argparse.ArgumentParser) -> Iterable[str]:
    yield f".SS {_roff(name)}"
    yield _roff(" ".join(verb.format_usage().removeprefix("usage: ").split()))
    yield ".PP"
    yield _roff(verb.description or "")
    for action in verb._actions:
        if action.help != argparse.SUPPRESS:
            yield ".TP"
            yield rf"\fB{_roff(_named(action))}\fR"
            yield _roff(action.help or "")
    title, _, examples = (verb.epilog or "").partition("\n\n")[0].partition("\n")
    yield from (".PP", title.capitalize(), ".nf", _roff(examples), ".fi")


def _named(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or "/".join(map(str, action.choices or [action.dest])))
    return f"{', '.join(action.option_strings)} {value}".strip()


def _roff(words: str) -> str:
    """No word of ours is a request, a dash is one that can be copied, and nothing is taken for an escape."""
    escaped = words.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", escaped)
