"""Taking material in: secrets masked first, evidence on disk next, then episodes, atoms and leaves.

Knows the order of the formation steps and what the caller is told. Never judges: each step is `form`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from msgspec import Struct, structs

from memd.daemon.steps import Steps
from memd.edit.secrets import redact
from memd.edit.sensitivity import sensitivity
from memd.form import atoms, episodes, evidence, leaves, view, withdrawn
from memd.form.asked import method_of
from memd.form.backlog import signed
from memd.form.evidence import Material, Registered
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import one_line
from memd.model.memory import Atom, Event, Handed, Outcome
from memd.model.note import Note
from memd.model.plan import Plan
from memd.model.question import Asking
from memd.model.vault import Vault


class Handing(Struct, frozen=True):
    """A call's material with its secrets masked; `redacted` says where they stood: `{event, event_id, kinds}`."""

    material: Material
    episodes: tuple[Handed, ...]
    atoms: tuple[Atom, ...]
    redacted: tuple[dict[str, Any], ...]


EVENT_TEXTS = ("text", "uri", "speaker", "modality", "role")
MATERIAL_TEXTS = ("session", "source", "owner", "focus")
"""Every field of a call that is written down in somebody's words; ids are programs', and would cost more than the text."""
NAMES = ("modality", "role", *MATERIAL_TEXTS)
"""Of these, names: long numbers are nothing secret in them."""


def masked(material: Material, handed: Sequence[Handed], candidates: Sequence[Atom]) -> Handing:
    """Nothing that goes further holds a credential; what is marked sensitive keeps its numbers."""
    clean = cache(redact)
    events: list[Event] = []
    redacted: list[dict[str, Any]] = []
    for number, event in enumerate(material.events):
        if not event.sensitivity and sensitivity((event.text,)) == "sensitive":
            event = structs.replace(event, sensitivity="sensitive")
        sensitive = event.sensitivity == "sensitive"
        cleaned = {
            field: clean(text, sensitive or field in NAMES) for field in EVENT_TEXTS if (text := getattr(event, field))
        }
        if kinds := {kind for _, found in cleaned.values() for kind in found}:
            event = structs.replace(event, **{field: text for field, (text, _) in cleaned.items()})
            redacted.append({"event": number, "event_id": event.id, "kinds": sorted(kinds)})
        events.append(event)
    return Handing(
        structs.replace(
            material,
            events=tuple(events),
            **{f: redact(one_line(getattr(material, f)), f in NAMES)[0] for f in MATERIAL_TEXTS},
        ),
        tuple(structs.replace(each, topic=_clean(each.topic), narrative=_clean(each.narrative)) for each in handed),
        tuple(_clean_atom(atom) for atom in candidates),
        tuple(redacted),
    )


def _clean(text: str) -> str:
    return redact(text)[0]


def _clean_atom(atom: Atom) -> Atom:
    sensitive = atom.sensitivity == "sensitive"
    fields = ("text", "subject", "aspect", "entity", "entity_type", "holder", "speaker", "rationale")
    return structs.replace(
        atom,
        quotes=tuple(redact(quote, sensitive)[0] for quote in atom.quotes),
        labels=tuple(redact(label, sensitive)[0] for label in atom.labels),
        **{field: redact(getattr(atom, field), sensitive)[0] for field in fields},
    )


class Intake:
    """`config` and `now` are asked anew for each step."""

    def __init__(self, steps: Steps, config: Callable[[], Config], now: Callable[[], datetime]) -> None:
        self._steps = steps
        self._config = config
        self._now = now

    async def register(self, handing: Handing) -> Registered:
        """Evidence, on disk when this returns. Raises Refused: withdrawn."""
        material = handing.material

        def begin(vault: Vault) -> Asking:
            config = self._config()
            reason = yield from withdrawn.refusal(config, material.session, material.source, material.events)
            if reason:
                raise Refused("withdrawn", reason)
            return (yield from evidence.register(vault, config, self._now(), material))

        registered: Registered = await self._steps.run(begin, quick=True)
        return registered

    async def episodes(
        self, handing: Handing, registered: Registered | None, close: bool
    ) -> tuple[dict[str, Any], ...]:
        """The episodes that this call closed or handed over: `{id, path, topic}`."""
        material = handing.material

        def begin(vault: Vault) -> Asking:
            if handing.episodes:
                return episodes.hand_over(vault, self._config(), self._now(), material, handing.episodes, registered)
            return episodes.segment(vault, self._config(), self._now(), material.session, close)

        told = await self._steps.run(begin)
        return tuple({"id": made.id, "path": made.path, "topic": made.topic} for made in told.episodes)

    async def handed_atoms(self, handing: Handing, registered: Registered) -> tuple[Outcome, ...]:
        """Leaves of the caller's atoms, in the caller's order; an atom whose turns have no episode yet waits for one."""
        given = handing.atoms
        shared = await self._shared(handing, registered)
        if shared.open:
            await self.episodes(handing, registered, True)
            shared = await self._shared(handing, registered)
        outcomes: dict[int, Outcome] = {}
        for id, numbers in shared.episodes:
            some = tuple(given[number] for number in numbers)
            found = await self._steps.run(self._leaves(id, some, registered))
            outcomes |= dict(zip(numbers, found, strict=True))
        for number in shared.open:
            outcomes[number] = Outcome("not_admitted", "its turns are in no episode yet", text=given[number].text)
        return tuple(outcomes[number] for number in sorted(outcomes))

    async def _shared(self, handing: Handing, registered: Registered) -> atoms.Shared:
        session, given = handing.material.session, handing.atoms
        shared: atoms.Shared = await self._steps.run(
            lambda vault: atoms.share_out(vault, self._config(), self._now(), session, given, registered), quick=True
        )
        return shared

    async def read_episode(self, id: str) -> tuple[Outcome, ...]:
        """Atoms by the configured method, and their leaves; nothing where the method has read the episode already.

        Raises Refused: unavailable, where nobody could answer: the episode stays due.
        """
        outcomes: tuple[Outcome, ...] | None = await self._steps.run(self._leaves(id, (), None))
        if outcomes is None:
            raise Refused("unavailable", f"{self.method} gave no answer yet: the episode waits and is read again later")
        return outcomes

    def _leaves(self, id: str, given: tuple[Atom, ...], registered: Registered | None) -> Callable[[Vault], Asking]:
        def begin(vault: Vault) -> Asking:
            config, now = self._config(), self._now()
            episode: Note | None = view.of(vault).files.get(id)
            if episode is None or (not given and signed(episode, config.formation.method)):
                return Plan(), ()
            _, extracted = yield from atoms.extract(vault, config, now, episode, given, registered)
            if extracted.pending:
                return Plan(), None
            return (yield from leaves.admit(vault, config, now, episode, extracted.atoms, extracted.method))

        return begin

    async def narrate(self, id: str) -> None:
        """The narrative again by the wanted method, where another wrote it."""

        def begin(vault: Vault) -> Asking:
            episode = view.of(vault).files.get(id)
            if episode is None:
                return Plan(), False
            return (yield from episodes.narrate(vault, self._config(), self._now(), episode))

        await self._steps.run(begin)

    @property
    def method(self) -> str:
        return method_of(self._config())
