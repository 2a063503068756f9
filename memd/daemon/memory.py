"""Memory's methods: which formation steps a call sets going, and what its caller is told.

Knows the order of steps. Never knows how a step decides; what only looks is answered by `serve.handlers.memory_reads`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from memd.daemon.aftermath import Aftermath
from memd.daemon.core import Core
from memd.daemon.duties import Duties
from memd.daemon.erase import Eraser
from memd.daemon.intake import Handing, Intake, masked
from memd.daemon.looking import Looking
from memd.daemon.prompts import Asker
from memd.daemon.steps import Answerer, Begin, Steps
from memd.daemon.writing import Tokens, signature
from memd.edit.diff import unified
from memd.edit.secrets import blank, refuse_secrets
from memd.edit.sensitivity import sensitivity
from memd.form import chains, correct, evidence, moves, profile, trees, view
from memd.form.backlog import Backlog, backlog
from memd.form.evidence import Material
from memd.model.change import Change
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.memory import Outcome
from memd.model.note import Note
from memd.model.vault import Vault
from memd.serve import params
from memd.serve.handlers import lookup
from memd.serve.handlers.context import Context
from memd.serve.messages import Call

Answer = dict[str, Any]


class Memories:
    """`config` may be replaced between calls."""

    METHODS = (
        "ingest", "remember", "correct", "seal", "patch", "chains", "forget", *Looking.METHODS,
    )  # fmt: skip

    def __init__(
        self, core: Core, config: Config, now: Callable[[], datetime], stamp: Callable[[], str], tokens: Tokens
    ) -> None:
        self.core = core
        self.config = config
        self.now = now
        self._tokens = tokens
        self._asker = Asker(lambda: self.config)
        self._looking = Looking(core, lambda: self.config)
        self.steps = Steps(core, Answerer(core, self._asker), stamp)
        self.intake = Intake(self.steps, lambda: self.config, now)
        self.eraser = Eraser(core, self.steps, lambda: self.config, now)
        self.aftermath = Aftermath(core, lambda: self.config, now, stamp)
        self.duties = Duties(core, self.steps, self.intake, self.aftermath, lambda: self.config, now)

    @property
    def model(self) -> str:
        return self._asker.name

    async def answer(self, name: str, call: Call, ctx: Context, confirm: bool) -> Answer:
        """The contract's result. `confirm`: the caller must show a plan first."""
        if name in Looking.METHODS:
            return await self._looking.answer(name, call, ctx)
        if name == "forget":
            return await self._forget(call, confirm)
        if call.params.dry_run or (confirm and not call.params.token):
            return await self._preview(name, call, ctx)
        if call.params.token:
            self._tokens.redeem(call.params.token, signature(call))
        acting: dict[str, Callable[[Any, Context], Any]] = {
            "ingest": self._ingest,
            "remember": self._remember,
            "correct": self._correct,
            "seal": self._seal,
            "patch": self._patch,
            "chains": self._chains,
        }
        told: Answer = await acting[name](call.params, ctx)
        await self.aftermath.journal()
        return told

    # what is shown before it is done ----------------------------------------------------------------------------------

    async def _preview(self, name: str, call: Call, ctx: Context) -> Answer:
        return self._asking(call, await self._rehearsed(self._first_step(name, call.params, ctx), call))

    async def _rehearsed(self, step: Begin, call: Call) -> Answer:
        plan, _ = await self.steps.decide(step)
        diff = await self.core.in_reader(unified, plan, self.core.bodies.anything)
        return {"plan": diff, "token": self._tokens.issue(signature(call), plan), "reasons": list(plan.reasons)}

    @staticmethod
    def _asking(call: Call, shown: Answer) -> Answer:
        """The plan, to whom asked for it; who did not must confirm it."""
        if call.params.dry_run:
            return shown
        raise Refused("confirm_required", "show this plan to the user, then call again with its token", **shown)

    def _first_step(self, name: str, asked: Any, ctx: Context) -> Begin:
        """What the call does first; what follows from it is decided on what that leaves."""
        if name not in ("ingest", "remember"):
            return self._step(name, asked)
        handing = self._remembered(asked) if name == "remember" else _handing(asked)
        return lambda vault: evidence.register(vault, self.config, self.now(), handing.material)

    def _step(self, name: str, asked: Any) -> Begin:
        steps: dict[str, Begin] = {
            "correct": lambda vault: correct.correct(vault, self.config, self.now(), asked.id, asked.text),
            "seal": lambda vault: trees.seal(vault, self.config, self.now(), asked.tree),
            "patch": lambda vault: profile.patch(vault, self.config, self.now()),
            "chains": lambda vault: chains.weave(vault, self.config, self.now(), asked.subject),
        }
        return steps[name]

    # taking in ---------------------------------------------------------------------------------------------------------

    async def _ingest(self, asked: params.Ingest, ctx: Context) -> Answer:
        return await self._take_in(_handing(asked), asked.close, asked.wait)

    async def _take_in(self, handing: Handing, close: bool, wait: bool) -> Answer:
        registered = await self.intake.register(handing)
        session = handing.material.session
        made: tuple[dict[str, Any], ...] = ()
        outcomes: tuple[Outcome, ...] = ()
        now_done = wait or bool(handing.episodes) or bool(handing.atoms)
        waiting = False
        if now_done:
            made = await self.intake.episodes(handing, registered, close or bool(handing.atoms))
            if handing.atoms:
                outcomes = await self.intake.handed_atoms(handing, registered)
            else:
                outcomes, waiting = await self._read(made)
        else:
            self.duties.session(session, close)
        return {
            "job": self.duties.open(session, done=now_done and not waiting),
            "evidence": [{"id": kept.id, "event_id": kept.event_id, "path": kept.path} for kept in registered.kept],
            "redacted": list(handing.redacted),
            "episodes": list(made),
            "leaves": [_told(outcome) for outcome in outcomes],
            "pending": waiting or not now_done,
        }

    async def _read(self, episodes: tuple[dict[str, Any], ...]) -> tuple[tuple[Outcome, ...], bool]:
        """Leaves of these episodes, and whether one waits for a model that did not answer: nothing of it is lost."""
        outcomes: tuple[Outcome, ...] = ()
        waiting = False
        for episode in episodes:
            try:
                outcomes += await self.intake.read_episode(episode["id"])
            except Refused as refused:
                if refused.code != "unavailable":
                    raise
                waiting = True
        return outcomes, waiting

    def _remembered(self, asked: params.Remember) -> Handing:
        """Its secrets masked. Raises Refused: refused_secret, where there is nothing else; invalid_params without a word."""
        material, atoms = evidence.remembered(
            asked.text,
            self.now(),
            self.config,
            subject=asked.subject,
            aspect=asked.aspect,
            kind=asked.kind or "claim",
            at=asked.at,
            session=asked.session,
            origin="human",
            sensitivity=sensitivity((asked.text,), asked.sensitivity),
        )
        handing = masked(material, (), atoms)
        if blank(handing.material.events[0].text):
            refuse_secrets((asked.text,), asked.sensitivity == "sensitive")
            raise Refused("invalid_params", "there is nothing to remember: say it in words")
        return handing

    async def _remember(self, asked: params.Remember, ctx: Context) -> Answer:
        answer = await self._take_in(self._remembered(asked), True, True)
        return {key: answer[key] for key in ("evidence", "leaves", "redacted", "pending")}

    # steps on demand -----------------------------------------------------------------------------------------------------

    async def _correct(self, asked: params.Correct, ctx: Context) -> Answer:
        return _plain(await self.steps.run(self._step("correct", asked)))

    async def _seal(self, asked: params.Seal, ctx: Context) -> Answer:
        told = await self.steps.run(self._step("seal", asked))
        made, replaced = list(told.made), list(told.replaced)
        while told.more:
            told = await self.steps.run(self._step("seal", asked))
            made += told.made
            replaced += told.replaced
        return {"made": made, "replaced": replaced, "refused": []}

    async def _patch(self, asked: params.Patch, ctx: Context) -> Answer:
        told = _plain(await self.steps.run(self._step("patch", asked)))
        return {**told, "made": told["added"], "refused": [{"text": t, "reason": r} for t, r in told["refused"]]}

    async def _chains(self, asked: params.Chains, ctx: Context) -> Answer:
        told = _plain(await self.steps.run(self._step("chains", asked)))
        return {**told, "refused": []}

    # forgetting ----------------------------------------------------------------------------------------------------------

    async def _forget(self, call: Call, confirm: bool) -> Answer:
        asked: params.Forget = call.params
        plan, told = await self.eraser.preview(asked)
        shown = {"plan": self.eraser.shown(plan, told), "token": self._tokens.issue(signature(call), plan)}
        if asked.dry_run:
            return shown
        if confirm and not asked.token:
            raise Refused("confirm_required", "show this plan to the user, then call again with its token", **shown)
        if asked.token:
            self._tokens.redeem(asked.token, signature(call))
        return await self.eraser.erase(asked)

    # moving what memory owns -------------------------------------------------------------------------------------------

    @staticmethod
    def moves(to: str) -> bool:
        """Whether a move's destination is a tree, and no place for a file."""
        return to.startswith(("interaction:", "integration:"))

    async def moved(self, call: Call, ctx: Context, confirm: bool) -> Answer:
        """The answer to a move of a leaf to a tree, or of an entity into another."""
        asked: params.Move = call.params
        note = lookup.find(ctx, asked)
        step: Begin
        if note.kind == "leaf":
            step = partial(moves.move_leaf, config=self.config, now=self.now(), id=note.id, tree=asked.to)
        elif note.kind == "entity":
            step = partial(moves.merge, config=self.config, now=self.now(), tree=note.id, into=asked.to)
        else:
            raise Refused("invalid_params", f"only a leaf or an entity goes into a tree; {note.path} is neither")
        if asked.dry_run or (confirm and not asked.token):
            return self._asking(call, await self._rehearsed(step, call))
        if asked.token:
            self._tokens.redeem(asked.token, signature(call))
        told = await self.steps.run(step)
        return {"old_path": note.path, "new_path": self._place(note), "links": [], **_plain(told)}

    def _place(self, note: Note) -> str:
        now = self.core.vault.by_id(note.id)
        return now.path if now else ""

    # states --------------------------------------------------------------------------------------------------------------

    def backlog(self) -> dict[str, int]:
        return self._backlog().counts()

    def _backlog(self) -> Backlog:
        return backlog(view.of(self.core.vault), self.config)

    def job(self, id: str) -> Answer:
        return self.duties.job(id)

    async def changed(self, change: Change, before: Vault, mine: bool) -> None:
        """After each change, with the turn held."""
        if await self.aftermath.follow(change, before, mine):
            self.duties.hand()

    async def close(self) -> None:
        await self.duties.close()
        self.steps.close()
        self._looking.close()


def _handing(asked: params.Ingest) -> Handing:
    material = Material(
        asked.session,
        tuple(asked.events),
        asked.source,
        asked.category,
        asked.owner,
        asked.focus,
        "agent",
    )
    return masked(material, asked.episodes, asked.atoms)


def _told(outcome: Outcome) -> Answer:
    return {name: getattr(outcome, name) for name in ("id", "path", "tree", "outcome", "entity_decision", "reason")}


def _plain(told: Any) -> Answer:
    answer: Answer = msgspec.to_builtins(told)
    return answer
