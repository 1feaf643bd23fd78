"""In which formats can a collection be exported? The names alone, for a list of them; `export` writes them."""

from __future__ import annotations

FORMATS = {
    "jsonl": "pages",
    "warc": "files",
    "wacz": "pages",
    "bagit": "files",
    "cdxj": "lines",
    "trec": "documents",
    "parquet": "pages",
    "passages": "passages",
    "passages-parquet": "passages",
    "markdown": "files",
    "files": "files",
    "graph": "links",
}
"""And what each is counted in."""
