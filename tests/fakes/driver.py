"""An in-memory vault for formation steps: files are a dict, plans are carried out at once, nobody can judge.

Also what most tests of `form` begin with: a session with one episode, and atoms for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from memd.form import canopy, chains, forget, leaves, profile, trees, view
from memd.form.files import body_hash
from memd.form.keys import shortened
from memd.form.oblivion import Forgotten
from memd.model.change import Change
from memd.model.config import Config, FormationConfig, OwnerConfig
from memd.model.fingerprint import make_id, sha256
from memd.model.memory import Atom, Event, Outcome
from memd.model.note import Note
from memd.model.plan import ABSENT, Move, Plan, Remove, Write
from memd.model.question import Asking, Embed, Judge, Read, Similar
from memd.model.vault import Vault
from memd.parse import render
from memd.parse.memory import block
from memd.parse.note import parse_note

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)
_ROLES = ("user", "assistant")


class Displaced(AssertionError):
    """A plan met a file that is not what it was decided on."""


class Driver:
    """`files`: path to bytes. `judge` answers `Judge` questions; by default nobody can. `asked` keeps every question."""

    def __init__(self, config: Config | None = None, judge: Callable[[Judge], Any] = lambda question: None) -> None:
        self.files: dict[str, bytes] = {}
        self.vault = Vault()
        self.config = config or Config()
        self.judge = judge
        self.now = NOW
        self.arrivals = 0
        self.asked: list[Any] = []
        self.plans: list[Plan] = []

    # files ------------------------------------------------------------------------------------------------------

    def put(self, path: str, data: bytes | str | None) -> None:
        """A person's (or a sync engine's) change to a file; None deletes it."""
        if data is None:
            self.files.pop(path, None)
            self.vault = self.vault.after(Change(removed=(path,)))
            return
        self.files[path] = data.encode() if isinstance(data, str) else data
        if not path.startswith("."):
            self.vault = self.vault.after(Change(written=(self.parsed(path),)))

    def parsed(self, path: str) -> Note:
        return parse_note(path, self.files[path], self.now.timestamp(), ZONE)[0]

    def text(self, path: str) -> str:
        return self.files[path].decode()

    def paths(self, part: str) -> list[str]:
        return sorted(p for p in self.files if part in p and not p.startswith("."))

    def reopened(self) -> Driver:
        """The same files, read again from nothing."""
        other = Driver(self.config, self.judge)
        other.files = dict(self.files)
        other.now, other.arrivals = self.now, self.arrivals
        other.vault = Vault(other.parsed(path) for path in sorted(self.files) if not path.startswith("."))
        return other

    @property
    def memory(self) -> view.Memory:
        return view.of(self.vault)

    @property
    def canopy(self) -> canopy.Canopy:
        return canopy.of(self.memory)

    # steps ------------------------------------------------------------------------------------------------------

    def run(self, step: Asking, *, apply: bool = True) -> Any:
        """Drives a step, carries its plan out (unless told not to), and gives what it tells."""
        plan, told = self.plan_of(step)
        self.plans.append(plan)
        if apply:
            self.apply(plan)
        return told

    def plan_of(self, step: Asking) -> tuple[Plan, Any]:
        answer: Any = None
        while True:
            try:
                question = step.send(answer)
            except StopIteration as end:
                return end.value
            self.asked.append(question)
            answer = self._answer(question)

    def _answer(self, question: Any) -> Any:
        match question:
            case Read(path):
                return self.files.get(path)
            case Judge():
                return self.judge(question)
            case Similar(text, kind, limit, owner):
                return self._similar(text, kind, limit, owner)
            case Embed(texts):
                return tuple(None for _ in texts)
        raise AssertionError(question)

    def _similar(self, text: str, kind: str, limit: int, owner: str) -> tuple[tuple[str, float], ...]:
        """By shared characters: enough to put the likely ones first."""
        wanted = set(text.casefold())
        scored = []
        for note in self.memory.of_kind(kind):
            if not owner or self.memory.tree_of(note.id) == owner:
                there = set((note.lead or note.title).casefold())
                scored.append((note.id, len(wanted & there) / max(1, len(wanted | there))))
        return tuple(sorted(scored, key=lambda s: (-s[1], s[0]))[:limit])

    def apply(self, plan: Plan, upto: int | None = None) -> None:
        """Carries out the steps, all or the first `upto`; a file that is not what was expected is a `Displaced`."""
        written: dict[str, Note] = {}
        removed: list[str] = []
        for step in plan.steps[:upto]:
            self._expect(step.path, step.expect)
            match step:
                case Write(path, content):
                    self.files[path] = content
                    if not path.startswith("."):
                        written[path] = self.parsed(path)
                case Move(path, to):
                    assert to not in self.files, to
                    self.files[to] = self.files.pop(path)
                    written.pop(path, None)
                    removed.append(path)
                    if not to.startswith("."):
                        written[to] = self.parsed(to)
                case Remove(path):
                    self.files.pop(path, None)
                    written.pop(path, None)
                    removed.append(path)
        self.vault = self.vault.after(Change(tuple(written.values()), tuple(p for p in removed if p not in written)))

    def _expect(self, path: str, expect: str | None) -> None:
        if expect is None:
            return
        found = sha256(self.files[path]) if path in self.files else ABSENT
        if found != expect:
            raise Displaced(f"{path}: expected {expect[:8] or 'nothing'}, found {found[:8] or 'nothing'}")

    # material ---------------------------------------------------------------------------------------------------

    def said(
        self,
        session: str,
        *turns: tuple[str, ...],
        at: str = "2026-03-01T09:00:00+08:00",
        created: str = "",
        source: str = "chat",
        category: str = "interaction",
        sensitive: bool = False,
        episode: bool = True,
    ) -> Note:
        """Evidence of a session, turns of (speaker, words, said at: else `at`), and the one episode over it. Gives the
        episode's note."""
        stem = f"{at[:10]}-{session}"
        evidence = f"memory/evidence/{at[:4]}/{at[5:7]}/{stem}.md"
        if evidence in self.files and episode:
            return next(
                n for n in self.memory.episodes if session in n.path and n.path.split("/")[-1].startswith(at[:10])
            )
        self.arrivals += 1
        created = created or (NOW - timedelta(days=30) + timedelta(minutes=self.arrivals)).isoformat()
        keys = {
            "id": make_id("ev", session, at[:10]),
            "type": "evidence",
            "title": stem,
            "session": session,
            "source": source,
            "category": category,
            "date": at[:10],
            "turns": len(turns),
            "created": created,
            "sensitivity": "sensitive" if sensitive else "normal",
        }
        blocks = "".join(
            block(Event(who, words, f"{session}.{n}", who if who in _ROLES else "", *when or (at,), created), f"t{n}")
            for n, (who, words, *when) in enumerate(turns, 1)
        )
        self.put(evidence, render.file(keys, "") + blocks.encode())
        if not episode:
            return self.vault.notes[evidence]
        return self.episode(session, stem, range(1, len(turns) + 1), turns, at, created, sensitive)

    def episode(
        self,
        session: str,
        stem: str,
        numbers: Iterable[int],
        turns: tuple[tuple[str, ...], ...],
        at: str,
        created: str,
        sensitive: bool = False,
    ) -> Note:
        id = make_id("ep", session, at, *map(str, numbers))
        body = " ".join(f"{who}: {words}" for who, words, *_ in turns) + "\n"
        keys = {
            "id": id,
            "type": "episode",
            "title": shortened(turns[0][1], 40) if turns else session,
            "topic": shortened(turns[0][1], 40) if turns else session,
            "from": at,
            "to": at,
            "participants": list(dict.fromkeys(who for who, *_ in turns)),
            "turns": [f"[[{stem}#^t{n}]]" for n in numbers],
            "evidence": "full",
            "created": created,
            "method": "rules",
            "body_sha256": body_hash(body),
            "sensitivity": "sensitive" if sensitive else "normal",
        }
        path = f"memory/episodes/{at[:4]}/{at[5:7]}/{at[:10]}-{session}-{id}.md"
        self.put(path, render.file(keys, body))
        return self.vault.notes[path]

    def take(
        self,
        session: str,
        words: str,
        *atoms: Atom,
        at: str = "2026-03-01T09:00:00+08:00",
        speaker: str = "user",
        **more: Any,
    ) -> tuple[Outcome, ...]:
        """One turn, one episode, and its atoms admitted."""
        episode = self.said(session, (speaker, words), at=at, **more)
        return self.admit(episode, *atoms)

    def admit(self, episode: Note, *atoms: Atom, method: str = "agent") -> tuple[Outcome, ...]:
        episode = self.vault.notes[episode.path]
        return self.run(leaves.admit(self.vault, self.config, self.now, episode, atoms, method))

    def seal(self, tree: str = "") -> trees.Sealed:
        return self.run(trees.seal(self.vault, self.config, self.now, tree))

    def weave(self) -> chains.Chained:
        return self.run(chains.weave(self.vault, self.config, self.now))

    def patch(self) -> profile.Patched:
        return self.run(profile.patch(self.vault, self.config, self.now))

    def forget(
        self, purge: bool = False, withdraw: bool = False, copies: Iterable[str] = (), **target: str
    ) -> Forgotten:
        self.now += timedelta(milliseconds=1)
        return self.run(forget.forget(self.vault, self.config, self.now, target, purge, withdraw, copies))

    def leaf(self, id: str) -> Note:
        note = self.memory.files[id]
        assert note.kind == "leaf", note.kind
        return note


def atom(
    text: str, subject: str = "Harlow mill", aspect: str = "place", kind: str = "state", sure: float = 0.95, **more: Any
) -> Atom:
    return Atom(text, subject=subject, aspect=aspect, kind=kind, confidence=sure, **more)


def owned(name: str = "", *aliases: str, **formation: Any) -> Config:
    """A config with an owner and settings of formation."""
    return Config(owner=OwnerConfig(name, aliases), formation=FormationConfig(**formation))
