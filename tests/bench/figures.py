"""Figures and how they are printed: what was measured, beside its yardstick of the same run, beside what is to be reached."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One line. `met` is None where nothing is to be reached; it is printed and never fails anything."""

    what: str
    measured: str
    beside: str = ""
    ratio: str = ""
    reach: str = ""
    met: bool | None = None


def quantile(values: Sequence[float], q: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def ms(seconds: float) -> str:
    return (
        f"{seconds * 1000:.2f} ms"
        if seconds < 0.01
        else f"{seconds * 1000:.1f} ms"
        if seconds < 1
        else f"{seconds:.2f} s"
    )


def spread(values: Sequence[float]) -> str:
    """Seconds as p50 / p95 / p99."""
    return " / ".join(ms(quantile(values, q)) for q in (0.5, 0.95, 0.99))


def mb(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


def times(a: float, b: float) -> str:
    return f"× {a / b:.2f}" if b else ""


def show(title: str, figures: Iterable[Figure]) -> str:
    """The table as text."""
    verdict = {True: "reached", False: "MISSED", None: ""}
    rows = [("", "measured", "yardstick, same run", "ratio", "to reach", "")]
    rows += [(*figure[:5], verdict[figure.met]) for figure in figures]
    widths = [max(_width(row[column]) for row in rows) for column in range(6)]
    lines = ["  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"== {title}", *lines, ""])


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
