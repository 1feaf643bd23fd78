"""The command line: a thin face over Collection, the same verbs.

Ctrl-C while it is loaded ends the process at once and says nothing: nothing has begun yet, and a list of modules tells
nobody anything. From then on `main` hears interrupts.
"""

from __future__ import annotations

import signal
import threading

_is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
_is_ours = _is_ours and threading.current_thread() is threading.main_thread()
if _is_ours:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    from gossamer.cli.main import main
finally:
    if _is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["main"]
