"""FTP, by the client of Python, in a thread. A folder is answered with a list of links, written as gemtext.

Data comes from the address that was asked, whatever the server names: ftplib sees to it, so nothing goes around the
guard. A thread cannot be ended from outside, but its connections can be cut: so no server holds one longer than a visit
may take, however slowly it drips.
"""

from __future__ import annotations

import asyncio
import ftplib
import socket
from contextlib import closing, suppress
from urllib.parse import quote, unquote_to_bytes

from gossamer.fetch.protocols.asking import Ask, Said

NAMES_MOST = 10_000
"""Of a folder."""


async def say(ask: Ask) -> Said:
    """What an FTP server has there, for anonymous."""
    server = _Server(encoding="utf-8")
    try:
        return await asyncio.to_thread(_said, server, ask)
    finally:
        server.cut()


class _Enough(Exception):
    """A folder has more names than are read."""


class _Server(ftplib.FTP):
    """One whose connections can be cut by another thread."""

    _transfers: tuple[socket.socket, ...] = ()

    def ntransfercmd(self, cmd: str, rest: int | str | None = None) -> tuple[socket.socket, int | None]:
        """As always; the connection of the data is noted."""
        transfer, size = super().ntransfercmd(cmd, rest)
        self._transfers = (*self._transfers, transfer)
        return transfer, size

    def cut(self) -> None:
        """Whoever waits for something from there is told that it has ended."""
        for each in (self.sock, *self._transfers):
            with suppress(OSError):
                if each is not None:
                    each.shutdown(socket.SHUT_RDWR)


def _said(server: ftplib.FTP, ask: Ask) -> Said:
    with closing(server):
        server.connect(ask.address, ask.port, timeout=ask.seconds)
        server.login()
        path = unquote_to_bytes(ask.path.partition("?")[0]).decode("utf-8", "surrogateescape")
        if any(character in path for character in "\r\n\0"):
            return Said(400, reason="no name of a file")
        try:
            return _folder(server, path) if path.endswith("/") else _file(server, path, ask.most)
        except ftplib.error_perm as error:
            return Said(404, reason=str(error))


def _folder(server: ftplib.FTP, path: str) -> Said:
    lines = [f"# {path}"]

    def take(line: str) -> None:
        facts, _, name = line.partition(" ")
        kind = next((each[5:] for each in facts.lower().split(";") if each.startswith("type=")), "")
        if kind in ("file", "dir"):
            slash = "/" if kind == "dir" else ""
            lines.append(f"=> ./{quote(name, errors='surrogateescape')}{slash} {name}{slash}")
        if len(lines) > NAMES_MOST:
            raise _Enough

    with suppress(_Enough):
        server.retrlines(f"MLSD {path}", take)
    body = "\n".join(lines).encode("utf-8", "replace")
    return Said(200, body, (("content-type", "text/gemini; charset=utf-8"),), "OK")


def _file(server: ftplib.FTP, path: str, most: int) -> Said:
    pieces: list[bytes] = []
    read = 0
    server.voidcmd("TYPE I")
    with server.transfercmd(f"RETR {path}") as data:
        while read <= most and (piece := data.recv(1 << 16)):
            pieces.append(piece)
            read += len(piece)
    return Said(200, b"".join(pieces), (), "OK")
