"""Reads pages that are made to take all memory or time there is. Run by a test, in a process with limits."""

from __future__ import annotations

import resource
from collections.abc import Iterator

from gossamer.convert.html.scan import scan

MANY = 300_000


def pages() -> Iterator[tuple[str, bytes]]:
    """A name for each and its bytes. Each follows a rule of the HTML standard that costs its square."""
    yield "a million elements inside each other", b"<div>" * 1_000_000 + b"<a href=x>y</a>"
    for tag in (b"<div>", b"<ul><li>", b"<b>", b"<svg>", b"<pre>", b"<noscript>", b"<select><option>", b"<template>"):
        yield f"{tag.decode()} inside each other", tag * MANY
    yield "a million attributes", b"<a " + b" ".join(b"x%d=1" % n for n in range(1_000_000)) + b">y</a>"
    yield "formatting not closed", b"".join(b"<p><font size=%d>x" % n for n in range(MANY))
    yield (
        "formatting closed where it does not count",
        b"".join(b"<p><font size=%d><object></font></object>x" % n for n in range(MANY)),
    )
    yield "formatting before blocks", b"".join(b"<i a=%d>" % n for n in range(MANY)) + b"<p>x" * MANY
    yield "a small page of formatting", b"".join(b"<p><u a=%d>x" % n for n in range(3_000))
    yield "long attributes in every paragraph", b"<b class='" + b"x1 " * MANY + b"'>" + b"<p>x" * MANY
    yield "long attributes beside each other", b"<b x='" + b"y" * MANY + b"'><b y><b z>" + b"<b w></b>" * MANY
    yield "formatting around a long block", b"<b><i><u><s><div>" + b"<br>" * MANY + b"</s></u></i></b>" * 8
    yield "links inside links", b"".join(b"<a href=%d>text<table><td>" % n for n in range(MANY))
    yield "pictures in links", b"<a href=x><img></a>" * MANY
    yield "options", b"<select><selectedcontent></selectedcontent>" + b"<option>x" * MANY
    yield "end tags of nothing", b"<span>" * MANY + b"</i>" * MANY
    yield "attributes of the body", b"".join(b"<body a%d>" % n for n in range(MANY))
    yield "comments", b"<!--" * MANY
    yield "one text", b"word " * 10_000_000
    yield "one line of white space", b"<p>" + b" \n\t" * 1_000_000
    yield "a line of entities", b"&amp" * 1_000_000
    yield "zero bytes", b"\0<\0" * MANY
    yield "one tag", b"<a" * 2_000_000


def main() -> None:
    """Print the name of each page before it is read: the last one printed is the one that failed."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    for name, data in pages():
        print(name, flush=True)
        scan(data, "UTF-8").text.encode()


if __name__ == "__main__":
    main()
