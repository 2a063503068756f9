"""A person says how it really is: new evidence, a newer version, and everything that rests on the old one made again.

`correct` takes the id of a leaf (a value of a chain is a leaf) or of a profile line; `confirm` says a leaf again.
Nothing is overwritten: the old leaf stays, superseded. Knows the view. Never judges whether the person is right.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from memd.edit.secrets import blank, refuse_secrets
from memd.form import chains, human, leaves, profile, profile_page, view
from memd.form.compose import Stage
from memd.form.drafting import proposition
from memd.form.files import decoded, profile_path
from memd.form.keys import is_chinese, listed, proposition_print
from memd.form.profile_text import Edit, edited
from memd.form.restated import OWN, atom_of
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.memory import Atom, Outcome, ProfileLine
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault


class Corrected(Struct, frozen=True):
    """Told by `correct` and `confirm`. `superseded` and `leaf` are ids ("" for a line that is a person's own);
    `recomputed` are paths."""

    leaf: str = ""
    path: str = ""
    superseded: tuple[str, ...] = ()
    recomputed: tuple[str, ...] = ()


def correct(vault: Vault, config: Config, now: datetime, id: str, text: str) -> Asking:
    """Told: `Corrected`. Refuses ids of what cannot be corrected, empty texts, and values that are history already."""
    text = proposition(text)
    if blank(text):
        raise Refused("invalid_params", "a correction needs a text: say how it is")
    refuse_secrets((text,))
    memory = view.of(vault)
    if id.rpartition("#")[2].startswith("p-"):
        data = yield Read(profile_path(config.formation.folder))
        line = profile_page.line_of(decoded(data), id) if data is not None else None
        if line is None or data is None:
            raise Refused("not_found", f"the profile has no line {id}; look at it with memory.profile")
        sources = [s for name in line.sources if (s := memory.refer(name)) and memory.active(s)]
        if not line.mine or not sources:
            return _line(config, line, data, text)
        id = sources[-1]
    leaf = memory.files.get(memory.refer(id) or "")
    if leaf is None or leaf.kind != "leaf":
        raise Refused("not_found", f"“{id}” is no leaf, chain value or profile line")
    if current := memory.superseded(leaf.id):
        raise Refused(
            "conflict",
            f"{leaf.id} is history, {current} stands in its place: correct {current} to say how it is now, "
            f"or forget {leaf.id} if it never was so",
            current=current,
        )
    if memory.facts(leaf.id).fingerprint == proposition_print(text, str(leaf.frontmatter.get("kind", "claim"))):
        raise Refused("invalid_params", "it says that already")
    return (yield from _corrected(vault, config, now, leaf, text))


def _corrected(vault: Vault, config: Config, now: datetime, leaf: Note, text: str) -> Asking:
    stage = Stage(vault, now, config.formation.folder)
    tree = view.of(vault).tree_of(leaf.id)
    words = f"更正：{text}" if is_chinese(text) else f"Correction: {text}"
    episode = yield from human.told_by_hand(stage, config, now, words, tree, leaf.sensitive)
    keys = leaf.frontmatter
    atom = Atom(
        text,
        subject=str(keys.get("subject", "")),
        aspect=str(keys.get("aspect", "")),
        kind=str(keys.get("kind", "claim")),
        holder=str(keys.get("holder", "")),
        quotes=(text,),
        entity=tree,
        labels=listed(keys.get("labels")),
        supersedes=leaf.id,
        confidence=1.0,
        rationale="a person corrected it",
    )
    told = yield from stage.run(lambda v: leaves.admit(v, config, now, episode, (atom,), "human"))
    outcome: Outcome = told[0]
    return (yield from _settled(stage, vault, config, now, leaf.id, outcome))


def confirm(vault: Vault, config: Config, now: datetime, id: str) -> Asking:
    """A person says that a leaf still holds: one more episode states it. Told: `Corrected`."""
    memory = view.of(vault)
    leaf = memory.files.get(memory.refer(id) or "")
    if leaf is None or leaf.kind != "leaf":
        raise Refused("not_found", f"“{id}” is no leaf")
    stage = Stage(vault, now, config.formation.folder)
    episode = yield from human.told_by_hand(stage, config, now, leaf.lead, memory.tree_of(id), leaf.sensitive)
    own = {key: leaf.frontmatter.get(key) for key in OWN} | {"quotes": [{"text": leaf.lead}]}
    atom = atom_of(leaf, own, memory.tree_of(leaf.id))
    told = yield from stage.run(lambda v: leaves.admit(v, config, now, episode, (atom,), "human"))
    return (yield from _settled(stage, vault, config, now, "", told[0]))


def _settled(stage: Stage, vault: Vault, config: Config, now: datetime, old: str, outcome: Outcome) -> Asking:
    """Chains and profile follow at once; summaries go stale and are sealed again in their turn."""
    memory = view.of(stage.vault)
    matter = memory.slot(outcome.id)[1:]
    if all(matter):
        yield from stage.run(lambda v: chains.weave(v, config, now, only=(matter,)))
    if profile_path(config.formation.folder) in vault.notes:
        yield from stage.run(lambda v: profile.patch(v, config, now))
    there = {step.path for step in stage.plan.steps if step.path in vault.notes}
    told = Corrected(outcome.id, outcome.path, (old,) if old else (), tuple(sorted(there)))
    plan = stage.plan
    return Plan(plan.steps, ("a person corrected it" if old else "a person confirmed it",), plan.reads, undo=True), told


def _line(config: Config, line: ProfileLine, data: bytes, text: str) -> tuple[Plan, Corrected]:
    """A line of the person's own: the words change in place, and nothing else does."""
    page = decoded(data)
    row = page.split("\n")[line.line - 1]
    changed = row.replace(line.text, text, 1)
    if changed == row:
        changed = f"- {text}"
    path = profile_path(config.formation.folder)
    after = edited(page, (Edit(line.line, line.section, changed.rstrip("\r")),))
    write = Write(path, after.encode("utf-8", "surrogateescape"), sha256(data))
    return Plan((write,), ("a line of the profile, in its person's words",), undo=True), Corrected(
        "", path, (), (path,)
    )
