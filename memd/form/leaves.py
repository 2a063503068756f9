"""Atoms to leaves: admission, owner, duplicate or newer version, and the files that say so.

`admit` is the step. A leaf's id is a function of its owner and its words, so the same proposition is one leaf however
often and wherever it is said; who says it stands in the episodes. A leaf's file is written once: what comes later is
written into the episode that says it (`states`, `extracted.statements`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memd.edit.secrets import redact
from memd.form import files, view
from memd.form.admit import admit as judge_admission
from memd.form.admit import confidence_of
from memd.form.answered import as_answer
from memd.form.asked import judge
from memd.form.desk import Desk
from memd.form.drafting import Case, Place, draft, dropped, proposition
from memd.form.facts import extracted
from memd.form.keys import folded, listed, proposition_print
from memd.form.ownership import Assignment, Entity, Owned, assigned, decide, shortlist, source_tree
from memd.form.quoting import ground, located, plain
from memd.form.restated import own_words
from memd.form.verdict import SHORTLIST, Known, Relation, Verdict, by_answer, by_rule
from memd.model.config import Config
from memd.model.fingerprint import make_id, sha256
from memd.model.memory import Atom, Outcome, Said
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking, Read, Similar
from memd.model.vault import Vault
from memd.parse.memory import turns as turns_in
from memd.parse.text import decode


def admit(
    vault: Vault, config: Config, now: datetime, episode: Note, atoms: Sequence[Atom], method: str = "agent"
) -> Asking:
    """Told: `tuple[Outcome, ...]`, one an atom, in order. The episode is signed (`extracted`) even where nothing was
    admitted. `method` is who made the atoms. The same atoms again change nothing."""
    memory = view.of(vault)
    episode = memory.files.get(episode.id, episode)
    said = yield from words_of(memory, episode.id)
    desk = Desk(memory, config, episode, method)
    outcomes = []
    for atom in atoms:
        outcomes.append((yield from _one(desk, said, atom)))
    plan = yield from _plan(desk)
    return plan, tuple(outcomes)


def words_of(memory: view.Memory, episode: str) -> Asking:
    """The turns of an episode with their words, in order. Told to the caller: `tuple[Said, ...]`."""
    wanted = memory.turns_of.get(episode, ())
    found: dict[str, Said] = {}
    for id in dict.fromkeys(turn.partition("#")[0] for turn in wanted):
        note = memory.files[id]
        data = yield Read(note.path)
        if data is not None:
            found |= {turn.id: turn for turn in turns_in(note, decode(data)[0])}
    return tuple(found[turn] for turn in wanted if turn in found)


def _one(desk: Desk, said: tuple[Said, ...], atom: Atom) -> Asking:
    text = proposition(atom.text)
    hidden = redact("\n".join((text, atom.subject, atom.aspect, atom.entity)), atom.sensitivity == "sensitive")[1]
    if hidden:
        reason = f"it holds a credential ({', '.join(dict.fromkeys(hidden))})"
        desk.refuse(f"‹redacted: {hidden[0]}›", reason, confidence_of(atom).admission)
        return Outcome("not_admitted", reason)
    printed = proposition_print(text, atom.kind, atom.valid_from)
    grounds = ground(atom, said)
    owned = yield from _owner(desk, atom, text)
    if printed in listed(extracted(desk.episode).get("forgotten")):
        return Outcome("not_admitted", "it was forgotten on request and is not taken from this episode again")
    elsewhere = _elsewhere(desk, owned.tree, printed)
    admission = judge_admission(atom, desk.config.formation, turns=len(grounds.turns), elsewhere=elsewhere)
    if not admission.admitted:
        desk.refuse(text, admission.reason, confidence_of(atom).admission)
        return Outcome("not_admitted", admission.reason, text=text)
    desk.accept(text)
    if owned.made:
        desk.add_entity(owned.made)
    case = Case(atom, text, grounds, printed, owned, admission)
    outcome: Outcome = yield from _placed(desk, case)
    for other, _, least in desk.memory.vouchers(printed, desk.episode.id, desk.config.formation.admit_corroborated):
        desk.vouched.setdefault(other, []).append((outcome.id, text, least))
    return outcome


def _elsewhere(desk: Desk, tree: str, printed: str) -> bool:
    leaf = desk.memory.prints.get((tree, printed))
    others = [e for e in desk.memory.support.get(leaf or "", ()) if e != desk.episode.id]
    least = desk.config.formation.admit_corroborated
    return bool(others) or bool(desk.memory.vouchers(printed, desk.episode.id, least))


def _owner(desk: Desk, atom: Atom, text: str) -> Asking:
    category, source = origin_of(desk.memory, desk.episode)
    if category == "integration":
        tree = source_tree(source)
        made = None if desk.memory.trees.get(tree) else Entity(tree, source or tree, "system", frozenset())
        return Owned(tree, "source", f"records of {source} belong to their source", made=made)
    owned = decide(atom, desk.known, desk.owner, desk.config)
    if owned.decision != "fallback" or desk.config.formation.method != "llm":
        return owned
    short = shortlist(desk.known, text, atom.subject, desk.config.formation.shortlist)
    offered = [{"id": e.tree, "name": e.name, "type": e.type} for e in short]
    answer = yield judge("assign", {"text": text, "subject": atom.subject, "entities": offered})
    told = as_answer(answer, Assignment)
    return owned if told is None else assigned(told, short, desk.known, desk.config)


def origin_of(memory: view.Memory, episode: Note) -> tuple[str, str]:
    """(category, source) of an episode: those of the evidence it rests on, else its own keys."""
    turns = memory.turns_of.get(episode.id, ())
    note = memory.note(turns[0]) if turns else episode
    keys = note.frontmatter if note else {}
    return str(keys.get("category") or "interaction"), str(keys.get("source") or "")


def _placed(desk: Desk, case: Case) -> Asking:
    """The leaf that the case is: one that is there, or a new one with its relation to those that are there."""
    tree = case.owned.tree
    id = make_id("lf", tree, case.fingerprint)
    entity = next((e for e in desk.known if e.tree == tree), None)
    subject = _subject(case.atom, entity)
    if there := desk.said_before(tree, case.fingerprint, id):
        return _again(desk, case, subject, there)
    slot = (tree, folded(subject), folded(case.atom.aspect))
    relation: Relation = yield from _relation(desk, case, slot)
    if relation.same:
        return _again(desk, case, subject, relation.same)
    mine = (*desk.memory.said_key(desk.episode.id), len(desk.stated))
    older = [old for old in relation.replaced if desk.last_stated(old) < mine]
    newer = [new for new in relation.replaced if new not in older]
    desk.drafts[id] = draft(desk, case, id, Place(slot, subject, entity, tuple(older), tuple(newer)))
    desk.state(id, case.grounds.quotes, weak=_weak(case))
    return Outcome(
        "superseding" if older else "created",
        _reason(desk, relation, older, newer) + dropped(case.grounds),
        id,
        desk.drafts[id].path,
        tree,
        case.owned.decision,
        case.text,
    )


def _weak(case: Case) -> float:
    return confidence_of(case.atom).admission if case.admission.weak else 0.0


def _again(desk: Desk, case: Case, subject: str, id: str) -> Outcome:
    """The leaf is there already: the episode states it too."""
    memory = desk.memory
    before = memory.superseded(id) if id in memory.files else None
    bare = id in memory.files and not memory.support.get(id)
    more = own_words(case.atom, case.text, subject, desk.keys_of(id), desk.text_of(id))
    desk.state(id, case.grounds.quotes, weak=_weak(case), more=more)
    current = before is not None and desk.last_stated(id) > memory.last_stated(before)
    path = memory.files[id].path if id in memory.files else desk.drafts[id].path
    outcome, reason = "noop_duplicate", "it is known already; this episode states it too"
    if before is not None and current:
        outcome, reason = "superseding", f"it is said again, later than “{desk.text_of(before)}”, and is current again"
    elif bare:
        outcome, reason = "created", "it was there without support and is stated again"
    tree = memory.tree_of(id) if id in memory.files else desk.drafts[id].slot[0]
    return Outcome(outcome, reason, id, path, tree, case.owned.decision, case.text)


def _relation(desk: Desk, case: Case, slot: tuple[str, str, str]) -> Asking:
    kind, tree, handed = case.atom.kind, case.owned.tree, case.atom.supersedes
    if tree == view.UNCATEGORIZED and not handed:
        return Relation(reason="nothing of this is known yet")
    known = [Known(i, desk.text_of(i), desk.kind_of(i), True) for i in desk.in_slot(slot)][-SHORTLIST:]
    old = desk.memory.refer(handed) if handed else None
    if old and (old in desk.drafts or desk.memory.active(old)) and desk.slot_of(old)[0] == tree:
        return Relation(replaced=(old,), reason="it was handed over as the newer version")
    if desk.config.formation.method == "llm" and tree != view.UNCATEGORIZED:
        if (judged := (yield from _judged(desk, case, known))) is not None:
            return judged
    return by_rule(kind, case.atom.aspect, known)


def _judged(desk: Desk, case: Case, known: list[Known]) -> Asking:
    near = yield Similar(case.text, "leaf", SHORTLIST, case.owned.tree)
    ids = [id for id, _ in near or () if desk.memory.active(id) and id not in {k.id for k in known}]
    known = [*known, *(Known(i, desk.text_of(i), desk.kind_of(i), False) for i in ids)][:SHORTLIST]
    if not known:
        return None
    atom = case.atom
    new = {"text": case.text, "subject": atom.subject, "aspect": atom.aspect, "kind": atom.kind}
    offered = [{"id": k.id, "text": k.text, "same_subject_and_aspect": k.same_slot} for k in known]
    answer = yield judge("verdict", {"new": new, "known": offered})
    told = as_answer(answer, Verdict)
    return None if told is None else by_answer(told, known)


def _subject(atom: Atom, entity: Entity | None) -> str:
    """One subject, one spelling: another name of the owner is written as its name."""
    subject = plain(atom.subject or atom.entity)
    return entity.name if entity and folded(subject) in entity.names else subject


def _reason(desk: Desk, relation: Relation, older: list[str], newer: list[str]) -> str:
    if newer:
        return f"said before “{desk.text_of(newer[0])}”, which stays current"
    if older:
        return f"{relation.reason}: it replaces “{desk.text_of(older[0])}”"
    return relation.reason


def _plan(desk: Desk) -> Asking:
    """Leaves first, the episode that signs them last: a step cut short is done again and comes out the same."""
    steps: list[Write] = [*desk.tree_writes(), *desk.leaf_writes()]
    reasons = [f"{len(desk.drafts)} new leaves of “{desk.episode.title}”"] if desk.drafts else []
    for id, leaves in desk.vouched.items():
        if (write := (yield from _vouch(desk, desk.memory.files[id], leaves))) is not None:
            steps.append(write)
            reasons.append(f"“{desk.memory.files[id].title}” states it too")
    if changes := desk.episode_keys():
        data = yield Read(desk.episode.path)
        if data is not None:
            steps.append(Write(desk.episode.path, files.with_keys(data, changes), sha256(data)))
    return Plan(tuple(steps), tuple(reasons), ((desk.episode.path, desk.episode.sha256),) if steps else ())


def _vouch(desk: Desk, episode: Note, leaves: list[tuple[str, str, float]]) -> Asking:
    """An episode that was refused for saying alone what is said again now: it states the leaf, weakly, in its own words."""
    said = yield from words_of(desk.memory, episode.id)
    other = Desk(desk.memory, desk.config, episode, str(extracted(episode).get("method", desk.method)))
    other.drafts = desk.drafts
    for id, text, sure in leaves:
        other.accept(text)
        other.state(id, located((text,), said), weak=sure, more={})
    data = yield Read(episode.path)
    changes = other.episode_keys()
    return Write(episode.path, files.with_keys(data, changes), sha256(data)) if data is not None and changes else None
