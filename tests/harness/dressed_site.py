"""A site that looks like nothing without what it needs: styles that import styles, a font, pictures of every kind,
frames, drawings, a script, some of it on another host. Whatever is missing leaves a hole that a picture of it shows."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Color = tuple[int, int, int]
RED, GREEN, BLUE, AMBER, PLUM = (200, 30, 30), (20, 140, 60), (30, 60, 190), (230, 160, 20), (120, 30, 120)


def png(color: Color, side: int = 80) -> bytes:
    """A square of one color, with a darker corner."""
    dark = bytes(each // 2 for each in color)
    rows = [
        b"\0" + dark * (side // 4) + bytes(color) * (side - side // 4) if y < side // 4 else b"\0" + bytes(color) * side
        for y in range(side)
    ]

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


def font() -> bytes:
    """A TrueType font in which every letter is the same black box."""
    box = struct.pack(">hhhhh", 1, 100, 0, 900, 800) + struct.pack(">HH", 3, 0) + bytes([1, 1, 1, 1])
    box += struct.pack(">hhhh", 100, 800, 0, -800) + struct.pack(">hhhh", 0, 0, 800, 0)
    glyphs = box + b"\0" * (-len(box) % 4)
    first, last = 0x20, 0x7E
    segments = struct.pack(">HHHH", 4, 4, 1, 0) + struct.pack(">HHHHH", last, 0xFFFF, 0, first, 0xFFFF)
    deltas = struct.pack(">HH", 0, 1) + struct.pack(">HH", 4, 0) + struct.pack(">H", 1) * (last - first + 1)
    mapping = struct.pack(">HHH", 4, 6 + len(segments) + len(deltas), 0) + segments + deltas
    names = [(1, "Boxes"), (2, "Regular"), (4, "Boxes"), (6, "Boxes")]
    texts = [text.encode("utf-16-be") for _, text in names]
    name = struct.pack(">HHH", 0, len(names), 6 + 12 * len(names))
    for number, (identifier, _) in enumerate(names):
        name += struct.pack(">HHHHHH", 3, 1, 0x409, identifier, len(texts[number]), len(b"".join(texts[:number])))
    tables = {
        b"OS/2": struct.pack(">HhHHH", 4, 1000, 400, 5, 0)
        + struct.pack(">10h", 650, 700, 0, 140, 650, 700, 0, 480, 50, 258)
        + struct.pack(">h10s4I4s", 0, bytes(10), 1, 0, 0, 0, b"BOXS")
        + struct.pack(">HHHhhhHHII", 0x40, first, last, 800, -200, 200, 1000, 200, 1, 0)
        + struct.pack(">hhHHH", 500, 700, 0, 0x20, 1),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + mapping,
        b"glyf": glyphs,
        b"head": struct.pack(">IIII", 0x10000, 0x10000, 0, 0x5F0F3CF5)
        + struct.pack(">HHqq", 0x0B, 1000, 0, 0)
        + struct.pack(">hhhhHHhhh", 100, 0, 900, 800, 0, 8, 2, 0, 0),
        b"hhea": struct.pack(">Ihhh", 0x10000, 800, -200, 200)
        + struct.pack(">Hhhhhhhhhhhh", 1000, 100, 100, 900, 1, 0, 0, 0, 0, 0, 0, 0)
        + struct.pack(">H", 1),
        b"hmtx": struct.pack(">Hhh", 1000, 100, 100),
        b"loca": struct.pack(">HHH", 0, 0, len(glyphs) // 2),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)[: 4 + 28],
        b"name": name + b"".join(texts),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _sfnt(tables)


def _sfnt(tables: Mapping[bytes, bytes]) -> bytes:
    def checksum(data: bytes) -> int:
        padded = data + b"\0" * (-len(data) % 4)
        return sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF

    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(">IHHHH", 0x10000, count, power * 16, power.bit_length() - 1, (count - power) * 16)
    offset, directory, body = 12 + 16 * count, b"", b""
    for tag, data in tables.items():
        directory += struct.pack(">4sIII", tag, checksum(data), offset + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    return head + directory + body


def drawing(color: Color) -> str:
    opened = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80">'
    return f'{opened}<circle cx="40" cy="40" r="38" fill="rgb{color}"/></svg>'


def site(other: str) -> dict[str, str | bytes]:
    """By path; `other` is the origin of the other host."""
    inline = "data:image/svg+xml," + drawing((0, 120, 120)).replace("<", "%3C").replace(">", "%3E").replace('"', "'")
    page = f"""<!doctype html><html><head><meta charset=utf-8><title>Dressed</title><base href="/base/">
<link rel=icon href=/icon.png><link rel="stylesheet" href="css/main.css">
<style>@import url("css/inline.css"); .styled {{ background: url(pictures/styled.png) }}</style>
<script src="/app.js"></script></head><body background="pictures/tile.png">
<h1 class=boxed>Boxes</h1>
<p><a href="/second.html">The second page</a> <a href="pictures/linked.png">a picture</a></p>
<p><img src="pictures/plain.png" alt=plain> <img srcset="pictures/once.png 1x, pictures/twice.png 2x" alt=set>
<picture><source media="(min-width: 300px)" srcset="pictures/wide.png"><img src="pictures/narrow.png" alt=art></picture>
<img src="{other}/far.png" alt=far> <img src="{inline}" alt=data> <img src="/drawing.svg" alt=drawing></p>
<p class=row><span class=styled></span><span class=variable></span><span class=imported></span><span class=deep></span>
<span class=inline></span><span class=set></span><span style="background:url('pictures/attribute.png')"></span></p>
<p><svg width=80 height=80><image href="pictures/in-svg.png" width=80 height=80 /></svg>
<svg width=80 height=80><use href="/icons.svg#mark"/></svg>
<object data="/object.svg" type="image/svg+xml" width=80 height=80></object>
<video poster="pictures/poster.png" width=80 height=80></video>
<iframe src="/frame.html" width=200 height=120></iframe>
<iframe srcdoc="<img src=/base/pictures/srcdoc.png>" width=120 height=120></iframe></p>
<p id=said>no script</p></body></html>"""
    second = """<!doctype html><meta charset=utf-8><title>Second</title><link rel=stylesheet href=/base/css/main.css>
<h1 class=boxed>More</h1><img src=/base/pictures/plain.png alt=""><img src=/base/pictures/same.png alt="">
<p><a href="/">back</a></p>"""
    main = f"""@charset "utf-8"; @import 'parts/theme.css' screen; /* url(never.png) */
@font-face {{ font-family: Boxes; src: url("{other}/boxes.ttf") format("truetype") }}
:root {{ --picture: url("/base/pictures/variable.png") }}
.boxed {{ font: 40px Boxes; color: #444 }} .row span {{ display: inline-block; width: 80px; height: 80px }}
.variable {{ background: var(--picture) }} .set {{ background: image-set("../pictures/image-set.png" 1x) }}"""
    pictures = ("plain", "once", "twice", "wide", "narrow", "styled", "imported", "deep", "variable", "inline", "tile")
    more = ("attribute", "in-svg", "poster", "image-set", "srcdoc", "linked")
    colors = (RED, GREEN, BLUE, AMBER, PLUM)
    made: dict[str, str | bytes] = {
        f"/base/pictures/{name}.png": png((colors[n % 5][0], (colors[n % 5][1] + 9 * n) % 256, colors[n % 5][2]))
        for n, name in enumerate(pictures + more)
    }
    return made | {
        "/": page,
        "/second.html": second,
        "/base/pictures/same.png": made["/base/pictures/plain.png"],
        "/base/css/main.css": main,
        "/base/css/parts/theme.css": "@import url(deeper.css);"
        ".imported { background: url(../../pictures/imported.png) }",
        "/base/css/parts/deeper.css": "@import 'theme.css'; .deep { background: url(../../pictures/deep.png) }",
        "/base/css/inline.css": ".inline { background: url(../pictures/inline.png) } body { margin: 16px }",
        "/app.js": "onload = () => { document.getElementById('said').textContent = 'a script was here' }",
        "/frame.html": "<!doctype html><title>Frame</title><style>body { background: url(frame.png) }</style>framed",
        "/frame.png": png(AMBER, 40),
        "/icon.png": png(BLUE, 32),
        "/drawing.svg": drawing(GREEN),
        "/object.svg": drawing(PLUM),
        "/icons.svg": '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="mark" viewBox="0 0 8 8">'
        '<rect width="8" height="8" fill="navy"/></symbol></svg>',
    }


OTHER: dict[str, str | bytes] = {"/far.png": png((90, 90, 90)), "/boxes.ttf": font()}

TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "png": "image/png",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
    "txt": "text/plain",
}


@dataclass
class Served:
    """What is served, and what was asked for."""

    pages: Mapping[str, str | bytes] = field(default_factory=dict)
    origin: str = ""
    asked: list[str] = field(default_factory=list)
    """Paths, in order."""


@contextmanager
def serving(pages: Mapping[str, str | bytes], address: str = "127.0.0.1") -> Iterator[Served]:
    """Serve by path until the test is over; what is not there is not found."""
    served = Served(pages)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.asked.append(self.path)
            body = served.pages.get(self.path)
            data = body.encode() if isinstance(body, str) else body or b""
            self.send_response(404 if body is None else 200)
            ending = self.path.partition("?")[0].rpartition(".")[2]
            usual = "image/png" if data.startswith(b"\x89PNG") else "text/html; charset=utf-8"
            self.send_header("Content-Type", TYPES.get(ending, usual))
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer((address, 0), Handler) as server:
        served.origin = f"http://{address}:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield served
        finally:
            server.shutdown()


@contextmanager
def dressed() -> Iterator[tuple[Served, Served]]:
    """The site, and the other host that it needs."""
    with serving(OTHER) as other, serving({}) as main:
        main.pages = site(other.origin)
        yield main, other
