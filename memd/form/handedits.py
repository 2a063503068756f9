"""A person edited or deleted a memory file: they win, and what rests on it is told so.

An edited leaf, episode or chain stays as they left it; its words become evidence of origin `human`, and the file is
signed again as theirs. A deleted leaf is softly forgotten: its episodes do not bring it up again. Profile lines and
digests have marks of their own and are not settled here. Knows the files as they are. Never changes a person's words.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.form import chains, files, human, profile, view
from memd.form.compose import Stage
from memd.form.forgetting import episode_forgets
from memd.form.keys import folded, link, listed, proposition_print
from memd.model.config import Config
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking
from memd.model.vault import Vault, stem
from memd.parse.memory import narrative

KINDS = ("leaf", "episode", "chain", "summary")


class Settled(Struct, frozen=True):
    """Told by `settle`: ids of files that are a person's now, and of deleted leaves that are forgotten."""

    edited: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()


def settle(
    vault: Vault, config: Config, now: datetime, paths: Iterable[str] = (), deleted: Iterable[Note] = ()
) -> Asking:
    """`paths`: files that changed and not by memd's hand; `deleted`: notes of leaves whose files are gone likewise.

    Told: `Settled`. A file whose body is as memd signed it is passed over, so more paths than needed do no harm.
    """
    stage = Stage(vault, now, config.formation.folder)
    edited: list[str] = []
    touched: list[str] = []
    for path in sorted(set(paths)):
        note = vault.notes.get(path)
        if note is None or note.kind not in KINDS:
            continue
        data = yield from stage.read(path)
        if data is None or not files.edited(note, data):
            continue
        touched += yield from _theirs(stage, config, now, note, data)
        edited.append(note.id)
    gone = [note for note in deleted if note.kind == "leaf" and vault.by_id(note.id) is None]
    yield from _forgotten(stage, gone)
    touched += [n.id for n in gone]
    yield from _followed(stage, vault, config, now, touched, gone)
    reasons = (*(f"{id} was edited by a person" for id in edited), *(f"{n.id} was deleted by a person" for n in gone))
    return Plan(stage.plan.steps, reasons, stage.plan.reads, undo=True), Settled(
        tuple(edited), tuple(n.id for n in gone)
    )


def _theirs(stage: Stage, config: Config, now: datetime, note: Note, data: bytes) -> Asking:
    """Gives the leaves that this touches."""
    words = note.lead if note.kind == "leaf" else narrative(files.decoded(data))
    memory = view.of(stage.vault)
    signature: dict[str, Any] = {"body_sha256": files.body_hash(files.split(files.decoded(data))[1]), "method": "human"}
    if not words.strip():
        stage.add(Plan((Write(note.path, files.with_keys(data, signature), note.sha256 or None),)))
        return []
    episode = yield from human.told_by_hand(stage, config, now, words, memory.tree_of(note.id), note.sensitive)
    if note.kind == "leaf":
        kind, on = str(note.frontmatter.get("kind", "claim")), str(note.frontmatter.get("valid_from", ""))
        signature |= {"fingerprint": proposition_print(words, kind, on), "origin": "human"}
        yield from _stated(stage, episode, [note])
    elif note.kind == "episode":
        signature["turns"] = [*listed(note.frontmatter.get("turns")), *listed(episode.frontmatter.get("turns"))]
        yield from _stated(stage, episode, [memory.files[i] for i in memory.states[note.id]])
    stage.add(Plan((Write(note.path, files.with_keys(data, signature), note.sha256 or None),)))
    return [note.id] if note.kind == "leaf" else list(memory.states.get(note.id, ()))


def _stated(stage: Stage, episode: Note, leaves: list[Note]) -> Asking:
    """The human episode states these leaves: what others say of them may be forgotten, and they stand."""
    data = yield from stage.read(episode.path)
    states = [link(stem(n.path)) for n in leaves]
    signature = {"method": "human", "at": str(episode.frontmatter.get("created", "")), "admitted": len(states)}
    if data is not None:
        changed = files.with_keys(data, {"states": states or None, "extracted": signature})
        stage.add(Plan((Write(episode.path, changed, episode.sha256 or None),)))


def _forgotten(stage: Stage, gone: list[Note]) -> Asking:
    ids = {note.id for note in gone}
    memory = view.of(stage.vault)
    for note in memory.episodes if ids else ():
        hit = [n for n in gone if any(n.id == id for id, _ in memory.facts(note.id).states)]
        data = (yield from stage.read(note.path)) if hit else None
        if data is not None:
            prints = [str(n.frontmatter.get("fingerprint", "")) for n in hit]
            changed = episode_forgets(note, data, ids, [p for p in prints if p], memory)
            stage.add(Plan((Write(note.path, changed, note.sha256 or None),)))


def _followed(
    stage: Stage, vault: Vault, config: Config, now: datetime, touched: list[str], gone: list[Note]
) -> Asking:
    """Chains and profile follow at once; summaries are stale by themselves and sealed again in their turn."""
    memory = view.of(stage.vault)
    matters = {memory.slot(id)[1:] for id in touched if id in memory.files} | {_matter(n) for n in gone}
    matters = {m for m in matters if all(m)}
    if matters:
        yield from stage.run(lambda v: chains.weave(v, config, now, only=matters, existing=True))
    if touched and files.profile_path(config.formation.folder) in vault.notes:
        yield from stage.run(lambda v: profile.repair(v, config, now, touched))
        yield from stage.run(lambda v: profile.patch(v, config, now))


def _matter(leaf: Note) -> chains.Matter:
    return folded(str(leaf.frontmatter.get("subject", ""))), folded(str(leaf.frontmatter.get("aspect", "")))
