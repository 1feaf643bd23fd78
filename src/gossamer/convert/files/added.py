"""Types that a plug-in reads: a package that is installed has said so, and is asked where nothing of ours reads a type.

It is called where files are read, apart from the crawl. What it does wrong is the problem of that page, which is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gossamer import plugins, tagged
from gossamer.convert.files.page import About, page_of
from gossamer.convert.files.text.plain import write_text
from gossamer.convert.source import Source
from gossamer.model import Page


@dataclass(frozen=True, slots=True)
class Added:
    """The converter of a plug-in."""

    media_type: str

    def __call__(self, source: Source) -> Page:
        """Read a document."""
        function = plugins.loaded(plugins.CONVERTERS, self.media_type)
        try:
            said = function(source) if function else ""
        except Exception as error:
            return _failed(source, f"{type(error).__name__}: {error}"[:300])
        if isinstance(said, Page):
            return said
        return _of_text(source, said) if isinstance(said, str) else _failed(source, f"it gave {type(said).__name__}")


@cache
def added(media_type: str) -> Added | None:
    """The converter for a type; None where there is none."""
    return Added(media_type) if plugins.loaded(plugins.CONVERTERS, media_type) else None


def load_all() -> None:
    """Before a process is closed in, which cannot load anything after."""
    for media_type in plugins.installed(plugins.CONVERTERS):
        added(media_type)


def _of_text(source: Source, text: str) -> Page:
    writer = tagged.Writer()
    write_text(writer, text)
    return page_of(source, writer.html(), About())


def _failed(source: Source, why: str) -> Page:
    entry = plugins.installed(plugins.CONVERTERS)[source.kind.essence]
    package = plugins.package_of(entry)
    words = f"the converter of {package} failed: {why}; update it, or `pip uninstall {package}`"
    return Page(source.url, source.kind.essence, problem=words)
