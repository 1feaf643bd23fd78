"""Builds the compiled twin of the HTML reader. Where that fails, as without a C compiler, Python reads all pages."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "gossamer.convert._scan",
            ["src/gossamer/convert/_scan.c"],
            depends=glob("src/gossamer/convert/scanner/*.h"),
            optional=True,
        )
    ]
)
