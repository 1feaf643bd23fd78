"""Are there enough open files for a crawl? The soft limit is raised; a hard limit that is too low is said at once.

The processes that a crawl starts inherit what is set here.
"""

from __future__ import annotations

import resource

from gossamer.errors import StorageError

OTHERS = 384
"""What a process of a crawl has open besides its connections: the table up to 256 files, index, archive, pipes."""
PER_WORKER = 2
"""A visit that drips along does not count among the workers, and each may leave a connection open."""
ENOUGH = 65_536
"""What nobody needs more than; some systems allow a thousand million, and programs that count them all take long."""


def make_room(workers: int) -> None:
    """Raise the limit as far as it goes; StorageError when so many workers would meet it all the same."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    wanted = OTHERS + PER_WORKER * workers
    if most < wanted:
        raise StorageError(
            f"only {most:,} files may be open at once here, and {workers} workers need {wanted:,}; raise the limit"
            f" (`ulimit -n {wanted}`, as root or in a new login), or give fewer --workers"
        )
