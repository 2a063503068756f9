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


def _dropped(grounds: Grounds) -> str:
    return (
        f"; {grounds.lost} of its quotes {'is' if grounds.lost == 1 else 'are'} nowhere in what was said"
        if grounds.lost
        else ""
    )


def dropped(grounds: Grounds) -> str:
    """What is said of quotes that nobody said; "" where there are none."""
    if not grounds.lost:
        return ""
    return f"; {grounds.lost} of its quotes {'is' if grounds.lost == 1 else 'are'} nowhere in what was said"


def draft(
    desk: Desk,
    case: Case,
    id: str,
    slot: tuple[str, str, str],
    subject: str,
    entity: Entity | None,
    older: list[str],
    newer: list[str],
) -> Draft:
    atom, grounds = case.atom, case.grounds
    sensitive = _sensitive(desk, case)
    observed = grounds.observed_at or str(
        desk.episode.frontmatter.get("to") or desk.episode.frontmatter.get("from") or ""
    )
    name = files.named(case.text, id, sensitive)
    crowd = len(desk.memory.leaves(slot[0])) + len(desk.drafts)
    policy = policy_for(atom.kind, atom.aspect, case.text, entity.type if entity else "", desk.config.formation)
    given = confidence_of(atom)
    keys: dict[str, Any] = {
        "id": id,
        "type": "leaf",
        "title": name.removesuffix(f"-{id}") if name != id else case.text[: files.TITLE],
        "tree": slot[0],
        "subject": subject,
        "aspect": plain(atom.aspect),
        "kind": atom.kind,
        "holder": plain(atom.holder) or subject,
        "speaker": atom.speaker or grounds.speaker,
        "observed_at": observed,
        "when": "known" if observed else "unknown",
        "valid_from": atom.valid_from,
        "valid_to": atom.valid_to,
        "status": "active",
        "supersedes": _links(desk, older),
        "precedes": _links(desk, newer),
        "labels": list(atom.labels),
        "entities": _mentioned(desk, atom, entity),
        "confidence": {
            "admission": given.admission,
            "match": round(case.owned.match, 2),
            "create": round(case.owned.create, 2),
        },
        "entity_decision": case.owned.decision,
        "rationale": "; ".join(r for r in (atom.rationale, case.owned.reason, dropped(grounds).lstrip("; ")) if r),
        "staleness": policy.staleness,
        "verification": policy.verification,
        "fingerprint": case.fingerprint,
        "quotes": [dict(q) for q in grounds.quotes],
        "method": desk.method,
        "origin": "human" if desk.method == "human" else "memd",
        "created": desk.created,
        "sensitivity": "sensitive" if sensitive else "normal",
        "_older": tuple(older),
    }
    path = files.leaf_path(desk.folder, slot[0], name, observed or desk.created, crowd)
    return Draft(id, path, case.text, atom.kind, case.fingerprint, slot, keys, body(case.text, grounds))


def _sensitive(desk: Desk, case: Case) -> bool:
    """Inherited from what it was made from, or by what it says."""
    if desk.episode.sensitive or case.grounds.sensitive:
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


def _links(desk: Desk, ids: list[str]) -> str | list[str]:
    found = [link(desk.name_of(id)) for id in ids]
    return found[0] if len(found) == 1 else found


def _mentioned(desk: Desk, atom: Atom, entity: Entity | None) -> list[str]:
    """Links to the owner and to other entities that the labels name: retrieval finds them there, ownership does not."""
    labels = {folded(label) for label in atom.labels}
    others = [e.name for e in desk.known if e is not entity and e.names & labels]
    names = [entity.name] if entity else []
    return [link(n.replace("|", " ").replace("[", "").replace("]", "")) for n in dict.fromkeys((*names, *others))]
