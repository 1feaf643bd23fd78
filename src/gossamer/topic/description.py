"""What did somebody write about a topic? Words, examples and counter-examples, any mix, in one plain text.

    # lines that begin with # are left out
    Keeping bees: hives, honey, queens and swarms.
    + https://example.org/hives         # a page on topic
    + notes/swarms.html                 # a file on topic, beside this one
    - https://example.org/cars          # a page that is not

All other lines are the description. A folder may be named instead: its `topic.txt` is such a text, the files in `for`
are examples, those in `against` counter-examples; each may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 1 << 20
"""Characters of the text of a topic."""
EXAMPLES_MOST = 200
"""Examples, and as many counter-examples."""
TEXT_FILE, FOR, AGAINST = "topic.txt", "for", "against"
"""What is looked for in a folder."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a topic is learned from. Examples are addresses or names of files."""

    words: str = ""
    examples: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.examples)


def described(text: str) -> Description:
    """What the text of a topic says."""
    lines: list[str] = []
    examples: list[str] = []
    against: list[str] = []
    for line in text.removeprefix("\ufeff")[:LONGEST].splitlines():
        sign, rest = line[:2], line[2:].strip()
        if line.lstrip().startswith("#"):
            continue
        if sign in ("+ ", "- ") and rest:
            (examples if sign == "+ " else against).append(rest.split(" #")[0].strip())
        else:
            lines.append(line.strip())
    return Description(
        "\n".join(filter(None, lines)),
        tuple(dict.fromkeys(examples))[:EXAMPLES_MOST],
        tuple(dict.fromkeys(against))[:EXAMPLES_MOST],
    )


def is_address(example: str) -> bool:
    """Is it the address of a page, and not the name of a file?"""
    return example.startswith(("http://", "https://"))
