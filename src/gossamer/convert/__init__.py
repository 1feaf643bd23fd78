"""What does it say?"""

from __future__ import annotations

from gossamer.convert.apart import Apart
from gossamer.convert.charset import encoding
from gossamer.convert.document import begin, document, finish, read, unread

__all__ = ["Apart", "begin", "document", "encoding", "finish", "read", "unread"]
