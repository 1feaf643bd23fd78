"""What does a command give that nobody else may see? Header fields, cookies, and a password that is asked for."""

from __future__ import annotations

import argparse
import os
import sys
from getpass import getpass

from gossamer.collection import Credentials
from gossamer.errors import UsageError

PASSWORD = "GOSSAMER_PASSWORD"
"""The variable of the environment that holds it."""


def credentials(options: argparse.Namespace) -> Credentials:
    """As they were given; the password comes from the environment, or from whoever sits at the terminal."""
    sent = options.header or options.cookie or options.auth is not None
    if options.send_to and not sent:
        raise UsageError("--send-to says where a --header, --cookie or --auth goes, and none is given")
    auth = (options.auth, _password(options.auth)) if options.auth is not None else None
    return Credentials(tuple(options.header or ()), options.cookie, auth, options.login, tuple(options.send_to or ()))


def _password(user: str) -> str:
    if ":" in user:
        raise UsageError(
            "--auth takes the name alone: what stands in a command can be seen by all users of this machine;"
            f" the password comes from {PASSWORD} of the environment, or is asked for"
        )
    given = os.environ.pop(PASSWORD, None)  # no process that is started from here needs it
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise UsageError(f"--auth {user}: there is no terminal to ask for the password; set {PASSWORD}")
    return getpass(f"password of {user}: ")
