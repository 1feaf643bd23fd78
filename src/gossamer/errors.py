"""Our own mistakes and the user's, one tree. The web's faults are values: see `model.Failure`.

    GossamerError              exit code 1
    +-- UsageError             exit code 2   what was asked cannot be done as asked
    |   +-- InvalidURL                       an address that is none
    |   +-- InvalidPattern                   an include or exclude pattern that does not compile
    |   +-- InvalidPlan                      a setting that is unknown or out of range
    |   +-- InvalidQuery                     a question that cannot be answered as it is asked
    +-- NotACollection         exit code 3   the directory is missing, a file, or something else's
    +-- Locked                 exit code 4   another process is writing to it
    |   +-- Fenced                           another machine has taken over one of its shards
    +-- NothingFetched         exit code 5   not one page could be fetched
    +-- StorageError           exit code 6   disk full, failing, not writable; DIR moved; no memory, files or processes
    |   +-- StoreAway                        the store of its checkpoints does not answer, or takes nothing more
    +-- Damaged                exit code 7   the collection contradicts itself
    +-- NotFound               exit code 8   the collection does not know that address or host
    +-- DamagedInput           exit code 9   a file to import is missing, damaged or none; the rest was taken

`exit_code` is what the command line ends with. Interrupted work ends with 130.
"""

from __future__ import annotations

import errno

INTERRUPTED = 130
"""What interrupted work ends with."""


class GossamerError(Exception):
    """Something a person can act on; the message names the cure."""

    exit_code = 1


class UsageError(GossamerError):
    """What was asked cannot be done as asked."""

    exit_code = 2


class InvalidURL(UsageError):
    """An address that is none."""


class InvalidPattern(UsageError):
    """An include or exclude pattern that does not compile."""


class InvalidPlan(UsageError):
    """A setting that is unknown or out of range."""


class InvalidQuery(UsageError):
    """A question that cannot be answered as it is asked."""


class NotACollection(GossamerError):
    """The directory is missing, a file, or something else's."""

    exit_code = 3


class Locked(GossamerError):
    """Another process is writing to the collection."""

    exit_code = 4


class Fenced(Locked):
    """Another machine has taken over a shard: what is done here counts no more."""


class NothingFetched(GossamerError):
    """Not one seed could be fetched."""

    exit_code = 5


class StorageError(GossamerError):
    """Disk full, failing or not writable; the directory was moved meanwhile; no memory, files or processes left."""

    exit_code = 6


class StoreAway(StorageError):
    """The store of checkpoints does not answer, fails, or is full. It may be back in a moment."""


class Damaged(GossamerError):
    """The collection contradicts itself."""

    exit_code = 7


class NotFound(GossamerError):
    """The collection does not know that address or host."""

    exit_code = 8


class DamagedInput(GossamerError):
    """A file to import is missing, damaged or of another kind; what could be read was taken."""

    exit_code = 9


_GO_ON = "then go on: what was stored is kept"
_LACKS = {
    errno.EMFILE: f"no more files can be opened; raise the limit (`ulimit -n 4096`) or give fewer --workers, {_GO_ON}",
    errno.ENFILE: f"the machine has too many open files; end something else, {_GO_ON}",
    errno.ENOMEM: f"the machine is out of memory; end something else, {_GO_ON}",
    errno.ENOBUFS: f"the machine is out of memory for connections; end something else, {_GO_ON}",
    errno.ENOSPC: f"the disk is full; free some space, {_GO_ON}",
    errno.EDQUOT: f"the disk quota is used up; free some space, {_GO_ON}",
    errno.EIO: f"the disk fails; see what the system's log says of it, {_GO_ON}",
    errno.EROFS: f"the disk is read-only; mount it so that it can be written, {_GO_ON}",
    errno.EAGAIN: f"the machine lacks processes or memory; end something else, {_GO_ON}",
}


def shortage(error: BaseException, path: object = None) -> StorageError | None:
    """What this machine lacks, with the cure; None for every other fault. It is no verdict on any page or host."""
    words = _LACKS.get(error.errno or 0) if isinstance(error, OSError) else None
    named = path or (error.filename if isinstance(error, OSError) and isinstance(error.filename, str) else None)
    return StorageError(f"{named}: {words}" if named else words) if words else None
