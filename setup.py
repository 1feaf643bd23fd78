"""Builds the compiled twins of what is slow in Python. Where that fails, as without a C compiler, Python does it.

A wheel that is made for others must have them all: `make wheel` sets GOSSAMER_COMPILED=all, and a failure is one.
"""

import os
from collections.abc import Sequence
from glob import glob

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


TAGGED, SCANNER, WRITER = "tagged", "convert/html/scanner", "convert/render/writer"

setup(
    ext_modules=[
        compiled("tagged/_plain", [TAGGED]),
        compiled("convert/_unseen"),
        compiled("convert/html/_scan", [TAGGED, SCANNER]),
        compiled("convert/content/_score", ["convert/content/scorer"], libraries=["m"], extra_compile_args=["-O3"]),
        compiled("convert/render/_render", [TAGGED, SCANNER, WRITER]),
        compiled("dedupe/_prints", [TAGGED]),
        compiled("graph/_sweep"),
        compiled("index/_words", [TAGGED, "index/reducer"]),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},  # one wheel for this version of Python and all after it
)
