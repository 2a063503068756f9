"""Forgetting: something goes, and with it everything that rested on it alone; the rest is made again without it.

`forget` is the step; its plan is the preview. The first write is a note of what is being forgotten (names, no words)
and its removal the last, so that a forget cut short is taken up again: `unfinished` reads it. Without `purge` files go
to the trash and the plan may be undone; with it they are gone, and so are memd's own copies. Knows the view and the
files as they are read. Never knows the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from memd.form import view
from memd.form.aftermath import Aftermath
from memd.form.purge import copies_to_remove
from memd.form.scope import KINDS, scope_of
from memd.model.config import Config
from memd.model.plan import Plan, Remove, Step, Write
from memd.model.question import Asking
from memd.model.vault import Vault
from memd.parse import render


def forget(
    vault: Vault,
    config: Config,
    now: datetime,
    target: Mapping[str, str],
    purge: bool = False,
    withdraw: bool = False,
    copies: Iterable[str] = (),
    resumed: bool = False,
    guard: bool = True,
) -> Asking:
    """Told: `Forgotten`. `copies`: paths of memd's own copies (`.trash/memd`, `.conflict`), looked at when purging.
    `guard`: whether the plan begins with the note of what is being forgotten."""
    offline = msgspec.structs.replace(config, formation=msgspec.structs.replace(config.formation, method="rules"))
    work = Aftermath(vault, offline, now, scope_of(view.of(vault), target, resumed))
    yield from work.sources()
    yield from work.leaves()
    yield from work.dependants()
    yield from work.citing()
    if withdraw:
        yield from work.withdrawal()
    told = work.told()
    plan = work.plan(purge)
    if purge:
        spare = yield from copies_to_remove(copies, (g.id for g in told.removed if g.id), told.phrases)
        plan += Plan(tuple(Remove(path) for path in spare))
    return (_guarded(plan, config, target, purge, resumed) if guard else plan), told


def _intent_path(config: Config) -> str:
    return f"{config.formation.folder}/_forgetting.md"


def _guarded(plan: Plan, config: Config, target: Mapping[str, str], purge: bool, resumed: bool) -> Plan:
    path = _intent_path(config)
    kind, name = next(iter(target.items()))
    note = render.file({"type": "forgetting", "target": f"{kind}:{name}", "purge": purge, "origin": "memd"}, "")
    steps: tuple[Step, ...] = (Write(path, note, None), *plan.steps, Remove(path))
    if not plan.steps:
        return Plan((Remove(path),)) if resumed else plan
    return Plan(steps, plan.reasons, plan.reads, plan.undo)


def unfinished(vault: Vault, config: Config) -> tuple[dict[str, str], bool] | None:
    """(target, purge) of a forget that was cut short; None where there is none. Taken up with `resumed=True`."""
    note = vault.notes.get(_intent_path(config))
    kind, _, name = str(note.frontmatter.get("target", "")).partition(":") if note else ("", "", "")
    return ({kind: name}, bool(note.frontmatter.get("purge"))) if note and kind in KINDS and name else None
