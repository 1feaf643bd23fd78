"""How all tests run: property tests draw the same examples every time, and no clock judges them on a busy machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
