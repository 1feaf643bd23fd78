"""Calendars (iCalendar, RFC 5545) and address cards (vCard, RFC 6350): each entry under its name, with what it says.

Both are lines of `NAME;PARAMETERS:value`, folded at 75 bytes. What only programs need (identifiers, rules of time
zones, pictures) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import read_records, with_addresses
from gossamer.convert.source import Source
from gossamer.model import Page

_FOLD = re.compile(r"\n[ \t]")
_SOFT = re.compile(r"=\n")
_LINE = re.compile(r"(?:[\w-]{1,60}\.)?([\w-]{1,60})((?:;(?:[^:;\"\n]|\"[^\"\n]*\"){0,500}){0,20}):(.*)").fullmatch
_ESCAPE = re.compile(r"\\(.)")
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_NAMES = ("SUMMARY", "FN")
_SHOWN = {
    "DTSTART": "Begins",
    "DTEND": "Ends",
    "DUE": "Due",
    "LOCATION": "Place",
    "DESCRIPTION": "",
    "COMMENT": "",
    "NOTE": "",
    "CATEGORIES": "Categories",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "CONTACT": "Contact",
    "NICKNAME": "Nickname",
    "ORG": "Organization",
    "TITLE": "Title",
    "ROLE": "Role",
    "EMAIL": "Mail",
    "TEL": "Phone",
    "ADR": "Address",
    "BDAY": "Born",
    "URL": "Link",
}
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}Z?)?").fullmatch
_COMMON_NAME = re.compile(r";CN=\"?([^\";:]{1,200})", re.IGNORECASE)
_SAID_MOST = 200
"""Lines of one entry."""


def read(source: Source) -> Page:
    """What calendars and cards say."""
    return read_records(source, _write)


class _Field(NamedTuple):
    """One line, unfolded."""

    name: str
    parameters: str
    value: str


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    title = ""
    entry: list[_Field] | None = None
    within = ""
    for field in _fields(text):
        kind = field.value.strip().upper()
        if field.name == "BEGIN":
            if kind in _ENTRIES:
                entry, within = [], kind
        elif field.name == "END":
            if entry is not None and kind == within:
                _entry(entry, writer, pointers)
                entry = None
        elif entry is not None and len(entry) < _SAID_MOST:
            entry.append(field)
        elif field.name in ("X-WR-CALNAME", "NAME") and entry is None:
            title = title or _said(field.value)
    if entry:
        _entry(entry, writer, pointers)
    return About(title)


def _fields(text: str) -> Iterator[_Field]:
    for line in _FOLD.sub("", _SOFT.sub("", text) if "QUOTED-PRINTABLE" in text else text).split("\n"):
        if found := _LINE(line):
            name, parameters, value = found[1].upper(), found[2], found[3]
            yield _Field(name, parameters, _unquoted(value) if "QUOTED-PRINTABLE" in parameters.upper() else value)


def _unquoted(value: str) -> str:
    """Old cards write what is beyond ASCII in this way."""
    import quopri

    return quopri.decodestring(value.encode("utf-8", "replace")).decode("utf-8", "replace")


def _entry(fields: list[_Field], writer: tagged.Writer, pointers: Pointers) -> None:
    names = (each.value for name in _NAMES for each in fields if each.name == name)
    writer.heading(2, tagged.words(_said(next(names, "")) or "untitled"))
    for field in fields:
        label = _SHOWN.get(field.name)
        if label is None:
            continue
        for line in _value(field).split("\n"):
            said = with_addresses(line.strip(), pointers)
            if said:
                writer.paragraph(f"{label}: {said}" if label else said)


def _value(field: _Field) -> str:
    if moment := _MOMENT(field.value.strip()):
        day = "-".join(moment.groups()[:3])
        return f"{day} {moment[4]}:{moment[5]}" if moment[4] else day
    if field.name in ("ATTENDEE", "ORGANIZER"):
        called = _COMMON_NAME.search(field.parameters)
        return called[1] if called else field.value.partition(":")[2] or field.value
    if field.name in ("ADR", "ORG"):
        return ", ".join(part.strip() for part in _said(field.value).split(";") if part.strip())
    return _said(field.value)


def _said(value: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
