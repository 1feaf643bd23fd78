"""How are values written on a page? Every text is escaped by the template; what strangers wrote is harmless before."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gossamer import printable
from gossamer.web.asked import VALUE
from gossamer.web.inline_assets import ICON, STYLE
from gossamer.web.languages import named

_KINDS = {
    "application/pdf": "PDF", "text/plain": "text", "text/html": "page", "application/xhtml+xml": "page",
    "application/rss+xml": "feed", "application/atom+xml": "feed", "application/json": "JSON", "text/csv": "table",
    "application/msword": "Word", "application/rtf": "RTF", "application/epub+zip": "EPUB", "text/markdown": "Markdown",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.ms-excel": "Excel", "application/vnd.ms-powerpoint": "PowerPoint",
    "application/vnd.oasis.opendocument.text": "OpenDocument", "message/rfc822": "mail",
}  # fmt: skip
_COMMAND = re.compile(r"`(gossamer [^`]*)`")
_AGO = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def environment() -> Environment:
    """All templates, with what they may use."""
    made = Environment(
        loader=PackageLoader("gossamer.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_harmless,
    )  # fmt: skip
    made.filters.update(
        number=number, size=printable.size, ago=ago, when=when, span=printable.span, crumbs=crumbs, cut=cut
    )
    made.filters.update(replaced=replaced, marked=marked, kind=kind, exact=exact, moment=moment, directory=directory)
    made.filters.update(told=told, brief=brief, sentence=sentence, phrased=phrased, named=named)
    made.tests.update(past=is_past)
    made.globals.update(link=link, style=STYLE, icon=ICON)
    return made


def _harmless(value: object) -> object:
    """Whatever a template prints: no marks that turn the direction of a line, or that nobody sees."""
    return printable.text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def number(value: float) -> str:
    """1,234,567"""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:,.1f}"


def brief(seconds: float) -> str:
    """340 ms, 2.5 s"""
    if 0 < seconds < 0.001:
        return "under 1 ms"
    return f"{seconds * 1_000:.0f} ms" if seconds < 1 else f"{number(round(seconds, 1))} s"


def exact(moment: float) -> str:
    """2026-11-01 12:30:05 UTC"""
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return "at a time that no calendar has"


def moment(seconds: float) -> str:
    """For a link to what was then: the millisecond after it, because that is how exact times are kept."""
    return datetime.fromtimestamp(seconds + 0.001, UTC).isoformat(timespec="milliseconds")


def relative(moment: float, now: float | None = None) -> str:
    """3 days ago, in 5 minutes"""
    passed = (time.time() if now is None else now) - moment
    for seconds, unit in _AGO:
        if abs(passed) >= seconds:
            amount = int(abs(passed) // seconds)
            words = f"{amount} {unit}{'' if amount == 1 else 's'}"
            return f"{words} ago" if passed > 0 else f"in {words}"
    return "just now" if passed >= 0 else "in a moment"


def is_past(moment: float) -> bool:
    """Has it come already?"""
    return moment <= time.time()


def ago(moment: float | None) -> Markup:
    """Relative, with the exact one on hover."""
    if not moment:
        return Markup("")
    stamp = printable.timestamp(moment) or ""
    return Markup('<time datetime="{}" title="{}">{}</time>').format(stamp, exact(moment), relative(moment))


def when(moment: float | None) -> Markup:
    """The day, with the exact time on hover."""
    if not moment:
        return Markup("")
    stamp = printable.timestamp(moment) or ""
    return Markup('<time datetime="{}" title="{}">{}</time>').format(stamp, exact(moment), stamp[:10])


def crumbs(url: str) -> Markup:
    """An address as a way to go: example.org › docs › intro"""
    parts = urlsplit(url)
    path = [part for part in parts.path.split("/") if part]
    steps = [parts.netloc, *path[:-1][-3:], *path[-1:]]
    if len(path) > 4:
        steps.insert(1, "…")
    if parts.query:
        steps[-1] += "?" + parts.query
    between = Markup(' <span aria-hidden="true">›</span> ')
    return between.join(escape(printable.line(cut(step, 60))) for step in steps)


def directory(url: str) -> str:
    """Host and directory of a page, as `site:` takes them; nothing at the top of a host, or where it is not plain."""
    parts = urlsplit(url)
    path = parts.path.rpartition("/")[0]
    found = f"{parts.hostname}{path}"
    return found if path and parts.hostname and VALUE.fullmatch(found) else ""


def cut(text: str, most: int = 80) -> str:
    """The beginning of what is too long for its place."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def phrased(reason: str) -> str:
    """http 404 Not Found: a status is a number to those who know it, and a word to others."""
    status = re.fullmatch("http ([1-5][0-9]{2})", reason)
    known = {each.value: each.phrase for each in HTTPStatus}
    return f"{reason} {known[int(status[1])]}" if status and int(status[1]) in known else reason


def sentence(words: str) -> str:
    """What is wrong with a question, as a page says it; what begins with an address stays as it is."""
    first = words.split(" ", 1)[0]
    end = "" if words.endswith((".", "!", "?", ":", "`")) else "."
    return (words[:1].upper() + words[1:] if first.isalpha() else words) + end


def link(path: str, **values: Any) -> str:
    """An address of ours with a query; what is empty is left out."""
    query = urlencode(
        {name: value for name, value in values.items() if value not in (None, "", False)}, errors="replace"
    )
    return f"{path}?{query}" if query else path


def replaced(values: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """The same query with some values changed."""
    return {**values, **others}


def marked(html: str) -> Markup:
    """What `Hit` has marked and escaped already; here it is made harmless."""
    return Markup(printable.text(html))


def told(words: str, name: str) -> Markup:
    """What we say of a collection, with the commands that are named in it set as such."""
    between = _COMMAND.split(printable.pasted(words, name))
    made = (Markup("<code>{}</code>") if number % 2 else Markup("{}") for number in range(len(between)))
    return Markup("").join(form.format(printable.text(part)) for form, part in zip(made, between, strict=True))


def kind(media_type: str) -> str:
    """A media type as people call it."""
    return _KINDS.get(media_type) or media_type.rpartition("/")[2].removeprefix("x-").upper()[:12]
