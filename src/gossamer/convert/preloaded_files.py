"""All readers of files, loaded before the processes are forked that read them: once for all of them."""

from __future__ import annotations

from gossamer.convert import preloaded_content  # noqa: F401  # there are pages in files
from gossamer.convert.files import xls  # noqa: F401  # with the library that it is read by
from gossamer.convert.files.added import load_all
from gossamer.convert.files.formats import READERS, Ours
from gossamer.convert.files.pdf import pdfium  # noqa: F401  # as above

load_all()
for reader in READERS.values():
    if isinstance(reader, Ours):
        reader.load()
