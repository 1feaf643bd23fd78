"""Builds the compiled twins of what is slow in Python. Where that fails, as without a C compiler, Python does it."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "gossamer.tagged._plain",
            ["src/gossamer/tagged/_plain.c"],
            depends=["src/gossamer/convert/render/writer/plain.h", "src/gossamer/convert/render/writer/types.h"],
            optional=True,
        ),
        Extension(
            "gossamer.convert.html._scan",
            ["src/gossamer/convert/html/_scan.c"],
            depends=glob("src/gossamer/convert/html/scanner/*.h"),
            optional=True,
        ),
        Extension(
            "gossamer.convert.content._score",
            ["src/gossamer/convert/content/_score.c"],
            libraries=["m"],
            extra_compile_args=["-O3"],
            optional=True,
        ),
        Extension(
            "gossamer.convert.render._render",
            ["src/gossamer/convert/render/_render.c"],
            depends=[*glob("src/gossamer/convert/render/writer/*.h"), "src/gossamer/convert/html/scanner/white.h"],
            optional=True,
        ),
        Extension("gossamer.dedupe._prints", ["src/gossamer/dedupe/_prints.c"], optional=True),
        Extension("gossamer.graph._sweep", ["src/gossamer/graph/_sweep.c"], optional=True),
        Extension("gossamer.index._words", ["src/gossamer/index/_words.c"], optional=True),
    ]
)
