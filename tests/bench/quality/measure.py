"""Recall and reciprocal rank of an order against its gold, and tables of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence


class Table:
    """Rows of means. `ks` are the depths of recall."""

    def __init__(self, title: str, ks: tuple[int, ...], rank: bool = True) -> None:
        self.title, self.ks = title, ks
        self.rows: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))

    def count(self, row: str, order: Sequence[str], gold: Sequence[str], category: str = "") -> None:
        places = {id: at for at, id in reversed(list(enumerate(order)))}
        ranks = [places.get(id, 1 << 30) for id in gold]
        values = [sum(rank < k for rank in ranks) / len(ranks) for k in self.ks]
        values.append(1 / (1 + min(ranks)))
        for name in dict.fromkeys(("", category)):
            self.rows[row][name].append(values)

    def mean(self, row: str, category: str = "") -> list[float]:
        found = self.rows[row][category]
        return [sum(column) / len(found) for column in zip(*found, strict=True)] if found else []

    def shown(self) -> str:
        heads = [f"R@{k}" for k in self.ks] + ["MRR"]
        categories = sorted({name for found in self.rows.values() for name in found if name})
        width = max([len(row) for row in self.rows] + [24])
        head = f"{self.title:{width}}  " + "  ".join(f"{name:>5}" for name in heads)
        head += "".join(f"   cat {name} R@{self.ks[0]}/{self.ks[1]}" for name in categories)
        lines = [head]
        for row in self.rows:
            line = f"{row:{width}}  " + "  ".join(f"{value:5.3f}" for value in self.mean(row))
            for name in categories:
                some = self.mean(row, name)
                line += f"   {some[0]:9.3f}/{some[1]:.3f}" if some else ""
            lines.append(line)
        asked = max(len(found[""]) for found in self.rows.values())
        return "\n".join([*lines, f"{asked} questions"])
