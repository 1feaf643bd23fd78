"""See `_render.c`."""

from collections.abc import Mapping
from typing import Any

def written(parts: tuple[Any, ...], hrefs: Mapping[int, str], /) -> tuple[str, str]: ...
