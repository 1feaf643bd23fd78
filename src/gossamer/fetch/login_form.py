"""Which form of a page is its login, and what is filled in? By itself: a name, one password, what is hidden.

A login has exactly one password field: to register or to change a password takes two. The name goes into the text field
before it that is called so, or the nearest. Whatever the page has put into its other fields goes along, so a token
against forged requests (CSRF) is sent as the page has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlencode

from gossamer.convert.html.forms import Control, Form

_NAMED = re.compile(
    r"user|login|log_in|e-?mail|account|name|benutzer|nutzer|konto|anmelde|identifiant|utilisateur|usuario|correo"
    r"|usuário|utente|gebruiker|brugernavn|användar|kasutaja|uzytkownik|логин|имя|用户|ユーザ|사용자",
    re.IGNORECASE,
)
_OTHER = re.compile(r"search|query|captcha|otp|token|code|newsletter|such|cherche|busca", re.IGNORECASE)
_TEXT = frozenset({"text", "email", "tel", "username", ""})


def login_form(forms: Sequence[Form]) -> Form | None:
    """The form of a page by which one logs in; None when it has none."""
    fitting = [form for form in forms if form.method == "post" and len(_passwords(form)) == 1 and _name(form)]
    return min(fitting, key=lambda form: len(form.controls), default=None)


def filled(form: Form, user: str, password: str) -> bytes:
    """What is sent, in the encoding of the page."""
    name, secret = _name(form), _passwords(form)[0]
    pairs: list[tuple[str, str]] = []
    pressed = False
    for control in form.controls:
        value = user if control is name else password if control is secret else control.value
        presses = control.kind == "submit" and not pressed
        pressed = pressed or presses
        if control.name and (control.sent or presses):
            pairs.append((control.name, value))
    sent = [(_octets(key, form.encoding), _octets(value, form.encoding)) for key, value in pairs]
    return urlencode(sent).encode("ascii")


def _passwords(form: Form) -> list[Control]:
    return [control for control in form.controls if control.kind == "password" and control.name]


def _name(form: Form) -> Control | None:
    """The field for the name: of those before the password the nearest that is called so."""
    before: list[Control] = []
    for control in form.controls:
        if control.kind == "password":
            break
        if control.kind in _TEXT and control.name and not _OTHER.search(f"{control.name} {control.label}"):
            before.append(control)
    called = [control for control in before if _NAMED.search(f"{control.name} {control.label}")]
    return next(reversed(called or before), None)


def _octets(text: str, codec: str) -> bytes:
    """A password may have bytes that are no text, as the environment has them."""
    try:
        return text.encode(codec, "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
