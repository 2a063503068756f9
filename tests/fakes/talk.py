"""A vault in memory for the steps from material to atoms: plans are applied at once, files are parsed as they are read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from memd.model.change import Change
from memd.model.config import Config
from memd.model.fingerprint import sha256
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import ABSENT, Move, Plan, Remove, Write
from memd.model.question import Judge, Read
from memd.model.vault import Vault
from memd.parse.memory import turns
from memd.parse.note import parse_note


class Desk:
    """`do(step, …)` drives a step and applies its plan; `judge` answers what a model would be asked."""

    def __init__(self, config: Config, now: datetime, judge: Callable[[Judge], Any] | None = None) -> None:
        self.config = config
        self.now = now
        self.judge = judge
        self.asked: list[Judge] = []
        self.files: dict[str, bytes] = {}
        self.vault = Vault()
        self.plan = Plan()

    def do(self, step: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        asking = step(self.vault, self.config, self.now, *args, **kwargs)
        try:
            question = next(asking)
            while True:
                question = asking.send(self._answer(question))
        except StopIteration as end:
            self.plan, told = end.value
        self.apply(self.plan)
        return told

    def _answer(self, question: Any) -> Any:
        if isinstance(question, Read):
            return self.files.get(question.path)
        if isinstance(question, Judge):
            self.asked.append(question)
            return self.judge(question) if self.judge else None
        return ()

    def apply(self, plan: Plan) -> None:
        for step in plan.steps:
            there = self.files.get(step.path)
            assert step.expect is None or step.expect == (ABSENT if there is None else sha256(there)), step.path
            if isinstance(step, Write):
                self.put(step.path, step.content)
            elif isinstance(step, Remove):
                self._gone(step.path)
            elif isinstance(step, Move):
                self.put(step.to, self.files[step.path])
                self._gone(step.path)

    def put(self, path: str, data: bytes) -> None:
        self.files[path] = data
        zone = ZoneInfo(self.config.vault.timezone or "UTC")
        note, _ = parse_note(path, data, 0.0, zone, self.config.formation.folder)
        self.vault = self.vault.after(Change(written=(note,)))

    def _gone(self, path: str) -> None:
        del self.files[path]
        self.vault = self.vault.after(Change(removed=(path,)))

    def edit(self, path: str, change: Callable[[str], str]) -> None:
        """A person's change to a file."""
        self.put(path, change(self.files[path].decode()).encode())

    def paths(self, kind: str) -> list[str]:
        return sorted(note.path for note in self.vault.notes.values() if note.kind == kind)

    def note(self, path: str) -> Note:
        return self.vault.notes[path]

    def turns(self, session: str) -> list[Said]:
        notes = sorted(
            (n for n in self.vault.notes.values() if n.frontmatter.get("session") == session), key=lambda n: n.path
        )
        return [said for note in notes for said in turns(note, self.files[note.path].decode())]
