"""Builds the compiled twins. Where that fails, as without a C compiler, Python does their work."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "gossamer.convert._scan",
            ["src/gossamer/convert/_scan.c"],
            depends=glob("src/gossamer/convert/scanner/*.h"),
            optional=True,
        ),
        Extension(
            "gossamer.convert.content._score",
            ["src/gossamer/convert/content/_score.c"],
            libraries=["m"],
            extra_compile_args=["-O3"],
            optional=True,
        ),
    ]
)
