"""The file of a new leaf: its keys and its body, from an atom and all that was decided about it.

Knows `memory-files.md`, "leaf". Decides nothing.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.edit.sensitivity import sensitivity
from memd.form import files
from memd.form.admit import Admission, confidence_of
from memd.form.desk import Desk, Draft
from memd.form.keys import folded, is_chinese, link
from memd.form.ownership import Entity, Owned
from memd.form.policy import policy_for
from memd.form.quoting import Grounds, plain
from memd.model.memory import Atom


class Case(Struct, frozen=True):
    """An atom with what was found out about it. `fingerprint` is the proposition's."""

    atom: Atom
    text: str
    grounds: Grounds
    fingerprint: str
    owned: Owned
    admission: Admission


def proposition(text: str) -> str:
    """One line without marks that would make it a heading, a quote or a list item."""
    return plain(text).lstrip("#>-*+ \t").strip() or plain(text)


def dropped(grounds: Grounds) -> str:
    """What is said of quotes that nobody said; "" where there are none."""
    if not grounds.lost:
        return ""
    return f"; {grounds.lost} of its quotes {'is' if grounds.lost == 1 else 'are'} nowhere in what was said"


class Place(Struct, frozen=True):
    """Where a new leaf stands: its slot, its subject as its owner writes it, what it replaces and what replaces it."""

    slot: tuple[str, str, str]
    subject: str
    entity: Entity | None
    older: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()


def draft(desk: Desk, case: Case, id: str, place: Place) -> Draft:
    sensitive = _sensitive(desk, case)
    said = desk.episode.frontmatter
    observed = case.grounds.observed_at or str(said.get("to") or said.get("from") or "")
    name = files.named(case.text, id, sensitive)
    crowd = len(desk.memory.leaves(place.slot[0])) + len(desk.drafts)
    keys: dict[str, Any] = {
        "id": id,
        "type": "leaf",
        "title": name.removesuffix(f"-{id}") if name != id else case.text[: files.TITLE],
        **_about(desk, case, place, observed),
        **_decided(desk, case, place),
        "fingerprint": case.fingerprint,
        "quotes": [dict(q) for q in case.grounds.quotes],
        "method": desk.method,
        "origin": "human" if desk.method == "human" else "memd",
        "created": desk.created,
        "sensitivity": "sensitive" if sensitive else "normal",
        "_older": place.older,
    }
    path = files.leaf_path(desk.folder, place.slot[0], name, observed or desk.created, crowd)
    return Draft(id, path, case.text, case.atom.kind, case.fingerprint, place.slot, keys, body(case.text, case.grounds))


def _about(desk: Desk, case: Case, place: Place, observed: str) -> dict[str, Any]:
    """What the leaf is about, who says it, and when."""
    atom = case.atom
    return {
        "tree": place.slot[0],
        "subject": place.subject,
        "aspect": plain(atom.aspect),
        "kind": atom.kind,
        "holder": plain(atom.holder) or place.subject,
        "speaker": atom.speaker or case.grounds.speaker,
        "observed_at": observed,
        "when": "known" if observed else "unknown",
        "valid_from": atom.valid_from,
        "valid_to": atom.valid_to,
        "status": "active",
        "supersedes": _links(desk, place.older),
        "precedes": _links(desk, place.newer),
        "labels": list(atom.labels),
        "entities": _mentioned(desk, atom, place.entity),
    }


def _decided(desk: Desk, case: Case, place: Place) -> dict[str, Any]:
    """What was decided about it, with how much certainty, and how long it is good for."""
    atom, owned = case.atom, case.owned
    type = place.entity.type if place.entity else ""
    policy = policy_for(atom.kind, atom.aspect, case.text, type, desk.config.formation)
    sure = {
        "admission": confidence_of(atom).admission,
        "match": round(owned.match, 2),
        "create": round(owned.create, 2),
    }
    return {
        "confidence": sure,
        "entity_decision": owned.decision,
        "rationale": "; ".join(r for r in (atom.rationale, owned.reason, dropped(case.grounds).lstrip("; ")) if r),
        "staleness": policy.staleness,
        "verification": policy.verification,
    }


def _sensitive(desk: Desk, case: Case) -> bool:
    """Inherited from the turns it rests on (from the episode where it rests on none), or by what it says."""
    if case.grounds.sensitive or (desk.episode.sensitive and not case.grounds.turns):
        return True
    return sensitivity((case.text,), case.atom.sensitivity) == "sensitive"


def body(text: str, grounds: Grounds) -> str:
    """The proposition, then the quotes as block quotes that lead to the turns."""
    day, who = grounds.observed_at[:10], grounds.speaker
    label = ("，" if is_chinese(text) else ", ").join(
        part for part in (who.replace("|", " ").replace("]", " "), day) if part
    )
    rows = [
        f"\n> {q['text']} — {q['turn'][:-2]}|{label}]]\n" if label else f"\n> {q['text']} — {q['turn']}\n"
        for q in grounds.quotes
    ]
    return f"{text}\n" + "".join(rows)


def _links(desk: Desk, ids: tuple[str, ...]) -> str | list[str]:
    found = [link(desk.name_of(id)) for id in ids]
    return found[0] if len(found) == 1 else found


def _mentioned(desk: Desk, atom: Atom, entity: Entity | None) -> list[str]:
    """Links to the owner and to other entities that the labels name: retrieval finds them there, ownership does not."""
    labels = {folded(label) for label in atom.labels}
    others = [e.name for e in desk.known if e is not entity and e.names & labels]
    names = [entity.name] if entity else []
    return [link(n.replace("|", " ").replace("[", "").replace("]", "")) for n in dict.fromkeys((*names, *others))]
