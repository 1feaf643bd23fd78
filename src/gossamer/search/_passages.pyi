"""See `_passages.c`."""

def parts(
    places: bytes, weights: tuple[float, ...], width: int, limits: tuple[float, float, int, int, int], /
) -> tuple[float, list[tuple[int, int, frozenset[int], float]]]: ...
