"""Gemini: one line is asked, a line of status and a document come back, over TLS.

Nearly all servers have a certificate that they made themselves, and readers of Gemini trust what they meet first. A
crawler meets thousands of hosts once, and sends no secret: certificates are not checked at all.
"""

from __future__ import annotations

import asyncio
import ssl

from gossamer.fetch.protocols.asking import Ask, Said
from gossamer.fetch.protocols.incoming import Incoming

HEADER_MOST = 1_029
"""Bytes of the first line: two digits, a space, a kilobyte, and the end of the line."""
_STATUSES = {44: 429, 51: 404, 52: 410, 53: 421, 59: 400}
_GROUPS = {1: 400, 4: 503, 5: 403, 6: 403}
"""What the others of a group mean: input is wanted, try later, never, a certificate of ours is wanted."""


async def say(ask: Ask) -> Said:
    """What a Gemini server says."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    ask.course.connecting()
    async with asyncio.timeout(ask.seconds):
        reader, writer = await asyncio.open_connection(ask.address, ask.port, ssl=context, server_hostname=ask.host)
    ask.course.connected()
    try:
        writer.write(f"{ask.url}\r\n".encode())
        async with asyncio.timeout(ask.seconds):
            line = await reader.readuntil(b"\n")
        ask.course.came(len(line))
        if len(line) > HEADER_MOST or not line[:2].isdigit():
            raise ValueError("its first line is none of Gemini")
        code, meta = int(line[:2]), line[2:].decode("utf-8", "replace").strip()
        if code // 10 == 2:
            media_type = meta or "text/gemini"
            return Said(200, await _body(reader, ask, media_type), (("content-type", media_type),), "OK")
        if code // 10 == 3:
            return Said(302 if code == 30 else 301, b"", (("location", meta),), "moved")
        after = (("retry-after", meta),) if code == 44 and meta.isdigit() else ()
        return Said(_STATUSES.get(code) or _GROUPS.get(code // 10, 502), b"", after, f"gemini {code} {meta}")
    finally:
        writer.close()


async def _body(reader: asyncio.StreamReader, ask: Ask, media_type: str) -> bytes:
    incoming = Incoming(ask, media_type)
    wanted = True
    while wanted:
        async with asyncio.timeout(ask.seconds):
            piece = await reader.read(1 << 16)
        await ask.course.room(len(piece))
        wanted = bool(piece) and incoming.add(piece)
    return incoming.body()
