"""Builds the compiled twins of what is slow in Python. Where that fails, as without a C compiler, Python does it."""

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
        depends=[header for folder in headers for header in glob(f"{ROOT}/{folder}/*.h")],
        optional=True,
        **more,
    )


TAGGED, SCANNER, WRITER = "tagged", "convert/html/scanner", "convert/render/writer"

setup(
    ext_modules=[
        compiled("tagged/_plain", [TAGGED]),
        compiled("convert/html/_scan", [TAGGED, SCANNER]),
        compiled("convert/content/_score", ["convert/content/scorer"], libraries=["m"], extra_compile_args=["-O3"]),
        compiled("convert/render/_render", [TAGGED, SCANNER, WRITER]),
        compiled("dedupe/_prints"),
        compiled("graph/_sweep"),
        compiled("index/_words"),
    ]
)
