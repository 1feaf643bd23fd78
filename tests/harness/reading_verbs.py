"""Every verb that only reads, as somebody would type it, so that a promise about reading is held for all of them.

    for arguments in reading_verbs(folder, url, tmp_path):
        run_gossamer(*arguments)

A new verb that only reads gets its line here; `test_every_verb_reads_or_writes` notices one that has none.
"""

from __future__ import annotations

from pathlib import Path

STEERING = {"pause", "resume", "stop", "set", "add", "retry"}
WRITING = {"crawl", "watch", "files", "build", "import", "remove", "prune", "demo", "convert", "alert"} | STEERING
WRITING |= {"fetch-collection"}
"""Those that change a collection or make one, and `convert`, which has none."""
LASTING = {"serve", "mcp", "replay"}
"""Those that read for as long as somebody asks: `tests/web` and `tests/cli/test_cli_serve.py` hold them."""
EXPORTS = ("jsonl", "warc", "wacz", "cdxj", "trec", "graph")


def reading_verbs(folder: Path, url: str, place: Path, question: str = "page") -> list[list[str]]:
    """One line for each verb and form; files are made in `place`, and none of them is there yet."""
    queries, judgements = place / "queries", place / "judgements"
    queries.write_text(f"q1\t{question}\n")
    judgements.write_text(f"q1 0 {url} 1\n")
    asked = [
        ["status"],
        ["top"],
        ["list"],
        ["broken"],
        ["changes"],
        ["list", "--state", "page", "--json"],
        ["why", url],
        ["why", url.split("/")[2]],
        *(["show", url, "--as", form] for form in ("text", "markdown", "html", "links", "headers", "raw")),
        ["show", url, "--full"],
        ["history", url],
        ["search", question],
        ["search", question, "--explain"],
        ["similar", url],
        ["duplicates"],
        ["links", url],
        ["simulate", "--budget", "1"],
        ["plan-cluster", "--pages", "1e9"],
        ["rank"],
        ["rank", "--sites"],
        ["rank", "--query", question],
        ["evaluate", "--queries", str(queries), "--judgements", str(judgements)],
        *(
            ["export", form, "-o", str(place / f"out.{form}")]
            for form in ("jsonl", "warc", "wacz", "cdxj", "trec", "graph")
        ),
        ["verify"],
        ["remove", url, "--dry-run"],
        ["prune", "--keep", "last 1", "--dry-run"],
    ]
    return [[verb, str(folder), *rest] for verb, *rest in asked]
