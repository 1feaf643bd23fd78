"""Where readers of files were once: whoever still imports them from here is shown the way."""

raise ImportError(
    "gossamer.convert.documents is now gossamer.convert.files: "
    "import READERS from gossamer.convert.files.formats, and About and page_of from gossamer.convert.files.page"
)
