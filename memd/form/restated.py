"""What a source says of a leaf that another one brought: kept with its episode, so that the leaf can be told by it alone.

A leaf's file has the keys of who brought it. Who says it again may word it otherwise, or name another day: that stands in
`extracted.statements` of its episode. Knows atoms, keys and statements. Never knows what is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memd.edit.sensitivity import sensitivity
from memd.form import files
from memd.form.drafting import body
from memd.form.facts import extracted, quoted, quotes
from memd.form.keys import inner, latest, link, listed
from memd.form.quoting import Grounds, plain
from memd.model.memory import Atom, Said
from memd.model.note import Note

NAMED = ("text", "subject", "aspect", "holder")
"""Said as the leaf says it, where the statement has no such key."""
OWN = ("valid_from", "valid_to", "labels")
"""Not said at all, where the statement has no such key."""
CARRIED = "what it first rested on was forgotten; other material says it"


def own_words(atom: Atom, text: str, subject: str, there: Mapping[str, Any], words: str) -> dict[str, Any]:
    """What the atom says beside the leaf and otherwise than it (`there`: its keys, `words`: its text)."""
    named = {"text": text, "subject": subject, "aspect": plain(atom.aspect), "holder": plain(atom.holder) or subject}
    known = {**there, "text": words}
    own = {"valid_from": atom.valid_from, "valid_to": atom.valid_to, "labels": list(atom.labels)}
    found = {key: value for key, value in named.items() if value != str(known.get(key) or "")}
    return found | {key: value for key, value in own.items() if value}


def atom_of(leaf: Note, statement: Mapping[str, Any], tree: str, why: str = "") -> Atom:
    """The atom that a statement was made from, as far as it is known."""
    keys = {**leaf.frontmatter, "text": leaf.lead or leaf.title, **dict.fromkeys(OWN), **statement}
    kind = str(keys.get("kind") or "claim")
    if kind == "event" and not keys["valid_from"]:
        keys["valid_from"] = leaf.frontmatter.get("valid_from")
    sure = keys.get("weak")
    text, subject, aspect, holder = (str(keys.get(key) or "") for key in NAMED)
    return Atom(
        text,
        subject,
        aspect,
        kind,
        holder,
        quotes=tuple(q["text"] for q in quoted(statement.get("quotes"))),
        valid_from=str(keys["valid_from"] or ""),
        valid_to=str(keys["valid_to"] or ""),
        labels=listed(keys["labels"]),
        entity=tree,
        confidence=float(sure) if isinstance(sure, int | float) and sure else 1.0,
        rationale=why,
    )


def told_by(note: Note, data: bytes, said: tuple[Said, ...], statement: Mapping[str, Any], episode: Note) -> bytes:
    """The leaf as the episode that is now its first carries it. `said`: the episode's turns; `statement`: its own."""
    atom, keys = atom_of(note, statement, ""), note.frontmatter
    kept = _quotes(note, said, statement, atom.text)
    links = {turn.link: turn for turn in said}
    turns = [links[inner(q["turn"])] for q in kept]
    observed = latest(t.at for t in turns) or latest(t.at for t in said)
    speaker = turns[0].speaker if turns else ""
    changes: dict[str, Any] = {
        **{key: getattr(atom, key) or None for key in (*NAMED[1:], *OWN)},
        "labels": list(atom.labels) or None,
        "quotes": kept,
        "observed_at": observed or None,
        "when": "known" if observed else "unknown",
        "speaker": speaker or None,
        "rationale": CARRIED,
        "method": extracted(episode).get("method") or keys.get("method"),
        "origin": "human" if episode.origin == "human" else "memd",
        "created": episode.frontmatter.get("created") or keys.get("created"),
    }
    if note.sensitive and not any(t.sensitive for t in said) and sensitivity((atom.text,)) == "normal":
        changes["sensitivity"] = "normal"
    grounds = Grounds(tuple(kept), speaker=speaker, observed_at=observed)
    present = {k: v for k, v in changes.items() if v is not None or k in keys}
    return files.with_body(data, body(atom.text, grounds), present)


def _quotes(note: Note, said: tuple[Said, ...], statement: Mapping[str, Any], text: str) -> list[dict[str, str]]:
    """The leaf's and the statement's quotes that lie in these turns, else the first of its texts that one of them holds."""
    links = {turn.link: turn for turn in said}
    kept: dict[str, dict[str, str]] = {}
    for quote in (*quotes(note), *quoted(statement.get("quotes"))):
        turn = links.get(inner(quote["turn"]))
        if turn is not None and plain(quote["text"]) in plain(turn.text):
            kept[f"{turn.link} {quote['text']}"] = quote
    return list(kept.values()) or _again([text, *(q["text"] for q in quotes(note))], said)


def _again(texts: Iterable[str], said: tuple[Said, ...]) -> list[dict[str, str]]:
    for text in texts:
        for turn in said:
            if plain(text) and plain(text) in plain(turn.text):
                return [{"turn": link(turn.link), "text": plain(text)}]
    return []
