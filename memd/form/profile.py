"""The profile: a bounded view of the owner, changed by patches, line by line.

`patch` takes in the episodes since `up_to`; `repair` puts right the lines whose sources are gone or changed standing;
`show` is the answer to `memory.profile`. A person's lines are never touched. The version before each change is kept
under `history/profile/`, whole. Knows the view, the file's text and the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.form import files, view
from memd.form.answered import as_answer
from memd.form.asked import judge
from memd.form.files import decoded, profile_path
from memd.form.keys import ID, link
from memd.form.patches import Draw, Wanted, problem, stems
from memd.form.profile_mark import mark, unseen
from memd.form.profile_page import kept
from memd.form.profile_page import line_of as line_of
from memd.form.profile_page import show as show
from memd.form.profile_text import SECTIONS, Edit, Patch, edited, read, row_of
from memd.model.config import Config
from memd.model.fingerprint import sha256
from memd.model.memory import ProfileLine
from memd.model.plan import ABSENT, Plan, Write
from memd.model.question import Asking, Judge, Read
from memd.model.vault import Vault


class Patches(Struct, frozen=True):
    """Answer to the task `profile`."""

    patches: tuple[Patch, ...]


class Patched(Struct, frozen=True):
    """Told by `patch` and `repair`: texts added, rewritten and dropped; `refused` pairs a text with the reason."""

    added: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    version: int = 0


class Page(Struct, frozen=True):
    """The file as it stands. `note` is None where there is none, or where it has no keys of memd's."""

    path: str
    data: bytes | None
    text: str
    lines: tuple[ProfileLine, ...]
    keys: dict[str, Any]


def patch(vault: Vault, config: Config, now: datetime) -> Asking:
    """Told: `Patched`. Nothing is written where no episode is new and nothing has expired."""
    memory = view.of(vault)
    page = yield from _page(vault, config)
    fresh = unseen(memory, page.keys)
    seen = frozenset(n.id for n in memory.episodes)
    draw = Draw(memory, config, seen)
    leaves = tuple(dict.fromkeys(leaf for e in fresh for leaf in memory.states.get(e.id, ())))
    patches, refused = yield from _proposed(draw, config, page, leaves)
    patches += expired(page.lines, now)
    if not fresh and not patches:
        return Plan(), Patched(refused=tuple(refused), version=_version(page))
    return _turned(draw, config, now, page, patches, refused, mark(memory.episodes))


def repair(
    vault: Vault, config: Config, now: datetime, leaves: Iterable[str], kin: Mapping[str, Iterable[str]] | None = None
) -> Asking:
    """Lines whose sources are gone, and the matters of these leaves, as far as the profile had seen. Told: `Patched`.

    `kin`: what was one matter with a leaf before some of it went, so that a person's line on it is known for one.
    """
    memory = view.of(vault)
    page = yield from _page(vault, config)
    if page.data is None:
        return Plan(), Patched()
    fresh = {e.id for e in unseen(memory, page.keys)}
    seen = tuple(e for e in memory.episodes if e.id not in fresh)
    draw = Draw(memory, config, frozenset(e.id for e in seen))
    broken = [line for line in page.lines if line.mine and not all(memory.refer(s) for s in line.sources)]
    touched = [id for line in broken for s in line.sources if (id := memory.refer(s))]
    matters = tuple(dict.fromkeys((*touched, *(i for i in leaves if i in memory.files))))
    patches = by_rule(draw, page.lines, matters, kin or {})
    settled = {p.id for p in patches}
    patches += tuple(Patch("drop", line.id) for line in broken if line.id not in settled)
    read = mark(seen)
    if not patches and ("up_to" not in page.keys or read.items() <= page.keys.items()):
        return Plan(), Patched(version=_version(page))
    return _turned(draw, config, now, page, patches, [], read)


def by_rule(
    draw: Draw, lines: tuple[ProfileLine, ...], leaves: Iterable[str], kin: Mapping[str, Iterable[str]]
) -> tuple[Patch, ...]:
    """The patches that bring the lines of these leaves' matters to what `Draw.wanted` says; a person's line stays."""
    memory, done, found = draw.memory, set(), []
    owned = [(line, {memory.refer(s) or next(iter(ID.findall(s)), "") for s in line.sources}) for line in lines]
    for leaf in leaves:
        matter = frozenset(memory.versions(leaf))
        if matter in done:
            continue
        done.add(matter)
        there = [line for line, sources in owned if sources & matter.union(kin.get(leaf, ()))]
        if any(not line.mine for line in there):
            continue
        found += _towards(draw, draw.wanted(leaf), there)
    return tuple(found)


def _towards(draw: Draw, wanted: Wanted | None, there: list[ProfileLine]) -> list[Patch]:
    if wanted is None:
        return [Patch("drop", line.id) for line in there]
    new = Patch("add", "", wanted.text, wanted.section, wanted.status, wanted.sources, wanted.until)
    if not there:
        return [new]
    keep, *rest = there
    same = (keep.text, keep.section, keep.status, keep.until, keep.first_seen, keep.last_confirmed) == (
        wanted.text, wanted.section, wanted.status, wanted.until, wanted.first_seen or "?", wanted.last_confirmed or "?"
    )  # fmt: skip
    changed = [] if same and set(keep.sources) == set(stems(draw.memory, wanted.sources)) else [
        Patch("rewrite", keep.id, wanted.text, wanted.section, wanted.status, wanted.sources, wanted.until)
    ]  # fmt: skip
    return changed + [Patch("drop", line.id) for line in rest]


def _proposed(draw: Draw, config: Config, page: Page, leaves: tuple[str, ...]) -> Asking:
    """(patches that may be done, refused ones with reasons). A model's where it gives any, else the rules'."""
    fresh, lines = frozenset(leaves), {line.id: line for line in page.lines}
    length = config.formation.profile_length
    answer = None
    if config.formation.method == "llm" and leaves:
        answer = as_answer((yield _question(draw, page, leaves)), Patches)
    proposed = answer.patches if answer is not None else by_rule(draw, page.lines, leaves, {})
    kept, refused = [], []
    for item in proposed:
        known = fresh if answer is not None else frozenset(draw.memory.files)
        if reason := problem(item, draw, known, lines, length):
            refused.append((item, reason))
        else:
            kept.append(item)
    return tuple(kept), refused


def _question(draw: Draw, page: Page, leaves: tuple[str, ...]) -> Judge:
    rows = [
        {
            "id": i,
            "text": draw.memory.files[i].lead,
            "kind": draw.memory.files[i].frontmatter.get("kind"),
            "current": draw.memory.active(i),
        }
        for i in leaves
        if draw.is_owners(i) and not draw.memory.files[i].sensitive
    ]
    lines = [{"id": n.id, "text": n.text, "section": n.section, "status": n.status} for n in page.lines if n.mine]
    inputs: dict[str, Any] = {"lines": lines, "leaves": rows}
    return judge("profile", inputs)


def expired(lines: tuple[ProfileLine, ...], now: datetime) -> tuple[Patch, ...]:
    """Recent lines whose time is over leave the view; what they were drawn from stays."""
    return tuple(Patch("drop", n.id) for n in lines if n.mine and n.until and n.until < now.date().isoformat())


def _turned(
    draw: Draw,
    config: Config,
    now: datetime,
    page: Page,
    patches: tuple[Patch, ...],
    refused: list[tuple[Patch, str]],
    read: dict[str, Any],
) -> tuple[Plan, Patched]:
    """The plan that does the patches: the version before into the history, then the file."""
    lines = {line.id: line for line in page.lines if line.mine}
    today = now.date().isoformat()
    patches = tuple(p for p in patches if p.action == "drop" or not p.until or p.until >= today)
    patches += _too_many(page.lines, patches, config.formation.profile_lines)
    edits = [edit for p in patches for edit in _edits(draw, lines, p)]
    text = edited(page.text, edits)
    version = _version(page) + (1 if text != page.text or page.data is None else 0)
    keys = _keys(draw, page, refused, read, version)
    changed = {k: v for k, v in keys.items() if page.keys.get(k) != v}
    data = files.with_keys(text.encode("utf-8", "surrogateescape"), changed)
    dropped = tuple(lines[p.id].text for p in patches if p.action == "drop" and p.id in lines)
    added, rewritten = (tuple(p.text for p in patches if p.action == action) for action in ("add", "rewrite"))
    told = Patched(added, rewritten, dropped, tuple((p.text, r) for p, r in refused), version)
    if data == page.data:
        return Plan(), told
    write = Write(page.path, data, sha256(page.data) if page.data is not None else ABSENT)
    before = (kept(config.formation.folder, page.data, _version(page)),) if page.data and text != page.text else ()
    return Plan((*before, write), (f"profile version {version}",)), told


def _keys(
    draw: Draw, page: Page, refused: list[tuple[Patch, str]], read: dict[str, Any], version: int
) -> dict[str, Any]:
    """The keys that memd keeps on the page; None for one that is not there. Refused words themselves are not kept."""
    rows = [{"sources": [link(s) for s in stems(draw.memory, p.sources)], "reason": r} for p, r in refused]
    return {
        "id": "profile",
        "type": "profile",
        "title": page.keys.get("title") or "Profile",
        **read,
        "version": version,
        "refused": rows or None,
        "origin": page.keys.get("origin") or "memd",
    }


def _edits(draw: Draw, lines: dict[str, ProfileLine], item: Patch) -> tuple[Edit, ...]:
    """In place, save where the line belongs to the other section now."""
    old = lines.get(item.id)
    line = old.line if old else 0
    if item.action == "drop":
        return (Edit(line, "", ""),) if line else ()
    wanted = draw.wanted(item.sources[-1])
    first, last = (wanted.first_seen, wanted.last_confirmed) if wanted else ("", "")
    kept = tuple(s for s in (old.sources if old else ()) if draw.memory.refer(s))
    sources = tuple(dict.fromkeys((*kept, *stems(draw.memory, item.sources))))
    row = row_of(item.text, item.status, first, last, item.until, sources)
    if old and old.section != item.section:
        return Edit(line, "", ""), Edit(0, item.section, row)
    return (Edit(line, item.section, row),)


def _too_many(lines: tuple[ProfileLine, ...], patches: tuple[Patch, ...], limit: int) -> tuple[Patch, ...]:
    """What is longest unconfirmed makes room, recent matters first."""
    gone = {p.id for p in patches if p.action == "drop"}
    count = len(lines) - len(gone) + sum(p.action == "add" for p in patches)
    touched = {p.id for p in patches}
    loose = [n for n in lines if n.mine and n.id not in touched]
    loose.sort(key=lambda n: (SECTIONS.index(n.section) if n.section == "stable" else -1, n.last_confirmed, n.id))
    return tuple(Patch("drop", n.id) for n in loose[: max(0, count - limit)])


def _page(vault: Vault, config: Config) -> Asking:
    path = profile_path(config.formation.folder)
    data = yield Read(path)
    text = decoded(data) if data is not None else ""
    note = vault.notes.get(path)
    return Page(path, data, text, read(text), dict(note.frontmatter) if note else {})


def _version(page: Page) -> int:
    value = page.keys.get("version")
    return value if isinstance(value, int) else 0
