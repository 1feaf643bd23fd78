"""The query language in a few lines, for `gossamer help search`."""

from __future__ import annotations

LANGUAGE = """\
query:
  foreign key           pages about these words; the more of them the better
  "foreign key"         one after the other
  index*                words that begin so
  cascade OR restrict   one of them
  cascade AND restrict  both of them
  -oracle, NOT oracle   not this; --rebase, -x=y and -l are words
  (a OR b) -(c d)       parentheses
  title:index           in the title; also title:"foreign key"
  inurl:docs            in the address
  site:example.org      of this site or host; also site:example.org/docs
  type:pdf              of this type; also filetype:pdf and media types
  lang:de               in this language
  after:2026-03         from this day on; before:2026 from before it
  link:example.org/a    that links to this address
  price:30              with this in a field that a page function gave (--on-page)
  docno:GX000-01-02     with this number in a collection of TREC that was imported
Put the query in single quotes, so that the shell leaves it alone.
"""
