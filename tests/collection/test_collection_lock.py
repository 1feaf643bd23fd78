"""A collection whose writer was killed can be had again, as soon as its shards are gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.collection.lock import exclusive
from gossamer.errors import Locked

SUPERVISOR = """
import os, sys
from pathlib import Path
from gossamer.collection.lock import exclusive

with exclusive(Path(sys.argv[1])) as lock:
    if os.fork() == 0:  # a shard has a copy of the lock
        print("born", flush=True)
        sys.stdin.read()
        os._exit(0)
    sys.stdin.read()
"""


def test_who_comes_after_a_kill_waits_for_the_orphans_though_nobody_has_buried_the_dead(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"born\n"
    with pytest.raises(Locked, match=f"process {holder.pid}"), exclusive(tmp_path):
        pass
    holder.kill()  # and not waited for: it stays a zombie
    next_one = subprocess.Popen([sys.executable, "-c", WAITING, str(tmp_path)], stdout=subprocess.PIPE)
    assert next_one.stdout is not None
    assert next_one.stdout.readline() == b"waiting\n"
    holder.stdin.close()
    assert next_one.stdout.read() == b"mine\n"
    assert next_one.wait(30) == 0
    holder.wait()
    for stream in (holder.stdout, next_one.stdout):
        stream.close()


WAITING = """
import sys
from pathlib import Path
from gossamer.collection.lock import exclusive

print("waiting", flush=True)
with exclusive(Path(sys.argv[1])):
    print("mine", flush=True)
"""
