"""A dialogue as a vault with memd's own indexes in this process: files as ingest writes them, words and vectors as served.

Knows evidence and notes. Formation's files can be added. Never knows gold.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from memd.index.passages import passages, units
from memd.index.port import Hit, Only, Operations, Query, VectorAnswer, VectorStatus
from memd.index.words import TantivyWords
from memd.model.memory import Event
from memd.model.note import Note
from memd.model.vault import Vault
from memd.parse import memory, render
from memd.parse.note import parse_note
from tests.bench.quality import sets


class World:
    """`vector` may be switched off and on."""

    def __init__(self, texts: Mapping[str, str], folder: str, vectors: bool) -> None:
        self.texts, self.vector, self.stem = texts, vectors, True
        notes = [parse_note(path, text.encode(), 0.0, sets.ZONE)[0] for path, text in texts.items()]
        self.vault = Vault(notes)
        found = {note.path: units(note, texts[note.path]) for note in notes}
        self.text_index = TantivyWords(folder)
        self.text_index.apply(Operations(replace=found))
        self.text_index.commit()
        self.units = [unit for some in found.values() for unit in some]
        if vectors:
            self._embed(notes, found)

    def _embed(self, notes: Sequence[Note], found: Mapping[str, Any]) -> None:
        import numpy as np

        from memd.index import exact

        every = [(note, list(passages(note, self.texts[note.path], found[note.path]))) for note in notes]
        flat = [passage for _, some in every for passage in some]
        rows = embedded([f"{p.head}\n{p.text}" if p.head else p.text for p in flat], False)
        at = 0
        for note, some in every:
            if note.kind == "evidence" and some:
                span = slice(at, at + len(some))
                rows[span] = exact.lend(rows[span], [getattr(p, "lends", True) for p in some])
            at += len(some)
        self.rows, self.passages = rows, flat
        self.kinds = np.array([passage.kind for passage in flat])
        self.asked: dict[str, Any] = {}

    def warm(self, questions: Sequence[str]) -> None:
        if self.vector:
            self.asked |= dict(zip(questions, embedded(questions, True), strict=True))

    # the ports ---------------------------------------------------------------------------------------------------

    def words(self, query: Query, limit: int) -> list[Hit]:
        return self.text_index.search(query, limit)

    def meaning(self, text: str, limit: int, kinds: tuple[str, ...] = (), only: Only | None = None) -> VectorAnswer:
        if not self.vector:
            return VectorAnswer(why="off")
        import numpy as np

        if text not in self.asked:
            self.warm([text])
        mine = np.isin(self.kinds, kinds) if kinds else np.ones(len(self.kinds), bool)
        if only is not None:
            mine &= np.array([only.has(passage.unit, passage.path) for passage in self.passages])
        scores = np.where(mine, self.rows @ self.asked[text], -1.0)
        best: dict[str, Hit] = {}
        for i in np.argsort(-scores)[: 2 * limit]:
            passage = self.passages[i]
            if scores[i] > -1 and passage.unit not in best:
                best[passage.unit] = Hit(passage.unit, passage.path, float(scores[i]), passage.line)
        return VectorAnswer(tuple(list(best.values())[:limit]), True)

    def vector_status(self) -> VectorStatus:
        return VectorStatus("ready" if self.vector else "off")

    def text(self, path: str) -> str | None:
        return self.texts.get(path)


@cache
def _model() -> Any:
    from memd.index.embed import OnnxEmbedder
    from memd.index.models import choose

    return OnnxEmbedder(choose("auto", tempfile.gettempdir()))


def embedded(texts: Sequence[str], query: bool) -> Any:
    """Unit vectors, kept in the temporary folder by what they are of, so that a second run costs nothing."""
    import numpy as np

    folder = Path(os.environ.get("MEMD_BENCH_CACHE") or Path(tempfile.gettempdir()) / "memd-bench")
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.blake2b("\x1f".join([str(query), *texts]).encode(), digest_size=12).hexdigest()
    file = folder / f"{name}.npy"
    if not file.exists():
        model = _model()
        rows = [
            row or [0.0] * model.dim
            for at in range(0, len(texts), 256)
            for row in model.embed(list(texts[at : at + 256]), query=query)
        ]
        np.save(file, np.array(rows, dtype=np.float16))
    found = np.load(file).astype(np.float32)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def spoken(dialogue: sets.Dialogue) -> dict[str, str]:
    """Evidence files of a dialogue, one a session."""
    texts = {}
    for number, (session, events) in enumerate(dialogue.sessions):
        if not events:
            continue
        day = events[0].at.date().isoformat()
        keys = {
            "id": f"ev-{number:010d}",
            "type": "evidence",
            "title": f"{day} {session}",
            "session": session,
            "source": "conversation",
            "category": "interaction",
            "date": day,
            "turns": len(events),
        }
        body = "".join(
            memory.block(Event(speaker=e.speaker, text=e.text, id=e.id, at=_at(e), captured_at=_at(e)), f"t{n}")
            for n, e in enumerate(events, 1)
        )
        texts[f"memory/evidence/{day[:4]}/{day[5:7]}/{day}-{number:03d}.md"] = render.file(keys, body).decode()
    return texts


def _at(event: sets.Event) -> str:
    return event.at.isoformat(timespec="milliseconds")
