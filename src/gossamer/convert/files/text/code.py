"""Programs and what steers them: kept as they are, as code in their language, under the name of their file."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from gossamer import tagged
from gossamer.convert.files.page import About
from gossamer.convert.files.text.plain import decoded, text_page
from gossamer.convert.source import Source
from gossamer.convert.type.names import LANGUAGES
from gossamer.model import Page

_INTERPRETER = re.compile(r"#![^\n]{0,200}?/(?:env[ \t]+(?:-\S+[ \t]+)*)?([a-z]+)[\d.]*(?:[ \t][^\n]*)?\n")

_RUNS = {"sh": "shell", "bash": "shell", "zsh": "shell", "node": "javascript"}


def read(source: Source) -> Page:
    """What a program says: all of it."""
    found = decoded(source)
    language = LANGUAGES.get(source.kind.essence, "")
    if not language and (interpreter := _INTERPRETER.match(found.text)):
        language = _RUNS.get(interpreter[1], interpreter[1])
    writer = tagged.Writer()
    writer.pre(found.text, language)
    path = unquote((source.url or "").partition("#")[0].partition("?")[0], errors="replace")
    return text_page(source, found, writer.html(), About(posixpath.basename(path)))
