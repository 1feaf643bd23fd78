"""Compound files that no reader takes: locked ones, damaged ones, and those of other programs. Why, is all there is."""

from __future__ import annotations

from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, page_of
from gossamer.convert.source import Source
from gossamer.model import Page


def read(source: Source) -> Page:
    """Why nothing is read."""
    try:
        locked = Compound(source.data).has("EncryptedPackage")
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))
    problem = (
        "encrypted: it can only be read with its password" if locked else "a compound file with nothing known in it"
    )
    return page_of(source, "", About(), problem=problem)
