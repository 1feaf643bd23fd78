"""How is a collection shown as it was, with its scripts running? By pywb, in a process and an origin of its own.

pywb reads the WARC files where they lie, in all shards; what it needs besides is an index, which is made at the start:
what a crawl brings meanwhile is there with the next start.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from gossamer.collection import Collection
from gossamer.collection.ask.export import to_path
from gossamer.engine import proc
from gossamer.errors import GossamerError, UsageError
from gossamer.files import scratch
from gossamer.urls.seeds import address
from gossamer.web.serving import LOCAL, listening

NAME = "web"
"""Of the collection, in addresses."""
PORT = 8370
PATIENCE = 5.0
"""Seconds that it has to end."""
READY = b"ready\n"
"""What it says when it is; see `replay_process`."""


def require() -> None:
    """UsageError where pywb is missing."""
    if importlib.util.find_spec("pywb") is None:
        raise UsageError("replay needs pywb: `pip install '.[replay]'` where you cloned Gossamer brings it")


@contextmanager
def replaying(path: Path, port: int | None = None) -> Iterator[str]:
    """The address at which a collection is replayed meanwhile."""
    require()
    with TemporaryDirectory(prefix=scratch.prefix(), ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with Collection(path) as web:
            if web.plan.folders:
                raise UsageError(
                    f"{path} has files of this machine, which no web has sent; `gossamer serve` shows them"
                )
            shards = max(web.plan.shards, 1)
            to_path(lambda out: web.export("cdxj", out), folder / "index.cdxj")
        captures = [f"{(path / 'shards' / f'{shard:02}' / 'captures').resolve()}/" for shard in range(shards)]
        web_files = {"index_paths": str(folder / "index.cdxj"), "archive_paths": captures}
        settings = json.dumps({"collections": {NAME: web_files}, "enable_memento": True})
        with listening(LOCAL, port, PORT) as listener:
            handle = listener.fileno()
            command = (sys.executable, "-W", "ignore", "-m", "gossamer.web.replay_process", str(handle), settings)
            process = subprocess.Popen(
                command,
                cwd=folder,
                pass_fds=(handle,),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            try:
                _await(process)
                yield f"http://localhost:{listener.getsockname()[1]}/{NAME}/"
            finally:
                _end(process)


def replay(path: Path, port: int | None, say: Callable[[str, str], None]) -> None:
    """Until somebody stops it. `say` hears the address, and that of the first seed."""
    with replaying(path, port) as there:
        with Collection(path) as web:
            seed = next(iter(web.plan.seeds), "")
        say(there, f"{there}{address(seed)}" if seed else "")
        with suppress(KeyboardInterrupt):
            _forever()


def _forever() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    while True:
        signal.pause()


def _await(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    if READY not in process.stdout:
        process.kill()
        raise GossamerError("pywb did not start; what it says is above")


def _end(process: subprocess.Popen[bytes]) -> None:
    proc.see_off(process, PATIENCE)
    assert process.stdout is not None
    process.stdout.close()
