"""Which forms has a page of the collection, are they sent, and what have they brought?"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.convert.html.forms import Control, Form, of_capture
from gossamer.frontier.entries import FORMS
from gossamer.frontier.forms.form_rows import form_of, mark_of
from gossamer.frontier.forms.harmless import refusal
from gossamer.model import Capture
from gossamer.printable import counted
from gossamer.store.table.table import Table

_UNSEEN = frozenset({"hidden", "submit", "image", "button", "reset"})


class PageForm(NamedTuple):
    """A form in words."""

    action: str
    method: str
    fields: str
    """What can be filled in."""
    state: str
    """Why it is not sent, or what it has brought."""


def page_forms(capture: Capture, table: Table) -> tuple[PageForm, ...]:
    """Those of a page as it came."""
    return tuple(
        PageForm(
            form.action, form.method, ", ".join(filter(None, map(_field, form.controls))), _state(form, capture, table)
        )
        for form in of_capture(capture)
    )


def _field(control: Control) -> str:
    if control.kind in _UNSEEN or not control.name:
        return ""
    options = f" of {counted(len(control.options), 'option')}" if control.options else ""
    return f"{control.name}: {control.kind}{options}"


def _state(form: Form, capture: Capture, table: Table) -> str:
    row = table.get(FORMS, mark_of(form))
    if row is not None:
        return str(form_of(row)).removeprefix(f"{form.action}: ")
    reason = refusal(form, capture.visit.url, "all")
    return f"not sent, {reason}" if reason else "not sent; --forms search or --forms all does it"
