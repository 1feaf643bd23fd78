"""How is the graph made of what is there now? Copies are found and marked first, over all shards."""

from __future__ import annotations

from contextlib import closing

from gossamer.collection.ask.searching import searcher
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.derive import copies as copying
from gossamer.collection.derive import copy_marks, graphs
from gossamer.collection.folder import Folder
from gossamer.errors import StorageError
from gossamer.plan import Plan


def link_up(folder: Folder, plan: Plan) -> None:
    """Make the graph: which pages are copies, ranks, and what pages are called by others."""
    with closing(ShardReaders(folder, plan)) as readers:
        copies = copying.found(readers)
        wrong = copy_marks.wrong(readers, copies.groups)
    copy_marks.put_right(folder, plan, wrong)
    with closing(ShardReaders(folder, plan)) as readers:
        language = searcher(folder, readers, None).languages[0]
        try:
            graphs.make(folder, readers.tables, language, copies)
        except OSError as error:
            raise StorageError(
                f"{error.filename or folder.graph}: {error.strerror};"
                f" `gossamer build {folder.path}` makes the graph again"
            ) from error
