"""Verbs that report on all addresses: which are there, which are broken, which have changed. A line for each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import gossamer
from gossamer.cli.answers import cut
from gossamer.cli.out import complain, say, say_json
from gossamer.shown import line

if TYPE_CHECKING:
    from gossamer.collection.ask.addresses import Address


def list_(options: argparse.Namespace) -> int:
    """Print addresses as they are read: there may be millions."""
    nothing = True
    with gossamer.open(options.dir) as collection:
        for each in collection.addresses(state=options.state, reason=options.reason, site=options.site):
            nothing = False
            if options.json:
                say_json(each.as_json())
            else:
                say(_address(each))
    if nothing:
        complain("no address is like that; `gossamer status DIR` counts what there is".replace("DIR", options.dir))
    return 0


def _address(each: Address) -> str:
    """The state, what the server answered, the address, and the reason where it says more."""
    words = f"  {cut(each.reason)}" if each.reason not in ("", f"http {each.status}") else ""
    return f"{each.state:<8}  {each.status or '-':>3}  {line(each.url)}{words}"
