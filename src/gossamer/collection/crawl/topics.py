"""What is a crawl about? The topic is read once, and what was learned is kept in the collection.

`topic.json` holds the model as the command has made it: the words with their weights come first, for people. What each
shard learns on the way is in its table, part of the same commits as the pages that it was learned from. Neither is read
from the file that the user wrote: that one may change or go.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from gossamer import files
from gossamer.collection import page_fields
from gossamer.errors import Damaged, UsageError
from gossamer.frontier.entries import META
from gossamer.model import Capture, Kind, Page
from gossamer.plan import Plan
from gossamer.printable import counted, log
from gossamer.store.table.table import Table
from gossamer.topic.description import (
    AGAINST,
    EXAMPLES_MOST,
    FOR,
    LONGEST,
    TEXT_FILE,
    Description,
    described,
    is_address,
)
from gossamer.topic.judge import Judge, judge_of, restored
from gossamer.topic.link_score import ON_TOPIC

FILE = "topic.json"
FIELD, YES = "topic", "yes"
"""What a page on topic says of itself: `topic:yes` finds it."""
_LEARNED = b"topic"
"""A row of `META`: what a shard has learned, as JSON."""
_MODEL_MOST = 256 << 20
"""Bytes of a model."""

Texts = Callable[[list[str]], Awaitable[Mapping[str, str]]]
"""Addresses -> what the pages there say; those that cannot be read are missing."""
FileText = Callable[[Path], str]
"""A file -> what it says."""


async def learn(topic: str, folder: Path, file_text: FileText, page_texts: Texts, *, learns: bool) -> None:
    """Read a topic, train, and keep the model in the collection."""
    path = Path(topic)
    _require_no_link(path, folder)
    description = read(path)
    named = [*description.examples, *description.against]
    pages = await page_texts(addresses) if (addresses := [*filter(is_address, named)]) else {}
    base = _base(path)

    def inside(example: str) -> Path:
        _require_inside(base / example, base)
        return base / example

    def texts(examples: Iterable[str]) -> list[str]:
        found = (pages.get(each, "") if is_address(each) else file_text(inside(each)) for each in examples)
        return [text for text in found if text.strip()]

    examples, against = texts(description.examples), texts(description.against)
    missing = len(named) - len(examples) - len(against)
    if missing:
        log.warning("%s: %s could not be read, and the topic is learned without", topic, counted(missing, "example"))
    if not description.words and not examples:
        raise UsageError(f"{topic}: none of its examples can be read; describe the topic in words, or mend them")
    keep(folder, judge_of(description.words, examples, against, learns=learns))


def _base(path: Path) -> Path:
    """Where the names of files begin."""
    return path if path.is_dir() else path.parent


def _require_no_link(path: Path, collection: Path) -> None:
    """In a collection: who agrees to its topic has seen the name, and not where a link leads."""
    if Path(os.path.abspath(path)).is_relative_to(os.path.abspath(collection)):
        _require_inside(path, collection)


def _require_inside(path: Path, folder: Path) -> None:
    """A topic comes from elsewhere at times: it may not take in whatever files of this machine it likes."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{path}: leads out of {folder}, and what a topic takes in lies there; put a copy there")


def read(path: Path) -> Description:
    """What a file or a folder says of a topic."""
    if path.is_dir():
        _require_inside(path / TEXT_FILE, path)
        found = _described(path / TEXT_FILE) if (path / TEXT_FILE).is_file() else Description()
        more = [tuple(f"{name}/{each}" for each in _names(path / name)) for name in (FOR, AGAINST)]
        found = Description(found.words, (*found.examples, *more[0]), (*found.against, *more[1]))
    else:
        found = _described(path)
    if not found:
        raise UsageError(f"{path}: says nothing of a topic; write what it is about, or lines like `+ https://...`")
    return found


def _described(path: Path) -> Description:
    if path.exists() and not path.is_file():  # a FIFO would be waited for, and a device has no end
        raise UsageError(f"{path}: is no file; name a file or a folder that describes the topic")
    try:
        with path.open("rb") as file:
            return described(file.read(4 * LONGEST).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: the topic cannot be read ({error.strerror}); name a file or a folder") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is no text in UTF-8; docs/topics.md says how a topic is written") from error


def _names(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(each.name for each in folder.iterdir() if each.is_file())[:EXAMPLES_MOST]


def keep(folder: Path, judge: Judge) -> None:
    """Write a model down: the whole file or nothing."""
    judge.mark = hashlib.sha256(_written(judge)).hexdigest()[:16]
    files.replace(folder / FILE, _written(judge))


def judge_for(plan: Plan, folder: Path, table: Table) -> Judge:
    """The judge of a crawl with a topic, with what its shard has learned of it so far."""
    judge, learned = restored(_parsed(_model(folder))), table.get(META, _LEARNED)
    if learned is not None and (further := restored(_parsed(learned))).mark == judge.mark:
        judge = further
    judge.learns = plan.topic_learn
    return judge


def is_known(folder: Path) -> bool:
    """Was a topic ever learned here?"""
    return files.is_file(folder / FILE)


class TopicField:
    """A page on topic says so in a field of its own, by which it is searched and exported."""

    def __init__(self, judge: Judge, table: Table) -> None:
        self._judge = judge
        self._table = table

    def __call__(self, capture: Capture, page: Page) -> Page:
        """The page with it, if it is more likely on topic than not."""
        is_page = capture.visit.kind is Kind.PAGE and 200 <= capture.status < 300 and not (page.unread or page.problem)
        if not is_page or any(name == FIELD for name, _ in page.fields) or self._judge.page(page)[0] < ON_TOPIC:
            return page
        row = page_fields.stored(self._table)
        if FIELD not in row.kinds:
            page_fields.put(self._table, page_fields.FieldsRow({**row.kinds, FIELD: page_fields.TEXT}, row.failed))
        return replace(page, fields=(*page.fields, (FIELD, YES)))


def note(table: Table, judge: Judge) -> None:
    """What a shard has learned becomes part of the next commit."""
    table.put(META, _LEARNED, _written(judge))


def is_kept(folder: Path) -> bool:
    """Is there a model?"""
    return files.is_file(folder / FILE)


def _model(folder: Path) -> bytes:
    try:
        return files.read(folder / FILE, _MODEL_MOST)
    except FileNotFoundError:
        raise Damaged(f"{folder / FILE} is gone; name the topic again with --topic") from None


def _written(judge: Judge) -> bytes:
    return json.dumps(judge.state(), ensure_ascii=False, indent=0).encode(errors="replace")


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{FILE}: is no JSON ({error}); name the topic again with --topic") from error


def _refused(word: str) -> float:
    """Python writes and reads what is no number; JSON does not."""
    raise ValueError(f"{word} is no number")
