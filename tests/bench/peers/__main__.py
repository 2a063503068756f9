"""The README's table: the same notes and questions through memd and its peers, by their command lines, in one run.

    python -m tests.bench.peers [memd] [qmd] [basic-memory] [memsearch] [mem0]        (all without a name)

1,000 made notes for speed; for what is found, talks and passages that nobody here wrote (`MEMD_DATA`). No model hub and no
language model. Each peer goes into an environment of its own below a temporary folder, from its public registry. What
cannot be had, or does not end in `PATIENCE` seconds a step, is a cell that says so.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench import vaults
from tests.bench.peers import asked
from tests.bench.peers.programs import BasicMemory, Mem0, Memd, Memsearch, Qmd
from tests.bench.peers.trial import Peer, Row, trial

COUNT = 1000
PEERS: dict[str, type[Peer]] = {
    "memd": Memd, "qmd": Qmd, "basic-memory": BasicMemory, "memsearch": Memsearch, "mem0": Mem0
}  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    heads = ["", *(row.name for row in rows)]
    lines: list[list[str]] = [
        ["first index of 1,000 notes", *(row.index for row in rows)],
        ["a search as a command, p50", *(row.search for row in rows)],
        ["a file edited → found, as commands", *(row.edit for row in rows)],
        ["notes rewritten by indexing", *(row.touched for row in rows)],
        [
            f"{asked.EACH} questions in English about talks: their note first / among five",
            *(row.english for row in rows),
        ],
        [f"{asked.EACH} in Chinese about passages", *(row.chinese for row in rows)],
    ]
    drawn = ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *lines]]
    return "\n".join([*drawn, *(f"{row.name}: {row.failed}" for row in rows if row.failed)])


def main(names: Sequence[str]) -> None:
    rows = []
    with tempfile.TemporaryDirectory(prefix="memd-peers-", ignore_cleanup_errors=True) as folder:
        base = Path(folder)
        size = vaults.make(base / "notes", COUNT)
        (base / "passages").mkdir()
        questions = asked.make(base / "passages")
        about = {"notes": COUNT, "bytes": size, "asked": len(questions), "cores": os.cpu_count()}
        print(json.dumps(about | {"load": os.getloadavg()[0]}), file=sys.stderr)
        for name in names or PEERS:
            rows.append(trial(PEERS[name](), base / name, base / "notes", base / "passages", questions))
            print(rows[-1], file=sys.stderr, flush=True)
    print(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
