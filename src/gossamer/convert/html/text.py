"""The words of a document, without its markup: a line for each block, white space collapsed, pre kept as it is.

What flows in a line is unwrapped, so that the text of a block becomes one node; then the parser itself gathers the
text of all nodes, with a mark between them. That is twice as fast as walking over the nodes in Python. Scripts,
styles, the head, and what is shown only by browsers that lack something, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.convert.html.tree import TEXT, Node, Tree, tag_ids

BLOCKS = tag_ids(
    "address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol"
    " optgroup option p search section select summary table tbody td tfoot th thead tr ul"
)
"""Elements that begin a line and end one; pre is another."""
PRE = tag_ids("pre")
SILENT = tag_ids("script style title iframe noembed noframes noscript textarea")
"""Elements whose text is not for reading here. They hold one text node and nothing else, but for drawings."""
LEFT_OUT = tag_ids("svg audio video canvas")
"""Elements that are left out with all that is in them."""

_BETWEEN = "\0"  # cannot be in a parsed document
_KEPT = "\2"


def silence(node: Node) -> None:
    """Take the text out of one of the `SILENT`."""
    child = node.first_child
    if child is not None and child.tag_id == TEXT:
        child.decompose()


def text_of(tree: Tree, flowing: Iterable[Node], apart: list[Node]) -> str:
    """The text of a document's body. Takes the tree apart: nothing else can be read from it afterwards.

    `apart` are the elements of `PRE` and `LEFT_OUT`, in document order. `flowing` is all the rest that is neither
    text nor a block: comments too, which would part words.
    """
    body = tree.body
    if body is None:
        return ""
    for node in flowing:
        node.unwrap(delete_empty=True)
    for node in reversed(apart):  # the inner before the outer: taking one out frees all that is in it
        if node.tag_id in LEFT_OUT:
            node.decompose()
        elif (first := node.first_child) is not None:
            first.insert_before(_KEPT)
    body.merge_text_nodes()
    return tidy(body.text(separator=_BETWEEN, skip_empty=True))


def tidy(raw: str) -> str:
    """Lines out of what the parser gathered."""
    flat, *others = raw.replace("\xa0", " ").split(_KEPT)
    lines = [_collapsed(flat)]
    for other in others:
        kept, _, flat = other.partition(_BETWEEN)
        lines += (kept.rstrip(), _collapsed(flat))
    return "\n".join(filter(None, lines))


def _collapsed(text: str) -> str:
    """Whole strings at a time: taking them apart into words would cost as much as parsing."""
    text = " ".join(filter(None, map(str.strip, text.split("\n")))).replace("\t", " ")
    if "  " in text:
        text = " ".join(filter(None, map(str.strip, text.split("  "))))
    return "\n".join(filter(None, map(str.strip, text.split(_BETWEEN))))
