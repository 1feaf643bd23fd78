"""Here or on many machines: run workers, carry their messages, restart those that die, see when all is quiet.

It knows nothing of the web: messages are bytes.
"""

from __future__ import annotations

from gossamer.engine.deaths import Deaths, WorkerLost, lost
from gossamer.engine.faces import SUPERVISOR, Seat, Supervisor, Work
from gossamer.engine.local import Crew, Outfit

__all__ = ["SUPERVISOR", "Crew", "Deaths", "Outfit", "Seat", "Supervisor", "Work", "WorkerLost", "lost"]
