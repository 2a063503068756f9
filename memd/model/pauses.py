"""How long to wait before what failed is tried again."""

from __future__ import annotations

HIGHEST = 30
"""Doublings that are counted: what fails for weeks must not outgrow a float."""


def doubling(first: float, last: float, failures: int) -> float:
    """`first` seconds after one failure, doubled with each further one, `last` at most; 0 where nothing failed."""
    return min(last, first * 2 ** min(failures - 1, HIGHEST)) if failures else 0.0
