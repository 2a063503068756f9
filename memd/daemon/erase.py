"""Forgetting carried out: the plan, and for a purge memd's own copies, a cache built anew, and the proof.

Knows where words may still be: the vault, memd's folders in it, the cache. The phrases it looks for live in memory only
and are never logged or written. Never decides what depends on what: that is `form.forget`.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from memd.daemon.core import Core
from memd.daemon.steps import Steps
from memd.disk.paths import CONFLICT, TRASH
from memd.form import forget, purge, view
from memd.form.oblivion import Forgotten
from memd.index import tokens
from memd.index.port import Phrase, Query
from memd.model.config import Config
from memd.model.fingerprint import one_line
from memd.model.plan import Plan, Write
from memd.model.question import Asking
from memd.model.vault import Vault
from memd.recall.names import clean
from memd.serve import params

CHUNK = 1 << 20
HITS = 20
"""Answers of the index to a phrase that are held against their files."""
KEEPERS = (".git", ".stversions", ".obsidian/plugins/obsidian-git", ".dropbox.cache", ".SynologyDrive")
"""Folders in a vault in which other programs keep old versions that memd never touches."""


class Eraser:
    def __init__(self, core: Core, steps: Steps, config: Callable[[], Config], now: Callable[[], datetime]) -> None:
        self._core = core
        self._steps = steps
        self._config = config
        self._now = now
        self._root = core.keeper.how.root

    def _begin(self, asked: params.Forget) -> Callable[[Vault], Asking]:
        target = {kind: name for kind in asked.target.__struct_fields__ if (name := getattr(asked.target, kind))}
        copies = tuple(_kept_copies(self._root)) if asked.purge else ()
        return lambda vault: forget.forget(
            vault, self._config(), self._now(), target, asked.purge, asked.withdraw, copies
        )

    async def preview(self, asked: params.Forget) -> tuple[Plan, Forgotten]:
        """What would be removed and made again. Raises Refused: not_found, invalid_params."""
        return await self._steps.decide(self._begin(asked))

    def shown(self, plan: Plan, told: Forgotten) -> dict[str, Any]:
        removed = [_gone(each) for each in told.removed]
        known = {each["path"] for each in removed}
        spare = [step.path for step in plan.steps if not hasattr(step, "content") and step.path not in known]
        return {
            "removed": removed,
            "recomputed": [_gone(each) for each in told.recomputed],
            "copies": [clean(path) for path in spare if path.startswith((TRASH, CONFLICT))],
            "edited": [clean(path) for path in told.edited],
        }

    async def erase(self, asked: params.Forget) -> dict[str, Any]:
        """Carry it out. `remaining`: where it is still said; `unreachable`: where memd cannot look."""
        plan, told = await self.preview(asked)
        phrases = await self._core.in_reader(self._distinctive, plan, told.phrases) if asked.purge else ()
        before = await self._core.in_reader(self._found, phrases) if asked.purge else []
        told = await self._steps.run(self._begin(asked), quick=True, forgets=True)
        shown = self.shown(plan, told)
        if not asked.purge:
            return {**shown, "done": True, "remaining": [], "unreachable": []}
        await self._core.in_scribe(lambda: self._core.writer.settle(self._core.stamp(self._now()), now=True))
        await self._core.rebuild()
        remaining = await self._remaining(phrases or told.phrases)
        after = await self._core.in_reader(self._found, phrases)
        notes = {each["path"] for each in remaining}
        remaining += [each for each in after if each["path"] not in notes]
        return {
            **shown,
            "done": True,
            "remaining": remaining,
            "unreachable": [name for name in KEEPERS if os.path.exists(os.path.join(self._root, name))],
            "proof": {"phrases": len(phrases), "found_before": len(before), "found_after": len(after)},
        }

    async def _remaining(self, phrases: tuple[str, ...]) -> list[dict[str, Any]]:
        """The person's own notes that still say it."""

        def begin(vault: Vault) -> Asking:
            return Plan(), (yield from purge.remaining(vault, view.of(vault), phrases))

        found = await self._steps.run(begin, quick=True)
        return [{**each, "path": clean(str(each["path"]))} for each in found]

    def _distinctive(self, plan: Plan, phrases: tuple[str, ...]) -> tuple[str, ...]:
        """The phrases that only what is forgotten brought in: none that evidence which stays says too, and of what memd
        made of it none that is made of other material alike. A word for word copy of forgotten words always counts."""
        planned = {step.path for step in plan.steps}
        notes = self._core.vault.notes
        said = "\n".join(self._normal(p) for p in planned if (n := notes.get(p)) and n.kind == "evidence")
        left = dict.fromkeys(phrases)
        stays = {step.path for step in plan.steps if isinstance(step, Write)}
        for path, note in notes.items():
            own = note.kind == "leaf" and path in stays
            if (path in planned and not own) or not note.id or note.kind == "note" or not left:
                continue
            text = purge.normal(note.lead) if own else self._normal(path)
            for phrase in [p for p in left if p in text and (note.kind == "evidence" or p not in said)]:
                del left[phrase]
        return tuple(left)

    def _normal(self, path: str) -> str:
        return purge.normal((self._core.bodies.anything(path) or b"").decode("utf-8", "replace"))

    def _found(self, phrases: tuple[str, ...]) -> list[dict[str, Any]]:
        """Files of vault and cache, and answers of the index, that hold a phrase. Reads every byte."""
        forms = {form for phrase in phrases for form in _forms(phrase)}
        if not forms:
            return []
        places = {"vault": self._root, "cache": self._core.library.cache}
        found = [
            {"where": where, "path": clean(os.path.relpath(path, top))}
            for where, top in places.items()
            for path in _every(top)
            if _names(path, forms) or _holds(path, forms)
        ]
        said = any(self._indexed(phrase) for phrase in phrases)
        return found + ([{"where": "index", "path": ""}] if said else [])

    def _indexed(self, phrase: str) -> bool:
        """Whether the text index holds the phrase for a file that does not, or does word for word. It knows stems only:
        a file with other forms of the same words is no find."""
        for hit in self._core.library.words(Query(must=(Phrase(phrase),)), HITS):
            note = self._core.vault.notes.get(hit.path)
            language = tokens.stems_as(note.language) if note else "en"
            text = self._normal(hit.path)
            alike = (
                f" {' '.join(tokens.terms(phrase, language).order)} "
                in f" {' '.join(tokens.terms(text, language).order)} "
            )
            if phrase in text or not alike:
                return True
        return False


def _gone(each: Any) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(each)
    return {**told, "path": clean(told["path"])}


def _forms(phrase: str) -> Iterator[bytes]:
    """A folded phrase as bytes on disk may have it; files are folded alike before they are compared."""
    yield phrase.encode()
    yield unicodedata.normalize("NFD", phrase).encode()


def _names(path: str, forms: Iterable[bytes]) -> bool:
    """Whether the file's own name says it."""
    name = os.fsencode(one_line(os.path.basename(path).casefold()))
    return any(form in name for form in forms)


def _holds(path: str, forms: Iterable[bytes]) -> bool:
    longest = max(map(len, forms))
    try:
        with open(path, "rb") as file:
            tail = b""
            while data := file.read(CHUNK):
                window = tail + data
                folded = b" ".join(window.decode("utf-8", "replace").casefold().encode().split())
                if any(form in folded or form in window for form in forms):
                    return True
                tail = window[-4 * longest :]
    except OSError:
        return False
    return False


def _every(top: str) -> Iterator[str]:
    """Every regular file below a folder, other programs' stores of old versions left out."""
    for where, folders, names in os.walk(top, followlinks=False):
        here = os.path.relpath(where, top)
        folders[:] = [f for f in folders if os.path.normpath(os.path.join(here, f)) not in KEEPERS]
        for name in names:
            path = os.path.join(where, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _kept_copies(root: str) -> Iterator[str]:
    """What memd itself keeps of files that were replaced or put aside."""
    for folder in (TRASH, CONFLICT):
        for path in _every(os.path.join(root, folder)):
            yield os.path.relpath(path, root)
