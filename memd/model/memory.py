"""The records of memory: material as it comes in, and evidence, episodes, leaves, summaries, chains, profile lines.

Field names are the keys of `memory-files.md`. Times are RFC 3339 text with an offset, "" when unknown.
A link to a turn is written `evidence-stem#^t3` (the target of a wikilink). Knows no files and no clock.
"""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing said, or one record of a source, as a caller hands it over (contract, `memory.ingest`)."""

    speaker: str
    text: str
    id: str = ""
    role: str = ""
    at: str = ""
    captured_at: str = ""
    modality: str = "text"
    uri: str = ""
    sensitivity: str = ""


class Confidence(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    admission: float = 0.0
    match: float = 0.0
    create: float = 0.0


class Atom(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A candidate for a leaf: one self-contained proposition (contract, `memory.ingest`, `atoms`)."""

    text: str
    subject: str = ""
    aspect: str = ""
    kind: str = "claim"
    holder: str = ""
    speaker: str = ""
    turns: tuple[str | int, ...] = ()
    quotes: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    entity: str = ""
    labels: tuple[str, ...] = ()
    supersedes: str = ""
    confidence: float | Confidence = 0.0
    sensitivity: str = ""
    rationale: str = ""
    entity_type: str = ""


class Handed(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """An episode handed over by the caller; `turns` are event ids or ordinals in this call, None: no turns at all."""

    topic: str
    narrative: str = ""
    turns: tuple[str | int, ...] | None = None
    from_: str = ""
    to: str = ""


class Said(Struct, frozen=True):
    """A turn with its words, read back from an evidence file. `id` is `ev-…#t3`, `link` is `stem#^t3`."""

    id: str
    link: str
    speaker: str
    text: str
    at: str = ""
    captured_at: str = ""
    role: str = ""
    event_id: str = ""
    modality: str = "text"
    uri: str = ""
    line: int = 0
    sensitive: bool = False


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What became of an atom (contract, `leaves` of `memory.ingest`)."""

    outcome: str
    reason: str
    id: str = ""
    path: str = ""
    tree: str = ""
    entity_decision: str = ""
    text: str = ""


class ProfileLine(Struct, frozen=True):
    """One line of the profile. `mine` is false for a line that a person wrote or changed: memd never touches it."""

    id: str
    text: str
    section: str
    status: str = ""
    sources: tuple[str, ...] = ()
    first_seen: str = ""
    last_confirmed: str = ""
    until: str = ""
    line: int = 0
    mine: bool = False
