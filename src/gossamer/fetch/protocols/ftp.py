"""FTP, by the client of Python, in a thread. A folder is answered with a list of links, written as gemtext.

Data comes from the address that was asked, whatever the server names: ftplib sees to it, so nothing goes around the
guard. A thread cannot be ended from outside, but its connections can be cut, those too that stand only after that: so
no server holds one much longer than a visit may take, however slowly it drips.
"""

from __future__ import annotations

import ftplib
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from urllib.parse import unquote_to_bytes

from gossamer.fetch.protocols.asking import Ask, Said
from gossamer.fetch.protocols.deadlines import Course
from gossamer.fetch.protocols.incoming import Incoming
from gossamer.fetch.protocols.listing import Listing, by_columns, is_named

TALK_MOST = 256 << 10
"""Bytes of the answers to commands."""


async def say(ask: Ask) -> Said:
    """What an FTP server has there, for anonymous."""
    server = _Server(ask.course)
    try:
        return await ask.course.aside(lambda: _said(server, ask))
    finally:
        server.cut()


class _Enough(Exception):
    """A folder has more names than are read."""


class _Server(ftplib.FTP):
    """One whose connections can be cut by another thread, also those that are made after that."""

    def __init__(self, course: Course) -> None:
        super().__init__(encoding="latin-1")  # in which each byte is a character: names may be in any encoding
        self._course = course
        self._transfers: tuple[socket.socket, ...] = ()
        self._is_cut = False
        self._read = 0
        """Bytes of what it has said besides data."""

    def getline(self) -> str:
        """As always, up to a bound: an answer may have any number of lines."""
        self._require_uncut()
        self._course.connected()
        line = super().getline()
        self._course.came(len(line) + 1)
        self._read += len(line) + 1
        if self._read > TALK_MOST:
            raise ValueError(f"the server has said more than {TALK_MOST:,} bytes before any data")
        return line

    def ntransfercmd(self, cmd: str, rest: int | str | None = None) -> tuple[socket.socket, int | None]:
        """As always; the connection of the data is noted."""
        transfer, size = super().ntransfercmd(cmd, rest)
        self._transfers = (*self._transfers, transfer)
        self._require_uncut()
        return transfer, size

    def _require_uncut(self) -> None:
        """Asked when a connection stands: whoever has cut before could not see it."""
        if self._is_cut:
            raise ConnectionAbortedError("nobody waits for it any more")

    def cut(self) -> None:
        """Whoever waits for something from there is told that it has ended."""
        self._is_cut = True
        for each in (self.sock, *self._transfers):
            with suppress(OSError):
                if each is not None:
                    each.shutdown(socket.SHUT_RDWR)


def _said(server: ftplib.FTP, ask: Ask) -> Said:
    with closing(server):
        ask.course.connecting()
        server.connect(ask.address, ask.port, timeout=ask.seconds)
        server.login()
        path = unquote_to_bytes(ask.path.partition("?")[0]).decode("latin-1")
        if not is_named(path):
            return Said(400, reason="no name of a file")
        try:
            return _folder(server, path, ask.course) if path.endswith("/") else _file(server, path, ask)
        except ftplib.error_perm as error:
            if not path.endswith("/") and _is_folder(server, path):
                return Said(301, headers=(("location", f"{ask.url.partition('?')[0]}/"),), reason="a folder")
            return Said(501 if _is_unknown(error) else 404, reason=str(error))


def _is_unknown(error: ftplib.error_perm) -> bool:
    """Does the server not know the command?"""
    return str(error)[:3] in ("500", "501", "502", "504")


def _is_folder(server: ftplib.FTP, path: str) -> bool:
    with suppress(ftplib.Error):
        server.cwd(path)
        return True
    return False


def _folder(server: ftplib.FTP, path: str, course: Course) -> Said:
    listing = Listing(path, course)

    def take(line: str, told: Callable[[str], tuple[str, str]]) -> None:
        if not listing.take(line, *told(line)):
            raise _Enough

    with suppress(_Enough):
        try:
            server.retrlines(f"MLSD {path}", lambda line: take(line, _by_facts))
        except ftplib.error_perm as error:
            if not _is_unknown(error):
                raise
            server.cwd(path)  # whether LIST takes a name is every server's own affair
            server.retrlines("LIST", lambda line: take(line, by_columns))
    return listing.said()


def _by_facts(line: str) -> tuple[str, str]:
    """Kind and name, of a line for machines (RFC 3659)."""
    facts, _, name = line.partition(" ")
    return next((each[5:] for each in facts.lower().split(";") if each.startswith("type=")), ""), name


def _file(server: ftplib.FTP, path: str, ask: Ask) -> Said:
    incoming = Incoming(ask)
    server.voidcmd("TYPE I")
    with server.transfercmd(f"RETR {path}") as data:
        while (piece := data.recv(1 << 16)) and incoming.take(piece):
            pass
    if not incoming.is_cut:
        try:
            server.voidresp()
        except (EOFError, ftplib.Error) as error:
            raise ConnectionError(f"the file did not come as a whole: {error or 'the server hung up'}") from None
    return Said(200, incoming.body(), (), "OK")
