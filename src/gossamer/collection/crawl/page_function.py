"""What does a function of the user's make of each page? It is called once when a page was read, and may give fields.

A function that other processes can import is kept in the plan by its name, so that later crawls and builds call it too.
One that they cannot, such as a function within another or one of a script, is called in this process alone. Whatever it
does wrong costs the fields of one page: that is said once, and counted.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from gossamer.collection import page_fields, trust
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.documents import SaysWhatItRead
from gossamer.collection.folder import Folder
from gossamer.convert.charset.decode import decode, utf8
from gossamer.convert.html.tree import Node, Tree, parse
from gossamer.errors import UsageError
from gossamer.model import Capture, FieldValue, Kind, Page
from gossamer.plan import Plan
from gossamer.printable import line, log
from gossamer.store.table.table import Table

FIELDS_MOST = 100
"""Of a page, like the next two."""
TEXT_MOST = 100_000
"""Characters of a text."""
LIST_MOST = 1_000
"""Texts of a list."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_FORM = "write it as module:function or file.py:function"


@dataclass(frozen=True)
class ReadPage(SaysWhatItRead):
    """What a page function is called with: a page that was just read, and the answer that it came in."""

    page: Page
    capture: Capture

    def __repr__(self) -> str:
        return f"<ReadPage {self.url} {self.title!r}>"

    @property
    def url(self) -> str:
        """Its address."""
        return self.capture.visit.url

    @property
    def media_type(self) -> str:
        """By its bytes, not only by what the server says."""
        return self.page.media_type

    @property
    def body(self) -> bytes:
        """The document as it came, unpacked."""
        return self.capture.body

    @cached_property
    def source(self) -> str:
        """The same as text; empty for what is none."""
        return decode(self.body, self.page.encoding) if self.page.encoding else ""

    @cached_property
    def tree(self) -> Tree:
        """The HTML document, for all that selectolax can do."""
        return parse(utf8(self.body, self.page.encoding or "windows-1252"))

    def first(self, selector: str, attribute: str = "") -> str | None:
        """The words, or an attribute, of the first element that a CSS selector finds; None when there is none."""
        return next(self._found(selector, attribute), None)

    def all(self, selector: str, attribute: str = "") -> list[str]:
        """The same of each element."""
        return list(self._found(selector, attribute))

    def _found(self, selector: str, attribute: str) -> Iterator[str]:
        for node in self.tree.css(selector):
            if (found := _said(node, attribute)) is not None:
                yield found


def _said(node: Node, attribute: str) -> str | None:
    return node.attributes.get(attribute) if attribute else " ".join(node.text().split())


Function: TypeAlias = Callable[[ReadPage], Mapping[str, Any] | None]


class PageFunction:
    """Calls it, and holds it to what may be kept."""

    def __init__(self, function: Function, name: str, table: Table) -> None:
        self._function = function
        self._name = name
        self._table = table
        self._row = page_fields.stored(table)
        self._warned = False

    def __call__(self, capture: Capture, page: Page) -> Page:
        """The page with its fields."""
        if capture.visit.kind is not Kind.PAGE or not 200 <= capture.status < 300 or page.unread:
            return page
        try:
            fields = tuple(_checked(self._function(ReadPage(page, capture))))
        except KeyboardInterrupt:  # that is us
            raise
        except BaseException as error:  # of the function's own making, even one that says that we are cancelled
            self._failed(capture.visit.url, error)
            return page
        self._learn(fields)
        return replace(page, fields=fields) if fields else page

    def _learn(self, fields: tuple[tuple[str, FieldValue], ...]) -> None:
        known = self._row.kinds
        now = {name: page_fields.joined(page_fields.kind_of(value), known.get(name)) for name, value in fields}
        if any(known.get(name) != kind for name, kind in now.items()):
            self._note(page_fields.FieldsRow({**known, **now}, self._row.failed))

    def _failed(self, url: str, error: BaseException) -> None:
        self._note(page_fields.FieldsRow(self._row.kinds, self._row.failed + 1))
        if not self._warned:
            self._warned = True
            log.warning(
                "%s: %s failed: %s; the page is kept without fields, and so is each one after it that fails (`status`"
                " counts them)",
                *(url, self._name, line(f"{type(error).__name__}: {error}"[:300])),
            )

    def _note(self, row: page_fields.FieldsRow) -> None:
        others = page_fields.stored(self._table).kinds
        self._row = page_fields.FieldsRow({**others, **row.kinds}, row.failed)
        page_fields.put(self._table, self._row)


def _checked(given: object) -> Iterator[tuple[str, FieldValue]]:
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise TypeError(f"it gave {type(given).__name__}; give a dict of fields, or None")
    if len(given) > FIELDS_MOST:
        raise ValueError(f"it gave {len(given)} fields; give at most {FIELDS_MOST}")
    for name, value in given.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(f"{name!r:.80} is no name of a field; use letters, digits and _")
        if value is not None:
            yield name, _value(name, value)


def _value(name: str, value: object) -> FieldValue:
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):  # NumPy and enumerations have numbers of their own, which cannot be written as such
        if -(1 << 63) <= int(value) < 1 << 63:
            return int(value)
    elif isinstance(value, Real) and isfinite(value):
        return float(value)
    if isinstance(value, list | tuple) and len(value) <= LIST_MOST:
        return tuple(_text(name, each) for each in value)
    raise ValueError(f"{name} is {value!r:.80}; a field is a text, a number, true or false, or a list of texts")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} has {value!r:.80}; a list of a field has texts")
    if len(value) > TEXT_MOST:
        raise ValueError(f"{name} has {len(value):,} characters; a field has at most {TEXT_MOST:,}")
    return value.encode("utf-8", "replace").decode()


# ---------------------------------------------------------------- which function


def handed_in(settings: dict[str, Any], outside: Outside) -> tuple[dict[str, Any], Outside]:
    """A function that was given to a crawl: as a setting by its name, or else as something that only we know."""
    given = settings.get("on_page")
    if not callable(given):
        return settings | ({"on_page": _tried(given)} if isinstance(given, str) and given else {}), outside
    if name := _importable(given):
        return settings | {"on_page": name}, outside
    rest = {each: value for each, value in settings.items() if each != "on_page"}
    return rest, replace(outside, on_page=given)


def whole_name(name: str) -> str:
    """As it is kept: a file by its whole path, so that a later crawl finds it from anywhere."""
    place, colon, function = name.rpartition(":")
    if not colon or not place or not function:
        raise UsageError(f"on_page {name!r}: names no function; {_FORM}")
    file = Path(place if place.endswith(".py") else f"{place}.py").expanduser()
    return f"{file.resolve()}:{function}" if place.endswith(".py") or file.is_file() else name


def _tried(name: str) -> str:
    name = whole_name(name)
    load(name)
    return name


def _importable(function: Function) -> str:
    """The name by which another process gets the same function; nothing when there is none."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or module == "__main__" or not name.isidentifier():
        return ""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if getattr(sys.modules.get(module), name, None) is not function:
        return ""
    return f"{file}:{name}" if "." not in module and file.endswith(".py") else f"{module}:{name}"


def load(name: str) -> Function:
    """The function of that name."""
    place, _, function = name.rpartition(":")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"on_page {name}: {place} cannot be loaded ({type(error).__name__}: {error}); {_FORM}"
        ) from error
    found = getattr(module, function, None)
    if not callable(found):
        raise UsageError(f"on_page {name}: {place} has no function {function}; {_FORM}")
    if inspect.iscoroutinefunction(found):
        raise UsageError(f"on_page {name}: is an async function; write it with def alone")
    return found  # type: ignore[no-any-return]  # whatever it takes and gives is seen when it is called


def _from_file(path: Path) -> ModuleType:
    known = f"{path.stem} in {path.parent}"
    if known in sys.modules:
        return sys.modules[known]
    spec = importlib.util.spec_from_file_location(known, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no file of Python")
    module = sys.modules[known] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known]
        raise
    return module


def function_of(plan: Plan, table: Table, collection: Path, given: Function | None = None) -> PageFunction | None:
    """What is called with each page: what was given, or else what the plan names, if this user wants that."""
    if given is not None:
        return PageFunction(given, getattr(given, "__qualname__", repr(given)), table)
    if not trust.is_known(Folder(collection)):
        log.warning(
            "%s: on_page %s is not called, because this user is not known to want it; `gossamer crawl %s --trust-plan`"
            " says so",
            *(collection, plan.on_page, collection),
        )
        return None
    return PageFunction(load(plan.on_page), plan.on_page, table)
