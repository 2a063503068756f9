"""Steps over what other steps have planned: one plan out of several, each seeing the vault as the ones before leave it.

Knows plans and snapshots. Never knows what a step is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memd.form import files
from memd.model.plan import Plan
from memd.model.question import Asking, Read
from memd.model.vault import Vault


class Stage:
    """`vault` is the snapshot after `plan`; nothing is carried out."""

    def __init__(self, vault: Vault, now: datetime, folder: str) -> None:
        self.vault, self.now, self.folder = vault, now, folder
        self.plan = Plan()

    def add(self, plan: Plan) -> None:
        self.vault = files.applied(self.vault, plan, self.now, self.folder)
        self.plan = files.squashed(self.plan + plan)

    def run(self, step: Callable[[Vault], Asking]) -> Asking:
        """Runs a step on the staged snapshot and adds its plan. Gives what the step tells."""
        plan, told = yield from over(files.contents(self.plan), step(self.vault))
        self.add(plan)
        return told

    def read(self, path: str) -> Asking:
        """The bytes of a file as the plan leaves it."""
        planned = files.contents(self.plan)
        if path in planned:
            return planned[path]
        return (yield Read(path))


def over(planned: Mapping[str, bytes | None], asking: Asking) -> Asking:
    """The step, with its reads answered from what is planned where something is."""
    answer: Any = None
    while True:
        try:
            question = asking.send(answer)
        except StopIteration as end:
            return end.value
        if isinstance(question, Read) and question.path in planned:
            answer = planned[question.path]
        else:
            answer = yield question
