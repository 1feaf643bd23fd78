"""Which questions are kept? A small file in the collection has them, which people may read and edit.

It names where a secret is and does not hold it. What was told of each is elsewhere (`state`), so that this file changes
only when somebody wants it to.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from gossamer import files, toml_text
from gossamer.errors import NotFound, UsageError
from gossamer.plan import toml
from gossamer.urls import normalize

FILE = "alerts.toml"
SECRET = "$GOSSAMER_WEBHOOK_SECRET"
"""Where the secret of a webhook is, unless it is said."""
ALERTS_MOST = 100
QUERY_MOST = 5_000
"""Characters."""
_MOST = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_SECRET = re.compile(r"\$\w+|@/.+")
_LOGIN = re.compile(r"[^/?#]*//[^/?#]*@")
_HEAD = """\
# Questions that somebody wants to hear of; `gossamer alert` adds and removes them.
# A webhook is sent what is new, signed with the secret that the variable $NAME or the file @PATH has.
"""


class Alert(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that is kept."""

    query: str
    webhook: str = ""
    """Where what is new is sent, too."""
    secret: str = SECRET
    """Where the secret is that it is signed with: `$NAME` or `@FILE`."""

    @property
    def sends(self) -> str:
        """What its user agrees to: a signature tells of the secret, which may be any file."""
        return self.webhook if self.secret == SECRET else f"{self.webhook} signed with {self.secret}"


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    alert: dict[str, Alert] = {}


def load(folder: Path) -> dict[str, Alert]:
    """All of them by name, in the order of the file; none where there is no file."""
    return _parsed(folder, _text(folder))


def exist(folder: Path) -> bool:
    """Whether there may be any."""
    return files.kind(folder / FILE) != ""


def add(folder: Path, name: str, alert: Alert) -> Alert:
    """One more; whoever calls is alone. As it is kept."""
    kept = load(folder)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r}: a name has letters, digits, - and _, 64 at most")
    if name in kept:
        raise UsageError(f"{name}: there is such an alert; `gossamer alert remove DIR {name}` removes it")
    if len(kept) >= ALERTS_MOST:
        raise UsageError(f"there are {ALERTS_MOST} alerts, and no more are kept; remove one")
    alert = _checked(name, alert)
    lines = [f"[alert.{name}]", *(f"{field} = {toml(value)}" for field, value in _told(alert).items())]
    _replace(folder, f"{(_text(folder) or _HEAD).rstrip()}\n\n" + "\n".join(lines) + "\n")
    return alert


def remove(folder: Path, name: str) -> None:
    """Take one out. What people wrote besides stays, where it stands by itself."""
    kept, text = load(folder), _text(folder)
    if name not in kept:
        raise NotFound(f"{name}: no such alert; `gossamer alert list DIR` names them")
    del kept[name]
    table = re.search(rf"(?m)^\[alert\.{re.escape(name)}\][^\n]*\n(?:\w+[ \t]*=[^\n]*(?:\n|\Z))*\n*", text)
    left = text[: table.start()] + text[table.end() :] if table else ""
    try:
        as_it_was = bool(table) and _parsed(folder, left) == kept
    except UsageError:
        as_it_was = False
    if not as_it_was:
        left = _HEAD
        for other, alert in kept.items():
            fields = "".join(f"{field} = {toml(value)}\n" for field, value in _told(alert).items())
            left += f"\n[alert.{other}]\n{fields}"
    _replace(folder, left)


def _told(alert: Alert) -> dict[str, str]:
    """What stands in the file: the secret only where there is something to sign."""
    webhook = {"webhook": alert.webhook, "secret": alert.secret} if alert.webhook else {}
    return {"query": alert.query, **webhook}


def _checked(name: str, alert: Alert) -> Alert:
    if not alert.query.strip() or len(alert.query) > QUERY_MOST:
        raise UsageError(f"{name}: a question has 1 to {QUERY_MOST:,} characters")
    if not _SECRET.fullmatch(alert.secret):
        raise UsageError(f"{name}: a secret is not kept here; name a variable, as {SECRET}, or a file, as @/path")
    if not alert.webhook:
        return alert
    if _LOGIN.match(alert.webhook):
        raise UsageError(f"{name}: a webhook has no name or password in it; the signature tells who sends")
    return msgspec.structs.replace(alert, webhook=normalize(alert.webhook))


def _parsed(folder: Path, text: str) -> dict[str, Alert]:
    try:
        kept = msgspec.convert(toml_text.loads(text), _Kept).alert
        if len(kept) > ALERTS_MOST or not all(map(_NAME.fullmatch, kept)):
            raise UsageError(f"{ALERTS_MOST} alerts at most, with names of letters, digits, - and _")
        return {name: _checked(name, alert) for name, alert in kept.items()}
    except (toml_text.InvalidTOML, msgspec.ValidationError, UsageError) as error:
        raise UsageError(f"{folder / FILE}: cannot be understood: {error}; mend or remove it") from None


def _text(folder: Path) -> str:
    try:
        return files.read(folder / FILE, _MOST).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise UsageError(f"{folder / FILE}: is no text in UTF-8; mend or remove it") from None
    except OSError as error:
        raise files.unreadable(error, folder / FILE) from error


def _replace(folder: Path, text: str) -> None:
    try:
        files.replace(folder / FILE, text.encode())
    except OSError as error:
        raise files.told(error, folder / FILE) from error
