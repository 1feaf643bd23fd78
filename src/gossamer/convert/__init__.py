"""What does it say?"""

from __future__ import annotations

from gossamer.convert.charset import encoding
from gossamer.convert.document import document, read

__all__ = ["document", "encoding", "read"]
