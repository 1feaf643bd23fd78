"""What is needed to write down what was kept, beside its words: pictures, boxes to tick, formulas, languages of code.

What attributes say is in the notes of an outline. A picture and a box become runs of their own, where they stand among
words that are kept; a formula is kept once, as its author wrote it, where a page has it two or three times; numbers
beside lines of code go, and so do buttons over it and a line that says its language, which the code says itself. Names
of languages are known by their hashes, as all names are here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import among, split, standing_in
from gossamer.convert.html.outline import NUMBER, TAGS, Note, Outline, name_hash
from gossamer.convert.render.parting import parted
from gossamer.tagged import BOXES

Mask = NDArray[np.bool_]
Addresses = Callable[[list[str]], list[str | None]]
"""What relative addresses of the page are; None for what is none."""

PICTURES_MOST = 500
_ALTERNATIVE_MOST = 500
"""Characters. Longer ones are no names of pictures."""
_ROWS_MOST, _COLUMNS_MOST = 100, 32
_START_MOST = 999_999_999
_BUTTON, _CODE, _FIGURE, _LI, _MATH, _PRE = (NUMBER[name] for name in ("button", "code", "figure", "li", "math", "pre"))
_AROUND = frozenset(NUMBER[name] for name in ("nav", "header", "footer", "aside"))
_IS_PRE = np.arange(len(TAGS)) == _PRE
_UP = 2
"""Elements around a pre that may say its language."""
_GALLERY_LEAST = 3
"""Pictures."""
_FIGURE_UP = 6
"""Elements around a picture that may be its figure, or among whose words it stands."""

_LANGUAGES = """
    ada apache applescript assembly asm awk bash basic batch clojure cmake cobol coffeescript console cpp
    crystal csharp css csv cuda dart diff docker dockerfile elixir elm erlang fortran fsharp gherkin go golang
    gradle graphql groovy haml handlebars haskell hcl html http ini java javascript jinja js json jsonc jsx
    julia kotlin latex less liquid lisp lua make makefile markdown matlab mermaid mysql nginx nim nix objectivec
    ocaml pascal perl pgsql php plsql powershell prolog properties proto protobuf pycon pytb python rb rst ruby
    rust rs sass scala scheme scss sh shell solidity sql svelte swift tcl terraform tex toml ts tsx twig
    typescript vb vbnet verilog vhdl vim vue wasm xml yaml yml zig zsh
"""
_LANGUAGE_OF = {name_hash(b"c", name.encode()): name for name in _LANGUAGES.split()}
_INTRODUCED = frozenset(name_hash(b"c", name) for name in (b"language", b"lang", b"highlight", b"brush", b"source"))
"""Words of a class that come with a language: `language-python`, `highlight-source-shell`."""
_AMBIGUOUS = frozenset(["css", "html", "http", "make", "basic", "less", "batch", "properties", "go", "diff", "vim"])
"""Languages whose names stand for something else, unless they are introduced."""
_ALSO = (
    "bash=shell c#=csharp c++=cpp console=shell f#=fsharp golang=go js=javascript py=python rb=ruby rs=rust sh=shell"
    " ts=typescript yml=yaml"
)
_SAME_LANGUAGE = dict(pair.split("=") for pair in _ALSO.split())
_LABEL_UP = 2
"""Runs above code, such as those of buttons, above which the name of its language may stand."""
_LANGUAGE_NAMES = np.array(sorted(_LANGUAGE_OF), np.uint32)
_JAVA, _SCRIPT = name_hash(b"c", b"java"), name_hash(b"c", b"script")
_NUMBER_NAMES = (b"lineno", b"linenos", b"linenumber", b"linenodiv", b"gutter", b"lnt")
_NUMBERS = np.array(sorted(name_hash(b"c", name) for name in _NUMBER_NAMES), np.uint32)
_KATEX, _SHOWN, _FALLBACK = (name_hash(b"c", name) for name in (b"katex", b"html", b"fallback"))


class Dressed(NamedTuple):
    """What is to be written."""

    outline: Outline
    keep: Mask
    said: dict[int, str]
    """By element: where a link points to and a picture lies, the first number of a list, how many rows and columns a
    cell spans (`2 1`), the language of a pre."""


class _Added(NamedTuple):
    """A run that is put in before another."""

    place: int
    before: int
    text: bytes
    owner: int


def dressed(outline: Outline, keep: Mask, hrefs: Mapping[int, str], addresses: Addresses) -> Dressed:
    """What is kept of a page, and what its elements say. `hrefs`: where links point to, by element."""
    dressing = _Dressing(parted(outline, keep), keep, dict(hrefs))
    dressing.code()
    if len(outline.noted):
        dressing.notes(addresses)
    return dressing.done()


class _Dressing:
    def __init__(self, outline: Outline, keep: Mask, said: dict[int, str]) -> None:
        self._outline = outline
        self._keep = keep.copy()
        self._said = said
        self._added: list[_Added] = []
        self._pictured: list[int] = []
        self._tags = outline.tags
        self._befores: list[int] = outline.befores.tolist()
        codes = (outline.tags == _PRE).nonzero()[0]
        self._codes: list[int] = self._kept_ones(codes).tolist() if len(codes) else []
        self._code_runs = standing_in(outline, _IS_PRE) if self._codes else keep

    @cached_property
    def _named(self) -> list[int]:
        found: list[int] = self._outline.named.tolist()
        return found

    def done(self) -> Dressed:
        """All of it."""
        outline, keep = self._outline._replace(tags=self._tags), self._keep
        if self._added:
            outline, keep = _with_runs(outline, keep, sorted(self._added))
        return Dressed(outline, keep, self._said)

    def code(self) -> None:
        """The languages of what is code; without the numbers of lines and the buttons beside it."""
        if not self._codes:
            return
        telling = set(self._outline.named[among(self._outline.names, _LANGUAGE_NAMES)].tolist())
        for element in self._codes if telling else ():
            if language := self._language(element, telling):
                self._said[element] = language
        numbered = self._outline.named[among(self._outline.names, _NUMBERS)]
        for element in dict.fromkeys(numbered.tolist()):
            first, end = self._runs(element)
            if not self._text(first, end).strip(b"0123456789 \t\r\n"):
                self._keep[first:end] = False
        for element in (self._tags == _BUTTON).nonzero()[0].tolist():
            first, end = self._runs(element)
            if self._in_code(first - 1) or self._in_code(end):
                self._keep[first:end] = False
        for element in self._codes if telling else ():
            self._leave_out_label(element)

    def _leave_out_label(self, pre: int) -> None:
        """A line over code that says its language and nothing else."""
        place = self._place(pre)
        run = next((each for each in range(place - 1, max(place - 2 - _LABEL_UP, -1), -1) if self._keep[each]), -1)
        language = self._said.get(pre)
        if run < 0 or language is None or _as_one(self._text(run, run + 1).decode()) != _as_one(language):
            return
        numbers = split(self._outline).numbers
        if np.count_nonzero(self._keep & (numbers == numbers[run])) == 1:
            self._keep[run] = False

    def notes(self, addresses: Addresses) -> None:
        """What attributes say."""
        pictures: dict[int, str] = {}
        sources: dict[int, str] = {}
        spans: dict[int, list[int]] = {}
        formulas: list[int] = []
        written: list[int] = []
        for element, kind, value in self._notes_near():
            if kind == Note.ALTERNATIVE:
                pictures[element] = value
            elif kind == Note.SOURCE:
                sources[element] = value
            elif kind in (Note.ROWS, Note.COLUMNS):
                most, place = (_ROWS_MOST, 0) if kind == Note.ROWS else (_COLUMNS_MOST, 1)
                spans.setdefault(element, [1, 1])[place] = min(max(_number(value), 1), most)
            elif kind == Note.START and 0 <= (start := _number(value)) <= _START_MOST and start != 1:
                self._said[element] = str(start)
            elif kind in (Note.CHECKED, Note.UNCHECKED):
                self._box(element, ticked=kind == Note.CHECKED)
            elif kind == Note.FORMULA:
                formulas.append(element)
            elif kind == Note.TEX:
                written.append(element)
        self._said |= {cell: f"{rows} {columns}" for cell, (rows, columns) in spans.items() if rows * columns > 1}
        self._formulas(formulas, written)
        self._pictures({place: pictures[place] for place in pictures if place in sources}, sources, addresses)

    def _notes_near(self) -> Iterator[tuple[int, str, str]]:
        """What is noted of elements beside which something is kept: the letter of a `Note`, and the rest."""
        outline = self._outline
        keep = np.concatenate(([False], self._keep, [False]))
        places = outline.befores.searchsorted(outline.noted + 1)
        near = (keep[places] | keep[places + 1]).nonzero()[0]
        ends = np.append(outline.note_starts[1:], len(outline.notes))[near].tolist()
        for element, begin, end in zip(
            outline.noted[near].tolist(), outline.note_starts[near].tolist(), ends, strict=True
        ):
            said = outline.notes[begin:end].decode()
            yield element, said[0], said[1:]

    def _language(self, pre: int, telling: set[int]) -> str:
        """By its own class, by that of the code in it, or by that of what is around it, if these are `telling` any."""
        inner = pre + 1
        has_code = inner < self._outline.ends[pre] and self._tags[inner] == _CODE
        own = [inner, pre] if has_code else [pre]
        around, element = [], pre
        for _ in range(_UP):
            element = int(self._outline.parents[element])
            around.append(max(element, 0))
        for each in (*own, *around):
            if each not in telling:
                continue
            names = self._names(each)
            found = [_LANGUAGE_OF[name] for name in names if name in _LANGUAGE_OF]
            introduced = not _INTRODUCED.isdisjoint(names)
            if _JAVA in names and _SCRIPT in names:
                return "javascript"
            if found and (introduced or (each in own and found[0] not in _AMBIGUOUS)):
                return found[-1]
        return ""

    def _formulas(self, formulas: list[int], written: list[int]) -> None:
        """One that says how it was written is kept as that; the words of another are only words."""
        if not formulas:
            return
        self._tags = self._tags.copy()
        shown = self._shown_formulas() if written else {}
        for formula in formulas:
            first, end = self._runs(formula)
            place = bisect_right(written, formula)
            tex = written[place] if place < len(written) else len(self._tags)
            if tex >= self._outline.ends[formula] or self._in_code(first):
                self._tags[formula] = 0
                continue
            twin = shown.get(end)
            if self._keep[first:end].any() or (twin and self._keep[end:twin].any()):
                self._keep[first:end] = False
                self._keep[slice(*self._runs(tex))] = True
            if twin:
                self._keep[end:twin] = False

    def _shown_formulas(self) -> dict[int, int]:
        """What stands behind a formula to be looked at: its first run, and one past its last."""
        named = self._outline.named
        both = set(named[self._outline.names == _KATEX].tolist()) & set(named[self._outline.names == _SHOWN].tolist())
        return dict(self._runs(element) for element in both)

    def _pictures(self, pictures: dict[int, str], sources: dict[int, str], addresses: Addresses) -> None:
        self._pictured = sorted(pictures)
        wanted = [
            element
            for element, text in pictures.items()
            if len(text) <= _ALTERNATIVE_MOST and any(map(str.isalnum, text)) and self._is_amid(element)
        ][:PICTURES_MOST]
        seen: set[str] = set()
        for element, url in zip(wanted, addresses([sources[element] for element in wanted]), strict=True):
            if url is None or url in seen or _FALLBACK in self._names(element):
                continue
            seen.add(url)
            self._said[element] = url
            self._add(element, pictures[element].encode(), element)

    def _box(self, element: int, *, ticked: bool) -> None:
        """Only in an item of a list, before words that are kept: others belong to a form."""
        parent = int(self._outline.parents[element])
        around = max(int(self._outline.parents[parent]), 0)
        place = self._place(element)
        if _LI not in (self._tags[parent], self._tags[around]) or place >= len(self._keep) or not self._keep[place]:
            return
        if around <= self._outline.owners[place] < self._outline.ends[around]:
            self._add(element, f"{BOXES['x' if ticked else ' ']} ".encode(), parent)

    def _add(self, element: int, text: bytes, owner: int) -> None:
        self._added.append(_Added(self._place(element), element + 1, text, owner))

    def _place(self, element: int) -> int:
        """The first run behind the beginning of an element."""
        return bisect_left(self._befores, element + 1)

    def _runs(self, element: int) -> tuple[int, int]:
        """The runs that stand in an element: the first, and one past the last."""
        owners, until = self._outline.owners, int(self._outline.ends[element])
        first = self._place(element)
        end = max(first, bisect_left(self._befores, until))
        while end < len(owners) and element <= owners[end] < until:
            end += 1
        return first, end

    def _kept_ones(self, elements: NDArray[np.int_]) -> NDArray[np.int_]:
        """Those of some elements in which something is kept."""
        owners = np.append(np.sort(self._outline.owners[self._keep]), len(self._tags))
        return elements[owners[owners.searchsorted(elements)] < self._outline.ends[elements]]

    def _is_kept(self, element: int) -> bool:
        first, end = self._runs(element)
        return bool(self._keep[first:end].any())

    def _in_code(self, run: int) -> bool:
        return bool(self._codes) and 0 <= run < len(self._keep) and bool(self._code_runs[run])

    def _is_amid(self, element: int) -> bool:
        """Whether a picture stands among words that are kept, or in a figure with some.

        Among them is also first or last of what holds it, if what stands beside it there is kept; and what stands
        behind words that are kept, last on the page or in a gallery.
        """
        place, keep = self._place(element), self._keep
        if self._in_code(place) or self._in_code(place - 1):
            return False
        if 0 < place < len(keep) and keep[place - 1] and keep[place]:
            return True
        around = element
        for _ in range(_FIGURE_UP):
            around = max(int(self._outline.parents[around]), 0)
            if self._tags[around] == _FIGURE:
                return self._is_kept(around)
        first, end = self._held(element)
        beside = [run for run in (place - 1, place) if first <= run < end]
        if not beside and place > 0:
            is_one = place == len(keep) or self._is_in_gallery(element)
            return is_one and bool(keep[place - 1]) and not self._stands_around(element)
        return bool(beside) and all(keep[run] for run in beside)

    def _is_in_gallery(self, element: int) -> bool:
        """Whether something without words holds it together with others."""
        for _ in range(_FIGURE_UP):
            around = int(self._outline.parents[element])
            first, end = self._runs(max(around, 0))
            if around <= 0 or first < end:
                break
            element = around
        held = range(
            bisect_left(self._pictured, element), bisect_left(self._pictured, int(self._outline.ends[element]))
        )
        return len(held) >= _GALLERY_LEAST

    def _stands_around(self, element: int) -> bool:
        while element > 0:
            if self._tags[element] in _AROUND:
                return True
            element = int(self._outline.parents[element])
        return False

    def _held(self, element: int) -> tuple[int, int]:
        """The runs of the smallest element around another one that has any; none if that is the body, or far away."""
        for _ in range(_FIGURE_UP):
            element = int(self._outline.parents[element])
            if element <= 0:
                break
            first, end = self._runs(element)
            if first < end:
                return first, end
        return 0, 0

    def _text(self, first: int, end: int) -> bytes:
        return self._outline.text[self._outline.starts[first] : self._outline.starts[end]]

    def _names(self, element: int) -> list[int]:
        first = bisect_left(self._named, element)
        names: list[int] = self._outline.names[first : bisect_left(self._named, element + 1, first)].tolist()
        return names


def _as_one(language: str) -> str:
    """One name for all that a language is called."""
    name = language.strip().lower()
    return _SAME_LANGUAGE.get(name, name)


def _number(value: str) -> int:
    """-1 where it is none."""
    value = value.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1


def _with_runs(outline: Outline, keep: Mask, added: list[_Added]) -> tuple[Outline, Mask]:
    """An outline with more runs, all of them kept."""
    places = [each.place for each in added]
    pieces: list[bytes] = []
    done = 0
    for each in added:
        begin = int(outline.starts[each.place])
        pieces += (outline.text[done:begin], each.text)
        done = begin
    sizes = np.insert(np.diff(outline.starts), places, [len(each.text) for each in added])
    longer = outline._replace(
        text=b"".join((*pieces, outline.text[done:])),
        starts=np.append(0, np.cumsum(sizes)).astype(np.int32),
        owners=np.insert(outline.owners, places, [each.owner for each in added]),
        befores=np.insert(outline.befores, places, [each.before for each in added]),
        counts=np.insert(outline.counts, places, 0, axis=0),
    )
    return longer, np.insert(keep, places, True)
