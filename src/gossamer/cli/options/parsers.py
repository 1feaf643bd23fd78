"""How is a command line read? By argparse, with words where it would complain in its own."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from gossamer.cli import guide
from gossamer.cli.options.folding import folded, width
from gossamer.collection.ask.formats import FORMATS
from gossamer.errors import UsageError
from gossamer.printable import line


class Parser(argparse.ArgumentParser):
    """Repeats what it was given when it does not understand it: an address may come from anywhere."""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Where there is no room for an answer, that is said: argparse passes over it."""
        if file is sys.stdout:
            file.write(message)
            file.flush()
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """As always, but harmless, and with what may have been meant."""
        if form := re.match(r"argument FORMAT: invalid choice: '(.*?)' ", message):
            message = guide.no_format(form[1], FORMATS)
        if "arguments are required: " in message:
            message += self._lacks(message)
        option = re.search(r"unrecognized arguments: (?:.*? )??((--?[A-Za-z][\w-]*)\S*)", message)
        if option is not None:  # what stands behind it is left over only because of it
            message = f"unrecognized arguments: {option[1]}{self._other(option[2])}"
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice is not None:
            names = [name.strip("'") for name in choice[3].split(", ")]  # Python 3.13 puts them in no quotes
            message += guide.meant(choice[2], names)
            if Path(choice[2]).is_dir():
                message += f"; the directory comes after it, as in `{self.prog} {choice[1]} {choice[2]}`"
        verb = self.prog.partition(" ")[2].partition(" ")[0]
        more = f"`gossamer help {verb}` lists its options\n" if verb else ""
        self.exit(2, f"{self.prog}: error: {line(message)}\n{more}")  # and no usage, which would hide it

    def _lacks(self, message: str) -> str:
        """The end of a message that names what was left out."""
        is_here = Path("plan.toml").is_file() and Path("shards").is_dir()
        if "DIR" in message:
            return f"; you are in a collection, whose name is . here{self._written('.')}" if is_here else ""
        forms = f"; FORMAT is one of {', '.join(FORMATS)}" if "FORMAT" in message else ""
        return f"; the directory of the collection comes first{self._written('.' if is_here else 'DIR')}{forms}"

    def _written(self, folder: str = "DIR", address: str = "") -> str:
        """How its words are given, as the end of a message; nothing where it has no collection."""
        words = {each.dest: str(each.metavar or each.dest) for each in self._get_positional_actions()}
        if next(iter(words), "") != "dir":
            return ""
        words |= {name: address for name in ("seeds", "url", "subject") if address and name in words}
        return f", as in `{self.prog} {' '.join({**words, 'dir': folder}.values())}`"

    def _other(self, option: str) -> str:
        """What may stand in the place of an option that nobody knows here."""
        return guide.meant(option, guide.options_of(self))


class Top(Parser):
    """All commands, in groups."""

    whole: Callable[[], argparse.ArgumentParser]
    """The one with all of them, where this has only the one that was asked for."""

    def format_help(self) -> str:
        """A newcomer sees first what to begin with."""
        usage = "usage: gossamer COMMAND ...      gossamer help COMMAND"
        columns = width()
        parts = (
            usage,
            folded(str(self.description), columns),
            guide.commands(self, columns),
            folded(str(self.epilog), columns),
        )
        return "\n\n".join(parts) + "\n"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """An option that stands before the command belongs behind it."""
        given = list(sys.argv[1:] if args is None else args)
        if given and given[0].startswith("-") and given[0] not in self._option_string_actions:
            self.error(f"{given[0]}: options come after the command, as in `gossamer crawl DIR {given[0]}`")
        self._verb = given[0] if given else ""
        return super().parse_known_args(given, namespace)

    def _other(self, option: str) -> str:
        """It was given to a verb, and what another verb has is no help there."""
        return guide.no_option(option, self._verb, guide.verbs_of(self.whole()))

    def error(self, message: str) -> NoReturn:
        """One that names no command wants to know which there are."""
        if "required: COMMAND" in message:
            self.print_help()
            self.exit(2)
        unknown = re.match(r"argument COMMAND: invalid choice: '(.*?)' ", message)
        if unknown:
            message = guide.no_command(unknown[1], guide.verbs_of(self))
        super().error(message)


class Verb(Parser):
    """Several seeds or files may stand on both sides of an option, which argparse takes for a mistake."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Once more with options and words apart, where words were left over."""
        if self.worded and args is not None:
            args = self._sorted(args)
        found, rest = super().parse_known_args(args, namespace)
        self._require_folder(str(getattr(found, "dir", "")))
        if not rest or self._apart:
            return found, rest
        self._apart = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._apart = False

    def _require_folder(self, folder: str) -> None:
        """A path of its own would be made of an address, and named in all messages that follow."""
        if folder.startswith(("http://", "https://")):
            raise UsageError(f"{folder}: is an address, and the directory comes first{self._written('my-web', folder)}")

    _apart = False
    worded = False
    """Words may begin with a dash, as `-not` of a query does; options of one letter are those that are known."""

    def _sorted(self, args: Sequence[str]) -> list[str]:
        """Options and their values first, then words behind `--`."""
        given: list[str] = []
        words: list[str] = []
        rest = list(args)
        while rest and rest[0] != "--":
            first = rest.pop(0)
            action = self._option_string_actions.get(first)
            if action is not None:
                value = rest[:1] if action.nargs != 0 else []
                glued = first.startswith("--") and value  # a value may begin with a dash too
                given += [f"{first}={value[0]}"] if glued else [first, *value]
                del rest[: action.nargs != 0]
            else:
                (given if self._is_option(first) else words).append(first)
        return [*given, "--", *words, *rest[1:]]

    def _is_option(self, text: str) -> bool:
        """`git pull --rebase` is words; what is nearly an option of ours is a slip."""
        name = text.partition("=")[0]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        near = any(option.startswith(name) for option in known) or guide.meant(name, known)
        return bool(re.match(r"-n[-\d]", text) or (text.startswith("--") and near))
