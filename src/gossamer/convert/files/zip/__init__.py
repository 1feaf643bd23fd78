"""ZIP files, and the books that are such (EPUB)."""
