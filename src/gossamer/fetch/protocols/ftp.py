"""FTP, by the client of Python, in a thread. A folder is answered with a list of links, written as gemtext.

Data comes from the address that was asked, whatever the server names: ftplib sees to it, so nothing goes around the
guard.
"""

from __future__ import annotations

import asyncio
import ftplib
from urllib.parse import quote, unquote_to_bytes

from gossamer.fetch.protocols.asking import Ask, Said

NAMES_MOST = 10_000
"""Of a folder."""


async def say(ask: Ask) -> Said:
    """What an FTP server has there, for anonymous."""
    return await asyncio.to_thread(_said, ask)


def _said(ask: Ask) -> Said:
    with ftplib.FTP(encoding="utf-8") as server:
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
    for name, facts in server.mlsd(path, ["type"]):
        kind = facts.get("type")
        if kind in ("file", "dir") and len(lines) <= NAMES_MOST:
            slash = "/" if kind == "dir" else ""
            lines.append(f"=> ./{quote(name, errors='surrogateescape')}{slash} {name}{slash}")
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
