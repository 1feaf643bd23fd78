"""Files that are text: CSV, JSON, Markdown, notebooks, XML and plain text."""
