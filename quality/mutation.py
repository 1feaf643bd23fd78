"""Which small changes could a slip of the hand make to a module? Each is one place of its syntax tree, written anew.

The operators are those of mutation testing since DeMillo, Lipton and Sayward (1978): a comparison moved by one, a
condition turned round, a number that is off, a call or an assignment left out. Words that only people read
(docstrings, messages, annotations) are left alone.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice
from random import Random

COMPARED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
COMPUTED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*"}
EXTREMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
UNSEEN = {"TypeAlias", "TypeVar", "NewType", "getLogger"}
"""Calls whose arguments no caller of the module ever sees."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of a module, and what is put there instead."""

    line: int
    start: int
    end: int
    """Offsets in the bytes of the module."""
    was: str
    instead: str

    def __str__(self) -> str:
        return f"`{_short(self.was)}` -> `{_short(self.instead)}`"

    def applied(self, source: str) -> str:
        """The module with this change."""
        data = source.encode()
        return (data[: self.start] + self.instead.encode() + data[self.end :]).decode()


def changes(source: str) -> list[Change]:
    """All changes that could be made to a module, in the order of its lines; a few leave one that does not compile."""
    made = _Changes(source)
    made.visit(ast.parse(source))
    return sorted(set(made.found), key=lambda each: (each.start, each.end, each.instead))


def drawn(source: str, most: int, by: Random) -> list[Change]:
    """So many of them at random, all of which leave a module that compiles."""
    possible = changes(source)
    shuffled = by.sample(possible, len(possible))
    compiling = (each for each in shuffled if _compiles(each.applied(source)))
    return sorted(islice(compiling, most), key=lambda each: each.start)


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= 60 else line[:57] + "..."


class _Changes(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line.encode()))
        self.found: list[Change] = []

    def _add(self, node: ast.expr | ast.stmt, instead: str) -> None:
        start, end = self._span(node)
        self.found.append(Change(node.lineno, start, end, self._data[start:end].decode(), instead))

    def _words(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._data[start:end].decode()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    # ------------------------------------------------------------- what is left alone

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in (*node.args.defaults, *(each for each in node.args.kw_defaults if each)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Whether it is raised is seen; what it says is for people."""
        self._add(node, "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        """It tells a type checker what we know."""

    def visit_If(self, node: ast.If) -> None:
        if self._words(node.test) == "TYPE_CHECKING":
            return
        self._add(node.test, f"not ({self._words(node.test)})")
        self.generic_visit(node)

    # ------------------------------------------------------------- what is changed

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._add(node.test, "False")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node.test, f"not ({self._words(node.test)})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            left, right = self._words(node.left), self._words(node.comparators[0])
            self._add(node, f"{left} {COMPARED[type(node.ops[0])]} {right}")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COMPUTED and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            self._add(node, f"{self._words(node.left)} {COMPUTED[type(node.op)]} {self._words(node.right)}")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = " or " if isinstance(node.op, ast.And) else " and "
        self._add(node, f"({other.join(self._words(each) for each in node.values)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, f"({self._words(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        match node.value:
            case bool(value):
                self._add(node, repr(not value))
            case int(value):
                self._add(node, str(value + 1 if value < 10 else 2 * value))
            case float(value):
                self._add(node, repr(value * 2 + 1))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in UNSEEN:
            return
        if isinstance(node.func, ast.Name) and name in EXTREMES:
            self._add(node.func, EXTREMES[name])
        for part in (node.func, *node.args, *(each for each in node.keywords if each.arg != "strict")):
            self.visit(part)  # `strict=` asserts what we know, as `assert` does

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            if self._words(call).startswith("log."):
                return
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self._add(node, "pass")
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass")
        self.visit(node.value)

    def visit_Delete(self, node: ast.Delete) -> None:
        self._add(node, "pass")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self._add(node, "return None")
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "break")
