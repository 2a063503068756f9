"""How long methods take and how often they fail: a window of the last calls of each, for `status` and the metrics file."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

WINDOW = 512


class Measures:
    """Milliseconds. `p50` and `p95` speak of the last `WINDOW` calls, counts of all since the start."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=WINDOW))
        self._counts: dict[tuple[str, str], int] = defaultdict(int)

    def observe(self, method: str, seconds: float, code: str) -> None:
        self._times[method].append(seconds * 1000)
        self._counts[method, code] += 1

    def summary(self) -> dict[str, dict[str, Any]]:
        return {
            method: {
                "calls": sum(n for (name, _), n in self._counts.items() if name == method),
                "errors": sum(n for (name, code), n in self._counts.items() if name == method and code != "ok"),
                "p50_ms": _quantile(times, 0.50),
                "p95_ms": _quantile(times, 0.95),
            }
            for method, times in sorted(self._times.items())
        }

    def write(self, path: str, gauges: Mapping[str, float]) -> None:
        """The metrics as a file for node_exporter's textfile collector, replaced whole."""
        lines: list[str] = []
        for name, value in sorted(gauges.items()):
            lines += [f"# TYPE memd_{name} gauge", f"memd_{name} {value:g}"]
        rows = self.summary()
        for name in ("calls", "errors"):
            lines.append(f"# TYPE memd_{name}_total counter")
            lines += [f'memd_{name}_total{{method="{method}"}} {row[name]}' for method, row in rows.items()]
        lines.append("# TYPE memd_duration_ms gauge")
        for method, row in rows.items():
            lines.append(f'memd_duration_ms{{method="{method}",quantile="0.5"}} {row["p50_ms"]:g}')
            lines.append(f'memd_duration_ms{{method="{method}",quantile="0.95"}} {row["p95_ms"]:g}')
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        os.replace(temporary, path)


def _quantile(times: deque[float], q: float) -> float:
    ordered = sorted(times)
    return round(ordered[min(len(ordered) - 1, int(q * len(ordered)))], 2) if ordered else 0.0
