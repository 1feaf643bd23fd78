"""SFTP, by libcurl with libssh2, which pycurl brings already; in a thread that ends when the visit does.

The key of a server must stand in ~/.ssh/known_hosts, where `ssh` puts it: one that is not known, or is another than
before, is refused before a name or a password is sent. Links within the file system are not followed, as for FTP.

The date of a file is its Last-Modified. Of one that was read before the date is asked for first, and it is read again
where that has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pycurl  # type: ignore[import-untyped]  # its stub is empty

from gossamer.fetch.logins import Account
from gossamer.fetch.protocols.asking import Ask, Refused, Said
from gossamer.fetch.protocols.incoming import Incoming
from gossamer.fetch.protocols.listing import Listing, by_columns, is_named

_STATUSES = {
    pycurl.E_LOGIN_DENIED: 401,
    pycurl.E_REMOTE_ACCESS_DENIED: 403,
    pycurl.E_REMOTE_FILE_NOT_FOUND: 404,
}
_STOP = -1
"""What a callback gives to end the transfer."""


async def say(ask: Ask) -> Said:
    """What an SFTP server has there, for the account of the plan."""
    if "sftp" not in pycurl.version_info()[8]:
        raise Refused("the libcurl of this machine has no sftp; `pip install --force-reinstall pycurl` brings one")
    if ask.account is None:
        return Said(401, reason="there is no login for it")
    over = Event()
    try:
        return await ask.course.aside(partial(_said, ask, ask.account, over))
    finally:
        over.set()


def _said(ask: Ask, account: Account, over: Event) -> Said:
    path = ask.path.partition("?")[0]
    if not is_named(unquote_to_bytes(path).decode("latin-1")):
        return Said(400, reason="no name of a file")
    fetch = _folder if path.endswith("/") else _file
    code, words, said = fetch(ask, account, path, over)
    if code == pycurl.E_OK:
        return said
    if code == pycurl.E_SSH and fetch is _file:  # so a folder is answered
        again, _, _ = _folder(ask, account, f"{path}/", over)
        if again == pycurl.E_OK:
            return Said(301, headers=(("location", f"{ask.url.partition('?')[0]}/"),), reason="a folder")
    if code in _STATUSES:
        return Said(_STATUSES[code], reason=words)
    if code == pycurl.E_OPERATION_TIMEDOUT:
        raise TimeoutError
    raise ConnectionError(words)


def _file(ask: Ask, account: Account, path: str, over: Event) -> tuple[int, str, Said]:
    incoming = Incoming(ask)
    code, words, date = _run(ask, account, path, over, lambda piece: None if incoming.take(piece) else _STOP)
    dated = (("last-modified", date),) if date else ()
    if date and date == ask.modified:
        return code, words, Said(304, b"", dated, "not modified")
    return (pycurl.E_OK if incoming.is_cut else code), words, Said(200, incoming.body(), dated, "OK")


def _folder(ask: Ask, account: Account, path: str, over: Event) -> tuple[int, str, Said]:
    listing, rest, full = Listing(unquote_to_bytes(path).decode("latin-1"), ask.course), b"", False

    def write(piece: bytes) -> int | None:
        nonlocal rest, full
        *lines, rest = (rest + piece).split(b"\n")
        for line in (each.decode("latin-1").rstrip("\r") for each in lines):
            full = full or not listing.take(line, *by_columns(line))
        return _STOP if full else None

    code, words, _ = _run(replace(ask, modified=""), account, path, over, write)
    return (pycurl.E_OK if full else code), words, listing.said()


def _run(
    ask: Ask, account: Account, path: str, over: Event, write: Callable[[bytes], int | None]
) -> tuple[int, str, str]:
    """How it ended: the number of libcurl, and its words; and the date of the file, in the words of HTTP. Of one that
    still has the date that is known nothing is read."""
    trust: list[int] = []

    def judge(_known: object, _found: object, match: int) -> int:
        trust.append(match)
        return int(pycurl.KHSTAT_FINE if match == pycurl.KHMATCH_OK else pycurl.KHSTAT_REJECT)

    easy = pycurl.Curl()
    try:
        for option, value in _options(ask, account, path).items():
            easy.setopt(option, value)
        easy.setopt(pycurl.SSH_KEYFUNCTION, judge)
        easy.setopt(pycurl.XFERINFOFUNCTION, lambda *_: int(over.is_set()))
        easy.setopt(pycurl.WRITEFUNCTION, write)
        easy.setopt(pycurl.OPT_FILETIME, 1)
        if ask.modified:
            easy.setopt(pycurl.NOBODY, 1)
            easy.perform()
            easy.setopt(pycurl.NOBODY, 0)
        if not ask.modified or _date(easy) != ask.modified:
            easy.perform()
    except pycurl.error as error:
        if trust and trust[-1] != pycurl.KHMATCH_OK:
            raise Refused(_stranger(ask, trust[-1])) from None
        return int(error.args[0]), str(error.args[1]), _date(easy)
    else:
        return int(pycurl.E_OK), "", _date(easy)
    finally:
        easy.close()


def _date(easy: Any) -> str:
    seconds = easy.getinfo(pycurl.INFO_FILETIME)
    return formatdate(seconds, usegmt=True) if seconds >= 0 else ""


def _options(ask: Ask, account: Account, path: str) -> dict[int, Any]:
    address = f"[{ask.address}]" if ":" in ask.address else ask.address
    options = {
        pycurl.URL: f"sftp://{urlsplit(ask.url).netloc}{path}",
        pycurl.PROTOCOLS: pycurl.PROTO_SFTP,
        pycurl.CONNECT_TO: [f"::{address}:"],
        pycurl.PROXY: "",
        pycurl.NOSIGNAL: 1,
        pycurl.NOPROGRESS: 0,
        pycurl.CONNECTTIMEOUT_MS: round(ask.seconds * 1000),
        pycurl.LOW_SPEED_LIMIT: 1,
        pycurl.LOW_SPEED_TIME: max(round(ask.seconds), 1),
        pycurl.SSH_KNOWNHOSTS: os.fsencode(_known_hosts()),
        pycurl.USERNAME: account.user.encode(),
    }
    if account.kind == "key":
        return options | {
            pycurl.SSH_AUTH_TYPES: pycurl.SSH_AUTH_PUBLICKEY,
            pycurl.SSH_PRIVATE_KEYFILE: os.fsencode(account.password),
        }
    types = pycurl.SSH_AUTH_PASSWORD | pycurl.SSH_AUTH_KEYBOARD
    return options | {pycurl.SSH_AUTH_TYPES: types, pycurl.PASSWORD: account.password.encode()}


def _known_hosts() -> Path:
    return Path.home() / ".ssh" / "known_hosts"


def _stranger(ask: Ask, match: int) -> str:
    if match == pycurl.KHMATCH_MISMATCH:
        return f"{ask.host} shows another key than the one in {_known_hosts()}; ask who runs it before you replace that"
    port = "" if ask.port == 22 else f"-p {ask.port} "
    return (
        f"the key of {ask.host} is not in {_known_hosts()}; `ssh {port}{ask.host}` shows it, and adds it if you agree"
    )
