"""How do workers run? It carries their messages, restarts those that die, and sees when all is quiet.

It knows nothing of the web: messages are bytes.
"""

from __future__ import annotations

from gossamer.engine.deaths import Deaths, WorkerLost, lost
from gossamer.engine.local import Crew, Outfit
from gossamer.engine.protocols import SUPERVISOR, Supervisor, Work, WorkerLink

__all__ = ["SUPERVISOR", "Crew", "Deaths", "Outfit", "Supervisor", "Work", "WorkerLink", "WorkerLost", "lost"]
