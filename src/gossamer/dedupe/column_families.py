"""The column families of this room, for modules that open a table and compare nothing."""

from __future__ import annotations

BLOCKS = "blocks"
"""host name -> `blocks.HostRow`"""
PRINTS = "prints"
"""`p`, number -> the print of a page; `u`, row key -> its number; `g`, number -> nothing: it is gone, but not from its
run; `runs` -> which files count; `whole` -> it has all pages, perhaps with `STALE` prints
"""
WHOLE = b"whole"
"""A row of `PRINTS` that goes when pages come without their prints."""
STALE = b"0"
"""In that row: all pages have one, but some are of a text that has changed, or of a page that has gone."""
FAMILIES = (PRINTS, BLOCKS)
