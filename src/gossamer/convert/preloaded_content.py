"""What finds main content, loaded before the processes are forked that read large pages: once for all of them."""

from __future__ import annotations

from gossamer.convert.document import read_here
from gossamer.convert.source import Source
from gossamer.convert.type.mime import MimeType

read_here(Source(b"<p>The first page loads what all others need.", MimeType("text", "html"), None))
