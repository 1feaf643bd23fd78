"""ReplayWeb.page, the player of archives in a browser, from npm; and a server for it that gives parts of files."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

PLAYER = "replaywebpage@2.4.6"
"""Its files are built: none of the packages that it names are needed."""
LOCAL = "127.0.0.1"


class Ranges(SimpleHTTPRequestHandler):
    """Files of a folder, also in part, as the player asks for them."""

    def do_GET(self) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            super().do_GET()
            return
        data = path.read_bytes()
        first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(data[first : last + 1])

    def log_message(self, format: str, *args: object) -> None:
        pass


def unpacked(folder: Path) -> Path:
    """The folder of its files."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing; `apt-get install npm` brings it")
    fetched = subprocess.run([npm, "pack", PLAYER], cwd=folder, capture_output=True, timeout=120, check=False)
    if fetched.returncode:
        pytest.skip(f"npm does not give {PLAYER}: {fetched.stderr.decode()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of a folder."""
    with ThreadingHTTPServer((LOCAL, 0), partial(Ranges, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{LOCAL}:{server.server_port}"
        finally:
            server.shutdown()
