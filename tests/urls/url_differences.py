"""Where our canonical form differs from that of crawler-commons and of w3lib, case by case, and why.

Run as a program it prints the tables of docs/url-differences.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from gossamer.errors import InvalidURL
from gossamer.urls import apply, normalize
from reference import ROOT

CRAWLER_COMMONS = "url-crawler-commons"
W3LIB = "url-w3lib"

COUNTERPARTS = {
    "normalize": "normalize, rule parameter-order",
    "resolve": "normalize with a base",
    "invalid": "normalize",
    "canonicalize_url": "normalize, rule parameter-order",
    "safe_url_string": "normalize",
    "safe_download_url": "normalize",
}
"""Their functions that have a counterpart here. The others edit queries, name files or undo HTML."""


@dataclass(frozen=True)
class Case:
    """One case of theirs, with what we say. None stands for: no address."""

    function: str
    args: list[str]
    options: dict[str, object]
    theirs: str | None

    @property
    def given(self) -> str:
        return self.args[0]

    @property
    def ours(self) -> str | None:
        try:
            url = normalize(*self.args)
        except InvalidURL:
            return None
        return apply(url, ["parameter-order"]) if "parameter-order" in COUNTERPARTS[self.function] else url


def cases(name: str) -> Iterator[Case]:
    """The cases of one set that have a counterpart here."""
    folder = ROOT / name
    if name == W3LIB:
        for line in (folder / "cases.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["function"] in COUNTERPARTS:
                yield Case(row["function"], row["args"], row["kwargs"], row["expected"])
        return
    for row in _json(folder / "normalize.json"):
        yield Case("normalize", [row["input"]], {}, row["normalized"])
    for row in _json(folder / "resolve.json"):
        yield Case("resolve", row["columns"][:2], {}, row["columns"][2])
    for row in _json(folder / "invalid.json"):
        yield Case("invalid", [row], {}, None)


def _json(path: Path) -> list[dict[str, str]]:
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def _squeezed(url: str) -> str:
    return re.sub(r"(?<!:)/{2,}", "/", url)


def _pieces(url: str | None) -> list[str]:
    return re.split("[?&]", url or "")


def _has_user(case: Case) -> bool:
    return bool(re.match(r"\w+://[^/?#]*@", case.given))


CLASSES: dict[str, Callable[[Case], bool]] = {
    # The first class that fits is the reason, so the ones that say more come first.
    "other scheme": lambda case: bool(re.match(r"(?!https?:)[\w+.-]+:", case.given, re.I)),
    "no scheme": lambda case: not re.match(r"https?:", case.given.strip(), re.I) and len(case.args) == 1,
    "no host": lambda case: bool(re.fullmatch(r"https?:/*", case.given)),
    "other encoding": lambda case: bool({"encoding", "path_encoding"} & case.options.keys()),
    "blank values": lambda case: case.options.get("keep_blank_values") is False,
    "user information": _has_user,
    "fragment": lambda case: "#" in case.given and "#" in (case.theirs or ""),
    "double slash": lambda case: _squeezed(case.ours or "") == case.theirs,
    "stray percent": lambda case: bool(re.search(r"%(?![0-9A-Fa-f]{2})", case.given)),
    "final dot": lambda case: (case.ours or "").replace("./", "/", 1) == case.theirs,
    "legal in the standard": lambda case: bool(re.search(r"[|^`{}\[\]\\]", case.ours or "")),
    "host": lambda case: not (case.theirs or "").isascii(),
    "default port": lambda case: bool(re.match(r"https?://[^/]+:(?:80|443)(?:/|$)", case.theirs or "")),
    "empty path": lambda case: case.ours == f"{case.theirs}/",
    "empty name": lambda case: bool(re.search(r"[?&]=", case.given)),
    "order of values": lambda case: sorted(_pieces(case.ours)) == sorted(_pieces(case.theirs)),
    "form encoding": lambda case: (
        unquote((case.theirs or "").replace("+", " ")).replace("=", "")
        == unquote((case.ours or "").replace("+", " ")).replace("=", "")
        and "?" in case.given
    ),
    "escapes": lambda case: unquote(case.ours or "", "latin-1") == unquote(case.theirs or "", "latin-1"),
}


def reason(case: Case) -> str | None:
    """The class a differing case belongs to."""
    return next((name for name, fits in CLASSES.items() if fits(case)), None)


def table(name: str) -> str:
    """The differing cases of one set as a table in Markdown, by class."""
    differing = [case for case in cases(name) if case.ours != case.theirs]
    order = list(CLASSES)
    rows = sorted(
        (order.index(reason(case) or ""), case.function, json.dumps(case.args), _row(case)) for case in differing
    )
    head = "| their function | given | theirs | ours | class |\n|---|---|---|---|---|\n"
    return head + "\n".join(row for *_, row in rows) + "\n"


def _row(case: Case) -> str:
    options = "".join(f", {key}={value}" for key, value in case.options.items())
    given = " + ".join(map(_code, case.args)) + options
    return f"| {case.function} | {given} | {_code(case.theirs)} | {_code(case.ours)} | {reason(case)} |"


def _code(text: str | None) -> str:
    if text is None:
        return "no address"
    printable = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    return f"`{printable.replace('|', chr(92) + '|')}`"


if __name__ == "__main__":
    for name in (CRAWLER_COMMONS, W3LIB):
        print(f"## {name}\n\n{table(name)}")
