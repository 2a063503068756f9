"""What the profile should say of a matter, and whether a patch may be done.

Only what the owner said or did, never a third party, a mood or a sensitive detail; a plan is a recent matter and not a
trait. Knows the view and how far the profile has seen. Never knows the profile's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from memd.form.facts import quotes
from memd.form.keys import day, folded, seconds
from memd.form.lineage import Stated
from memd.form.ownership import entities, owner_entity
from memd.form.profile_text import SECTIONS, Patch
from memd.form.view import Memory
from memd.model.config import Config
from memd.model.memory import ProfileLine
from memd.model.vault import stem

_MOOD = re.compile(
    r"\b(mood|feel(s|ing)?|felt|tired|exhausted|bored|sad|upset|annoyed|stressed|happy|hungry|sleepy|rather not|don'?t feel like)\b|"
    r"心情|情绪|累|困|烦|难过|开心|不想|无聊|郁闷|焦虑|饿",
    re.I,
)
_PASSING = re.compile(
    r"\b(today|tonight|right now|at the moment|this (morning|afternoon|evening|week|month)|tomorrow|yesterday|currently)\b|"
    r"今天|今晚|现在|目前|这会儿|本周|这周|明天|昨天|最近",
    re.I,
)


class Wanted(Struct, frozen=True):
    """A line as rules would have it: `sources` are leaf ids, the current one last."""

    text: str
    section: str
    status: str
    sources: tuple[str, ...]
    first_seen: str
    last_confirmed: str
    until: str = ""


class Draw:
    """`seen`: ids of the episodes that the profile draws from."""

    def __init__(self, memory: Memory, config: Config, seen: frozenset[str]) -> None:
        self.memory, self.config, self.seen = memory, config, seen
        self.owner = owner_entity(entities(memory), config)

    def matter(self, leaf: str) -> tuple[str, ...]:
        """The leaf's versions that seen episodes state, in the order of their last statement among these."""
        ids = [i for i in self.memory.versions(leaf) if self.memory.stands(i) and self.stated(i)]
        return tuple(sorted(ids, key=lambda i: self.stated(i) or (0.0, "", 0)))

    def stated(self, leaf: str) -> Stated | None:
        memory = self.memory
        return max(
            (
                (*memory.said_key(e), memory.states[e].index(leaf))
                for e in memory.support.get(leaf, ())
                if e in self.seen
            ),
            default=None,
        )

    def wanted(self, leaf: str) -> Wanted | None:
        """The line for the leaf's matter; None where the profile has no business with it."""
        versions = self.matter(leaf)
        if not versions:
            return None
        note = self.memory.files[versions[-1]]
        keys = note.frontmatter
        kind, text, aspect = str(keys.get("kind", "claim")), note.lead or note.title, str(keys.get("aspect", ""))
        if (
            not self.is_owners(note.id)
            or note.sensitive
            or _MOOD.search(f"{aspect} {text}" if kind != "event" else aspect)
        ):
            return None
        section = "stable" if kind == "state" and not _PASSING.search(text) else "recent"
        days = [d for i in versions for e in self.memory.support[i] if e in self.seen and (d := self.said_on(e))]
        last = max((d for e in self.memory.support[note.id] if e in self.seen and (d := self.said_on(e))), default="")
        until = self.until(keys.get("valid_to"), keys.get("valid_from"), last) if section == "recent" else ""
        return Wanted(text, section, self.status(note.id), versions, min(days, default=""), last, until)

    def said_on(self, episode: str) -> str:
        keys = self.memory.files[episode].frontmatter
        return day(str(keys.get("to") or keys.get("from") or ""))

    def until(self, valid_to: object, valid_from: object, last: str) -> str:
        """A recent matter leaves the view some time after it was last said, or after the day that it is about."""
        days = [d for d in (day(str(valid_to or "")), day(str(valid_from or "")), last) if d]
        if not days:
            return ""
        gone = datetime.fromisoformat(max(days)) + timedelta(days=self.config.formation.recent_days)
        return gone.date().isoformat()

    def owner_names(self, leaf: str) -> frozenset[str]:
        """The owner's names, and those under which the sessions that state the leaf know the owner."""
        names = set(self.owner.names)
        for episode in self.memory.support.get(leaf, ()):
            for turn in self.memory.turns_of.get(episode, ()):
                note = self.memory.note(turn)
                if note is None:
                    continue
                names.add(folded(str(note.frontmatter.get("owner") or "user")))
                names |= {folded(t.speaker) for t in note.turns if t.role == "user"}
        return frozenset(names)

    def is_owners(self, leaf: str) -> bool:
        """Held by the owner, and not merely said of them by somebody else."""
        keys = self.memory.files[leaf].frontmatter
        names = self.owner_names(leaf)
        holder = folded(str(keys.get("holder") or keys.get("subject") or ""))
        speaker = folded(str(keys.get("speaker") or ""))
        return (
            holder in names
            and (not speaker or speaker in names)
            and str(keys.get("tree", "")).startswith("interaction:")
        )

    def status(self, leaf: str) -> str:
        """`stated` where the owner's own words are there, else `inferred`."""
        note = self.memory.files[leaf]
        return "stated" if quotes(note) or note.frontmatter.get("method") in ("human", "rules") else "inferred"


def problem(patch: Patch, draw: Draw, fresh: frozenset[str], lines: dict[str, ProfileLine], length: int) -> str:
    """Why a patch may not be done; "" when it may. `fresh`: leaves stated by episodes since the last patch."""
    old = lines.get(patch.id)
    if patch.action not in ("add", "rewrite", "drop"):
        return f"there is no action “{patch.action}”"
    if patch.action != "add" and (old is None or not old.mine):
        return "there is no such line of memd's" if old is None else "a person wrote or changed this line"
    if patch.action == "drop":
        return ""
    if not patch.text.strip() or "\n" in patch.text or "[[" in patch.text:
        return "the text is empty, or not one plain line"
    if len(patch.text) > length:
        return f"the text has {len(patch.text)} characters, at most {length} are allowed"
    if patch.section not in SECTIONS or patch.status not in ("stated", "inferred"):
        return "the section or the status is not one that the profile has"
    if patch.until and seconds(patch.until) is None:
        return "the last day is no date"
    return _unsourced(patch, draw, fresh, old)


def _unsourced(patch: Patch, draw: Draw, fresh: frozenset[str], old: ProfileLine | None) -> str:
    known = fresh | _ids(draw.memory, old.sources if old else ())
    if not patch.sources:
        return "it names no source"
    if not set(patch.sources) <= known:
        return "it names a source that no episode since the last patch states"
    if not all(draw.is_owners(s) for s in patch.sources):
        return "it rests on what is somebody else's"
    if any(draw.memory.files[s].sensitive for s in patch.sources):
        return "it rests on sensitive material"
    return ""


def _ids(memory: Memory, stems: Iterable[str]) -> frozenset[str]:
    return frozenset(id for s in stems if (id := memory.refer(s)))


def stems(memory: Memory, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(stem(memory.files[id].path) for id in ids if id in memory.files)
