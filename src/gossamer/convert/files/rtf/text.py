"""What the control words of RTF mean, as far as they change what is read.

A group inherits what holds around it and changes nothing beyond its end, so the state is a frozen value on a stack. A
group may be a destination, with text that belongs elsewhere (a note, a header) or nowhere (a picture).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from gossamer.convert.files.line import PLAIN, Look
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.rtf.about import Info, Styles
from gossamer.convert.files.rtf.fonts import Fonts
from gossamer.convert.files.rtf.story import Shape, Story
from gossamer.convert.files.rtf.tokens import AROUND, BOXES, DRAWINGS, PASSED, SIGNS, Token, Tokens
from gossamer.convert.files.word import Field, href_of, text_of

_REPLACED_MOST = 16
"""Characters that stand for one of Unicode where that cannot be shown."""
_FIELDS_MOST = 8
"""Fields around each other that may be links."""
_DATE_PARTS = ("yr", "mo", "dy", "hr", "min")
STORY, LABEL, CODE, STYLE, INFO, NOTHING, PASSED_OVER = "story", "label", "code", "style", "info", "", "passed over"
"""Where text goes, besides title and author: to the story, to the number of an item, to the code of a field..."""

Action: TypeAlias = Callable[[int | None], None]


@dataclass(frozen=True, slots=True)
class State:
    """What holds in a group."""

    story: Story
    to: str = STORY
    aside: str = STORY
    """Where text went before a group that has it twice."""
    font: int | None = None
    look: Look = PLAIN
    hidden: bool = False
    deleted: bool = False
    replaced: int = 1
    """Characters that stand for one of Unicode."""
    fields: tuple[Field, ...] = ()
    """Fields around it, the outermost first."""


class Text:
    """Reads all tokens of a file; what they say is in its stories."""

    def __init__(self, pointers: Pointers) -> None:
        self._pointers = pointers
        self._fonts = Fonts()
        self._info, self._styles = Info(), Styles()
        self._body = Story(pointers)
        self._stories = [self._body]
        self._state = State(self._body)
        self._stack: list[State] = []
        self._shape = Shape()
        self._shapes: list[Shape] = []
        """Of the paragraphs in which the stories stand that are being read."""
        self._bytes = bytearray()
        self._skip = 0
        self._high = 0
        """The first half of a character that comes in two."""
        self._starred = False
        self._notes = 0
        self._usual_font: int | None = None
        self._actions = self._of_text() | self._of_looks() | self._of_paragraphs() | self._of_groups()
        self._meant = PASSED.union(SIGNS, self._actions, _DATE_PARTS, "*")
        """Most words of a file say how it looks, and are not among these."""

    def read(self, data: bytes) -> None:
        """Take in a file."""
        tokens = Tokens(data)
        for token in tokens:
            if token.text:
                self._take(token.text)
            elif token.word == "{":
                self._flush()
                self._stack.append(self._state)
            elif token.word == "}":
                self._close()
                if not self._stack:
                    break  # what follows the outermost group is no text
            elif self._skip and token.word not in ("u", "uc", "*"):
                self._skip -= 1
            elif token.word not in self._meant and not self._starred:
                self._flush()
            else:
                self._obey(token)
                if self._state.to == PASSED_OVER:
                    tokens.pass_over()
        self._flush()

    def finished(self) -> Iterator[Story]:
        """The stories, the body first, notes in their order."""
        for story in self._stories:
            story.blocks = story.finished(self._shape if story is self._body else Shape())
            yield story

    def about(self) -> About:
        """What the file says about itself."""
        return self._info.about()

    # ------------------------------------------------------------ tokens

    def _take(self, text: bytes) -> None:
        """Bytes are gathered: one character may come in several tokens."""
        self._starred = False
        if self._skip:
            text, self._skip = text[self._skip :], max(self._skip - len(text), 0)
        if self._state.to != PASSED_OVER:
            self._bytes += text

    def _flush(self) -> None:
        if self._bytes:
            text = self._fonts.decode(bytes(self._bytes), self._state.font)
            self._bytes.clear()
            self._say(text)

    def _say(self, text: str) -> None:
        state = self._state
        if state.hidden or state.deleted or not text:
            return
        if state.to == STORY:
            state.story.say(text, state.look, self._href())
        elif state.to == LABEL:
            state.story.label(text)
        elif state.to == CODE and state.fields:
            state.fields[-1].add(text)
        elif state.to == STYLE:
            self._styles.say(text)
        elif state.to in ("title", "author"):
            self._info.say(state.to, text)

    def _href(self) -> str:
        return next((href for field in reversed(self._state.fields) if (href := href_of(field.code))), "")

    def _close(self) -> None:
        self._flush()
        self._skip, self._starred = 0, False
        if not self._stack:
            return
        inner, self._state = self._state, self._stack.pop()
        outer = self._state
        if inner.to == STYLE and outer.to == STYLE:
            self._styles.end()
        if inner.story is not outer.story:
            inner.story.paragraph(self._shape)
            self._shape = self._shapes.pop()
        elif len(inner.fields) > len(outer.fields) and not inner.fields[-1].separated:
            self._say(text_of(inner.fields[-1].code))

    def _obey(self, token: Token) -> None:
        word, number = token.word, token.number
        starred, self._starred = self._starred, word == "*"
        if self._starred or self._state.to == PASSED_OVER:
            return
        self._flush()
        if word in SIGNS:
            self._say(SIGNS[word])
        elif action := self._actions.get(word):
            action(number)
        elif word in PASSED or starred:
            self._go(PASSED_OVER)
        elif word in _DATE_PARTS:
            self._info.part(word, number or 0)

    # ------------------------------------------------------------ text

    def _of_text(self) -> dict[str, Action]:
        fonts = self._fonts
        return {
            "u": self._unicode,
            "uc": lambda number: self._set(replaced=min(max(number or 0, 0), _REPLACED_MOST)),
            "ansicpg": lambda number: fonts.code_page(number or 0),
            "mac": lambda _: fonts.code_page(10000),
            "pc": lambda _: fonts.code_page(437),
            "pca": lambda _: fonts.code_page(850),
            "deff": self._set_usual_font,
            "f": self._set_font,
            "fcharset": lambda number: fonts.charset(number or 0),
            "cpg": lambda number: fonts.page(number or 0),
            "chftn": self._mark_note,
        }

    def _unicode(self, number: int | None) -> None:
        self._skip = self._state.replaced
        unit = (number or 0) & 0xFFFF
        high, self._high = self._high, 0
        if 0xD800 <= unit < 0xDC00:
            self._high = unit
        elif 0xDC00 <= unit < 0xE000:
            self._say(chr(0x10000 + ((high - 0xD800) << 10) + unit - 0xDC00) if high else "\ufffd")
        elif 0xF000 <= unit <= 0xF0FF:  # a sign of a font that has no letters
            self._say(self._fonts.decode(bytes([unit & 0xFF]), self._state.font))
        else:
            self._say(chr(unit))

    def _mark_note(self, _: int | None) -> None:
        if self._state.story.kind == "note":
            self._state.story.number = self._notes
        else:
            self._say(f"[{self._notes + 1}]")

    def _set_font(self, number: int | None) -> None:
        self._fonts.begin(number or 0)
        self._set(font=number or 0)

    def _set_usual_font(self, number: int | None) -> None:
        self._usual_font = number or 0
        self._set(font=number or 0)

    # ------------------------------------------------------------ looks

    def _of_looks(self) -> dict[str, Action]:
        return {
            "plain": lambda _: self._set(look=PLAIN, font=self._usual_font, hidden=False, deleted=False),
            "b": lambda number: self._look(self._state.look._replace(bold=number != 0)),
            "i": lambda number: self._look(self._state.look._replace(italic=number != 0)),
            "super": lambda number: self._look(self._state.look._replace(shift="sup" if number != 0 else "")),
            "sub": lambda number: self._look(self._state.look._replace(shift="sub" if number != 0 else "")),
            "nosupersub": lambda _: self._look(self._state.look._replace(shift="")),
            "v": lambda number: self._set(hidden=number != 0),
            "deleted": lambda number: self._set(deleted=number != 0),
        }

    def _look(self, look: Look) -> None:
        self._set(look=look)

    def _set(self, **changes: object) -> None:
        if any(getattr(self._state, name) is not value for name, value in changes.items()):
            self._state = replace(self._state, **changes)  # type: ignore[arg-type]  # each caller names a field of State

    # ------------------------------------------------------------ paragraphs

    def _of_paragraphs(self) -> dict[str, Action]:
        return {
            **dict.fromkeys(("par", "sect", "page", "column", "nestcell"), self._end_paragraph),
            "cell": lambda _: self._state.story.cell(self._shape),
            "row": lambda _: self._state.story.row(),
            "pard": lambda _: self._reshape(level=0, list_level=0, in_table=False),
            "intbl": lambda _: self._reshape(in_table=True),
            "ilvl": lambda number: self._reshape(list_level=min(max(number or 0, 0), 8)),
            "s": self._set_style,
            "outlinelevel": self._set_level,
        }

    def _end_paragraph(self, _: int | None) -> None:
        if self._state.to == STORY:
            self._state.story.paragraph(self._shape)

    def _reshape(self, **changes: int) -> None:
        self._shape = replace(self._shape, **changes)  # type: ignore[arg-type]  # each caller names a field of Shape

    def _set_style(self, number: int | None) -> None:
        if self._state.to == STYLE:
            self._styles.begin(number or 0)
        else:
            self._reshape(level=self._styles.level(number or 0))

    def _set_level(self, number: int | None) -> None:
        level = number + 1 if number is not None and 0 <= number < 9 else 0
        if self._state.to == STYLE:
            self._styles.outline(level)
        else:
            self._reshape(level=level)

    # ------------------------------------------------------------ groups

    def _of_groups(self) -> dict[str, Action]:
        return {
            **dict.fromkeys(AROUND, lambda _: self._begin_story("around")),
            **dict.fromkeys(BOXES, lambda _: self._go(STORY)),
            **dict.fromkeys(DRAWINGS, lambda _: self._go(NOTHING)),
            "upr": lambda _: self._set(to=NOTHING, aside=self._state.to),
            "ud": lambda _: self._go(self._state.aside),
            "footnote": lambda _: self._begin_story("note"),
            "annotation": lambda _: self._begin_story("comment"),
            "listtext": lambda _: self._go(LABEL),
            "pntext": lambda _: self._go(LABEL),
            "fonttbl": lambda _: self._go(NOTHING),
            "stylesheet": lambda _: self._go(STYLE),
            "info": lambda _: self._go(INFO),
            **{name: partial(self._begin_info, name) for name in ("title", "author", "creatim", "revtim")},
            "field": self._begin_field,
            "fldinst": lambda _: self._go(CODE),
            "fldrslt": self._begin_result,
        }

    def _go(self, to: str) -> None:
        self._set(to=to)

    def _begin_story(self, kind: str) -> None:
        self._notes += kind == "note"
        story = Story(self._pointers, kind)
        self._stories.append(story)
        if self._stack and self._stack[-1].story is self._state.story:
            self._shapes.append(self._shape)
        self._shape = Shape()
        self._set(to=STORY, story=story, look=PLAIN, fields=())

    def _begin_info(self, name: str, _: int | None) -> None:
        if self._state.to == INFO:
            self._info.begin(name)
            self._go(name)

    def _begin_field(self, _: int | None) -> None:
        self._set(fields=(*self._state.fields, Field())[-_FIELDS_MOST:])

    def _begin_result(self, _: int | None) -> None:
        if self._state.fields:
            self._state.fields[-1].separated = True
