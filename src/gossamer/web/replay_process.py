"""The replay of a collection, as a process of its own: pywb, the replay tool of the field.

Pages are shown as they were with their scripts running. For that every address in a page, in its styles and in its
scripts has to be rewritten, and what scripts make of addresses while they run as well; pywb brings the rewriting that
archives have mended for a decade. One of our own without it could only show pages in which nothing runs, as `cached`
does. It is an extra, and patches the whole process for gevent, so it has a process of its own.

Its rewriting is no barrier: a script may find a way around it. So three things hold besides. Every answer has a policy
that lets the browser load from this server alone, whatever the page asks for. Nothing else is on this server, and it
has neither passwords nor cookies of ours. And requests for another name than that of this machine are refused, so that
no page of the web can make itself a part of it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from gevent.monkey import patch_all

patch_all()

from gevent import get_hub  # noqa: E402  # patched before anything else is loaded, as gevent asks for
from gevent.pywsgi import WSGIServer  # noqa: E402  # as above
from pywb.apps.frontendapp import FrontEndApp  # noqa: E402  # as above

Environ: TypeAlias = dict[str, Any]
Application: TypeAlias = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

READY = "ready"
"""The line that says so; pywb may say something before."""
LOCAL = frozenset(("localhost", "127.0.0.1"))
NAMED = re.compile(r"([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
"""What a Host field may be; pywb makes addresses of it, and falls over all else."""
POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'self'; base-uri 'self'; "
    "frame-ancestors 'self'"
)
FIELDS = [
    ("Content-Security-Policy", POLICY),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
]


def guarded(application: Application) -> Application:
    """The same for this machine alone, and with our policy in each answer."""

    def answer(environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        named = NAMED.fullmatch(environ.get("HTTP_HOST", ""))
        if named is None:
            start("400 Bad Request", [("Content-Type", "text/plain")])
            return [b"The Host field is no name and port.\n"]
        if named[1].lower() not in LOCAL:
            start("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"This server answers to localhost and 127.0.0.1 only.\n"]

        def started(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            ours = {name.lower() for name, _ in FIELDS}
            return start(status, [*(each for each in headers if each[0].lower() not in ours), *FIELDS], *more)

        return application(environ, started)

    return answer


def main(handle: str, settings: str) -> None:
    """Serve on the socket that was handed over until the other end of the input is gone."""
    logging.disable(logging.ERROR)
    listener = socket.socket(fileno=int(handle))
    server = WSGIServer(listener, guarded(FrontEndApp(custom_config=json.loads(settings))), log=None)
    server.start()
    print(READY, flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # a line for each request; up to here, for faults
    get_hub().threadpool.spawn(sys.stdin.buffer.read).get()  # in a thread: it would hold up all that is served
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
