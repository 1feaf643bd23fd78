"""What does it say? Type, encoding, language, HTML, links, sitemaps, feeds, files."""

from __future__ import annotations

from gossamer.convert.charset.charset import encoding
from gossamer.convert.document import begin, document, finish, read, unread
from gossamer.convert.sandboxed import Apart

__all__ = ["Apart", "begin", "document", "encoding", "finish", "read", "unread"]
