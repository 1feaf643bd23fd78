"""Markdown, as CommonMark and GitHub have it, to tagged text.

It is parsed by markdown-it-py: a faithful CommonMark parser in plain Python, linear on all that we tried. Real Markdown
takes 0.6 us for a character, the most hostile 14, so what is longer than any document of people is plain text from
there on. HTML loses its tags, and what stands in a list or a quote keeps its words but not all of its shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers, titled
from gossamer.convert.files.text.inline import line_end, rest_as_text, with_addresses
from gossamer.convert.files.text.plain import decoded, text_page, write_text
from gossamer.convert.source import Source
from gossamer.model import Page

LENGTH_MOST = 1 << 19
"""Characters that are read as Markdown."""
BRACKETS_MOST = 20_000
"""The costliest sign: for each, the parser looks whether it ends a link."""
_DEPTH_MOST = 9
"""Of lists."""
_MARKS_MOST = 50
"""Emphasis and links within each other."""
_PARSER = MarkdownIt("commonmark", {"maxNesting": 60}).enable(["table", "strikethrough"]).disable("html_block")
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(r"^(title|author|date)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BRACKET = re.compile(r"\[")
_TASK = re.compile(r"\[[ xX]\] ")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def read(source: Source) -> Page:
    """What Markdown says."""
    found = decoded(source)
    front = _FRONT.match(found.text)
    said = {name.lower(): value for name, value in _FRONT_FIELD.findall(front[1])} if front else {}
    writer, pointers = tagged.Writer(), Pointers(source.url)
    problem = write_markdown(writer, found.text[front.end() :] if front else found.text, pointers)
    html = writer.html()
    about = titled(About(said.get("title", ""), said.get("author", ""), file_seconds(said.get("date", ""))), html)
    return text_page(source, found, html, about, pointers, problem)


def write_markdown(writer: tagged.Writer, text: str, pointers: Pointers) -> str:
    """Write Markdown as tagged text. Gives what was wrong: it may be too long, or have too many brackets."""
    text = _COMMENT.sub("", text)
    bracket = next(islice(_BRACKET.finditer(text), BRACKETS_MOST, None), None)
    end = line_end(text, min(LENGTH_MOST, bracket.start() if bracket else len(text)))
    _Blocks(writer, pointers).write(_PARSER.parse(text[:end]))
    write_text(writer, text[end:])
    return rest_as_text(text, end)


class _Blocks:
    """Takes the parser's tokens and writes blocks."""

    def __init__(self, writer: tagged.Writer, pointers: Pointers) -> None:
        self._writer = writer
        self._pointers = pointers
        self._level = 0
        """Of the heading that is open."""
        self._lists: list[bool] = []
        """Those that are open: are they numbered?"""
        self._quotes = 0
        self._rows: list[list[str]] = []
        """Of the table that is open."""

    def write(self, tokens: Iterable[Token]) -> None:
        """Write all of it."""
        for token in tokens:
            match token.type:
                case "inline":
                    self._line(_line(token.children or [], self._pointers))
                case "fence" | "code_block":
                    self._writer.pre(token.content)
                case "heading_open":
                    self._level = int(token.tag[1])
                case "bullet_list_open" | "ordered_list_open":
                    self._lists.append(token.tag == "ol")
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "blockquote_open" | "blockquote_close":
                    self._quotes += token.nesting
                case "tr_open":
                    self._rows.append([])
                case "table_close":
                    self._writer.table(self._rows, head=True)
                    self._rows = []

    def _line(self, line: str) -> None:
        if self._rows:
            self._rows[-1].append(line)
        elif self._level:
            self._writer.heading(self._level, line)
            self._level = 0
        elif self._lists:
            depth = min(len(self._lists), _DEPTH_MOST) - 1
            self._writer.item(_TASK.sub("", line, count=1), depth, ordered=self._lists[-1])
        elif self._quotes:
            self._writer.quote(line)
        else:
            self._writer.paragraph(line)


def _line(tokens: Iterable[Token], pointers: Pointers) -> str:
    """A line of tagged text. What is nested deeper than anybody writes loses its marks."""
    parts: list[list[str]] = [[]]
    opened: list[Token] = []
    linked = 0
    for token in tokens:
        if token.nesting > 0:
            opened.append(token)
            linked += token.type == "link_open"
            if len(opened) <= _MARKS_MOST:
                parts.append([])
        elif token.nesting < 0:
            last = opened.pop()
            linked -= last.type == "link_open"
            if len(opened) < _MARKS_MOST:
                inner = "".join(parts.pop())
                parts[-1].append(_marked(last, inner, pointers))
        else:
            parts[-1].append(_piece(token, None if linked else pointers))
    return "".join(parts[0])


def _marked(mark: Token, line: str, pointers: Pointers) -> str:
    match mark.type:
        case "em_open":
            return tagged.emphasis(line)
        case "strong_open":
            return tagged.strong(line)
        case "link_open" if line.strip():
            return pointers.link(line, str(mark.attrs["href"]))
    return line


def _piece(token: Token, pointers: Pointers | None) -> str:
    match token.type:
        case "text":
            return tagged.words(token.content) if pointers is None else with_addresses(token.content, pointers)
        case "code_inline":
            return tagged.code(" ".join(token.content.split()))
        case "image":
            return tagged.words(token.content)
        case "hardbreak":
            return "<br>"
        case "html_inline":
            return "<br>" if _BREAK.fullmatch(token.content) else ""
    return " "
