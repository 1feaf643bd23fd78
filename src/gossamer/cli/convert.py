"""`gossamer convert`: any document, without a collection. One input that cannot be read does not stop the others.

A page of the web is fetched by a crawl of that one page, in a directory that is gone afterwards: so robots.txt,
delays, limits and the guard hold as they always do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

import gossamer
from gossamer import convert, printable
from gossamer.cli import forms
from gossamer.cli.out import complain
from gossamer.cli.terminal import encoded
from gossamer.collection import Collection
from gossamer.convert.silent import EMPTY
from gossamer.convert.type.mime import TYPES, type_by_name
from gossamer.errors import InvalidURL, NotFound, NothingFetched, UsageError
from gossamer.model import Page
from gossamer.urls import normalize

STDIN = "-"
MOST_BYTES = 1 << 30
"""Of one document."""
HOPS = 20
"""Redirects that are followed from an address; the crawl has its own, lower limit."""
ALONE: dict[str, Any] = {
    "scope": "page",
    "sitemaps": "never",
    "head": "never",
    "patience": 0.0,
    "shards": 1,
    "disk_pause": 0,
    "disk_pause_share": 0.0,
}
"""The settings of a crawl that fetches what it was given and nothing else."""


class Read(NamedTuple):
    """What became of one input."""

    name: str
    page: Page | None
    problem: str = ""


def run(options: argparse.Namespace, settings: dict[str, Any]) -> int:
    """Convert all inputs in their order; 1 when there was something wrong with one of them."""
    media_type = _forced(options.type)
    if options.full and options.form != "text":
        raise UsageError("--full is for --as text; the other forms are of the main content")
    out = Output(options.form, sys.stdout.buffer, full=options.full, several=len(options.inputs) > 1)
    wrong = 0
    for read in _read_all(options.inputs, media_type, settings):
        if read.page is not None:
            out.write(read.name, read.page)
        if read.problem:
            wrong = 1
            complain(f"{read.name}: {read.problem}")
    return wrong


class Output:
    """Writes pages in a form, with a line that names each where they are several."""

    def __init__(self, form: str, out: BinaryIO, *, full: bool, several: bool) -> None:
        self._form = form
        self._out = out
        self._say: Callable[[Page], str] = forms.full if full else forms.FORMS.get(form, forms.text)
        self._several = several
        self._safe = printable.text if out.isatty() else str

    def write(self, name: str, page: Page) -> None:
        """One page; in the forms for people nothing of one that says nothing."""
        if self._form == "json":
            said = printable.json({"source": name, **forms.fields(page)})
        elif said := self._safe(self._say(page)).rstrip("\n"):
            said = (self._heading(name) if self._several else "") + said
        if said:
            is_shown = self._out.isatty() and self._form != "json"
            self._out.write((encoded(said) if is_shown else said.encode("utf-8", "replace")) + b"\n")
            self._out.flush()

    def _heading(self, name: str) -> str:
        named = printable.line(name)
        if self._form in ("html", "markdown"):
            return f"<!-- {named.replace('--', '- -')} -->\n"
        return f"==> {named} <==\n"


def _forced(asked: str | None) -> str | None:
    """A media type, or the ending of a file name that stands for one."""
    if asked is None or "/" in asked:
        return asked
    try:
        return TYPES[asked.lstrip(".").lower()]
    except KeyError:
        raise UsageError(f"--type {asked!r}: write a media type, as text/html, or an ending, as html") from None


def _read_all(inputs: Sequence[str], media_type: str | None, settings: dict[str, Any]) -> Iterable[Read]:
    urls = [name for name in inputs if _is_address(name)]
    pages = _fetched(dict.fromkeys(urls), settings) if urls else {}
    for name in inputs:
        yield pages[name] if name in pages else _read_file(name, media_type)


def _is_address(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


# ----------------------------------------------------------------------- files


def _read_file(name: str, media_type: str | None) -> Read:
    try:
        with _opened(name) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return Read(name, None, error.strerror or str(error))
    if len(data) > MOST_BYTES:
        return Read(name, None, f"larger than {MOST_BYTES >> 20} MiB")
    if not data:
        return Read(name, None, EMPTY)
    try:
        page = convert.document(data, media_type=media_type or type_by_name(name))
    except Exception as error:
        return Read(name, None, f"could not be read, which is a bug: {error!r}")
    return _judged(name, page)


def _opened(name: str) -> BinaryIO:
    return open(sys.stdin.fileno(), "rb", closefd=False) if name == STDIN else Path(name).open("rb")


def _judged(name: str, page: Page) -> Read:
    if page.problem or page.text or page.html or page.links:
        return Read(name, page, page.problem)
    return Read(name, page, f"no words were found in it ({page.media_type})")


# ------------------------------------------------------------------- addresses


def _fetched(urls: Iterable[str], settings: dict[str, Any]) -> dict[str, Read]:
    found, seeds = {}, {}
    for url in urls:
        try:
            seeds[url] = normalize(url)
        except InvalidURL as error:
            found[url] = Read(url, None, str(error))
    with TemporaryDirectory(prefix="gossamer-convert-") as folder, gossamer.open(folder) as web:
        if seeds:
            with suppress(NothingFetched):
                web.crawl(*seeds.values(), **ALONE, **settings)
        found |= {url: _page(web, url, seed) for url, seed in seeds.items()}
    return found


def _page(web: Collection, name: str, url: str) -> Read:
    """The page that an address leads to, or why it leads to none."""
    reason = ""
    try:
        for _ in range(HOPS):
            answer = web.why(url)
            reason, target = answer.reason, getattr(answer, "target", None)
            if not target:
                break
            url = target
        return _judged(name, web.page(url).page)
    except NotFound as error:
        return Read(name, None, reason or str(error))
