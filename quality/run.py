"""One table: how well we read pages and documents, beside the best that others reach.

    python quality/run.py                    all of it, in a few minutes
    python quality/run.py content robots     only some parts

The reference sets and the documentation packages are no part of the project. Where one is not there, its row says so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

import answers
import characters
import documents
import lists
import pages
import questions
from material import Missing
from table import Absent, Row, printed

PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "content": pages.rows,
    "documents": documents.rows,
    "encodings": characters.encoding_rows,
    "language": characters.language_rows,
    "feeds": lists.feed_rows,
    "sitemaps": lists.sitemap_rows,
    "robots": lists.robots_rows,
    "answers": answers.rows,
    "questions": questions.rows,
}


def measured(names: Iterable[str]) -> Iterator[Row | Absent]:
    """The rows of some parts. One that cannot be measured is a row too, and the others go on."""
    for name in names:
        try:
            yield from PARTS[name]()
        except Missing as error:
            yield Absent(name, str(error))
        except Exception as error:
            yield Absent(name, f"failed: {error!r}")


LEARNED = (
    "content: the default method was learned from the visible pages of these five sets. On sites it had not seen, in\n"
    "two of four folds, it had 0.966, 0.927, 0.882, 0.909 and 0.943, in the order above; the standard error of each\n"
    "is about 0.010, 0.012, 0.008, 0.028 and 0.009. By type of page: docs/main-content.md."
)


def main(names: list[str]) -> int:
    """Print the table, and the targets that are missed."""
    unknown = set(names) - set(PARTS)
    if unknown:
        print(f"unknown part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    rows = list(measured(names or PARTS))
    print(printed(rows))
    print(f"\n{LEARNED}")
    missed = [row.name for row in rows if isinstance(row, Row) and not row.met]
    absent = [row.name for row in rows if isinstance(row, Absent)]
    print(f"\n{len(rows) - len(missed) - len(absent)} met, {len(missed)} missed, {len(absent)} not measured")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
