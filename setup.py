"""Builds the compiled twins of what is slow in Python. Where that fails, as without a C compiler, Python does it.

The manual page is made from the parser, which needs nothing but Python's own library.

A wheel that is made for others must have them all: `make wheel` sets GOSSAMER_COMPILED=all, and a failure is one.
"""

import os
import sys
from collections.abc import Sequence
from glob import glob
from pathlib import Path

from setuptools import Extension, setup

ROOT = "src/gossamer"
"""Headers of other rooms are included by their path from here."""


def compiled(name: str, headers: Sequence[str] = (), **more: list[str]) -> Extension:
    """A module by its path, and folders with the headers that it is made of."""
    return Extension(
        f"gossamer.{name.replace('/', '.')}",
        [f"{ROOT}/{name}.c"],
        include_dirs=[ROOT],
        py_limited_api=True,
        depends=[header for folder in headers for header in glob(f"{ROOT}/{folder}/*.h")],
        optional=os.environ.get("GOSSAMER_COMPILED") != "all",
        **more,
    )


def manual_page() -> str:
    """The file with the manual page."""
    sys.path.insert(0, "src")
    from gossamer.cli.guide import manual
    from gossamer.cli.options import parser

    page = Path("build/gossamer.1")
    page.parent.mkdir(exist_ok=True)
    page.write_text(manual(parser()), encoding="utf-8")
    return str(page)


TAGGED, SCANNER, WRITER = "tagged", "convert/html/scanner", "convert/render/writer"

setup(
    ext_modules=[
        compiled("tagged/_plain", [TAGGED]),
        compiled("urls/_distinct", [TAGGED]),
        compiled("convert/_unseen"),
        compiled("convert/html/_scan", [TAGGED, SCANNER]),
        compiled("convert/content/_score", ["convert/content/scorer"], libraries=["m"], extra_compile_args=["-O3"]),
        compiled("convert/render/_render", [TAGGED, SCANNER, WRITER]),
        compiled("dedupe/_prints", [TAGGED]),
        compiled("frontier/worth/_newness"),
        compiled("graph/_sweep"),
        compiled("index/_words", [TAGGED, "index/reducer"], extra_compile_args=["-O3"]),
        compiled("search/_passages"),
    ],
    data_files=[("share/man/man1", [manual_page()])],
    options={
        "bdist_wheel": {"py_limited_api": "cp311"},  # one wheel for this version of Python and all after it
        "build_ext": {"parallel": os.cpu_count() or 1},
    },
)
