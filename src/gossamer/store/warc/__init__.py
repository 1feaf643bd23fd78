"""How is a capture written and read? WARC files, and texts in the same form."""
