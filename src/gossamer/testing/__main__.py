"""Serve a made web on loopback as a process of its own, and log what is asked of it."""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path
from typing import Any

from gossamer.errors import UsageError
from gossamer.testing import Log, MadeWeb, WebSpec
from gossamer.testing.spec import from_settings, settings

_EPILOG = "Every other option is a setting of WebSpec; docs/testing.md says what they mean."


def main() -> None:
    """Print one line of JSON when ready, then serve until SIGTERM or SIGINT."""
    parser = _parser()
    options = vars(parser.parse_args())
    log_file, port = options.pop("log"), options.pop("port")
    try:
        spec = from_settings({name: _value(given) for name, given in options.items()})
        _serve(MadeWeb(spec, log=Log(log_file)), port)
    except (UsageError, OSError) as error:
        parser.error(str(error))


def _serve(web: MadeWeb, port: int) -> None:
    stops = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    with web.serve(port) as served:
        print(json.dumps({"port": served.spec.port, "seed": served.seed}), flush=True)
        signal.sigwait(stops)
    web.log.close()


def _value(given: Any) -> Any:
    """argparse makes lists of ranges."""
    return tuple(given) if isinstance(given, list) else given


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gossamer.testing", description=__doc__, epilog=_EPILOG)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append every request to it, as JSON lines")
    for name, value in settings(WebSpec(names="ip")).items():
        if name != "port":
            _add_option(parser, name, value)
    return parser


def _add_option(parser: argparse.ArgumentParser, name: str, value: object) -> None:
    """One option for each setting of `WebSpec`: `--hosts 5`, `--errors.busy 0.1`, `--words 60 240`."""
    option: dict[str, Any] = {"type": type(value), "metavar": type(value).__name__.upper()}
    if isinstance(value, bool):
        option = {"action": "store_true"}
    elif isinstance(value, tuple):
        option = {"type": type(value[0]), "nargs": 2, "metavar": ("LOW", "HIGH")}
    parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default=value, **option)


if __name__ == "__main__":
    main()
