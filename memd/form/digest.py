"""Digests: what was learned, what changed, what is in doubt, by day and by week, with boxes that a person may tick.

`make` writes one; `act` does what the ticked boxes say and marks them done. A digest is reading material: no evidence,
and made again without what is forgotten. Sensitive memories are not in it. Knows the view and the days.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from msgspec import Struct

from memd.form import backlog, correct, files, forget, stale, view
from memd.form.compose import Stage
from memd.form.keys import ID, is_chinese, link, seconds
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import make_id
from memd.model.note import Note
from memd.model.plan import ABSENT, Plan, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem

LONGEST = 60
"""Items of a section."""

_TICK = re.compile(r"^\s*- \[[xX]\] (?P<what>confirm|forget|correct|确认|忘记|更正)(?::|：)?\s*(?P<text>.*?)\s*$")
_ACTIONS = {"确认": "confirm", "忘记": "forget", "更正": "correct"}
_DONE = "✓"


class Tick(Struct, frozen=True):
    """A ticked box: `line` counts from 1 in the file, `text` is what follows `correct:`."""

    line: int
    leaf: str
    action: str
    text: str = ""


class Acted(Struct, frozen=True):
    """Told by `act`: (leaf, action) that were done, and (leaf, action, reason) that could not be."""

    done: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str, str], ...] = ()


def span(period: str, day: date) -> tuple[date, date, str]:
    """(first day, last day, name) of the `daily` or `weekly` digest that holds a day."""
    if period == "daily":
        return day, day, day.isoformat()
    if period != "weekly":
        raise Refused("invalid_params", "a digest is daily or weekly")
    first = day - timedelta(days=day.weekday())
    year, week, _ = day.isocalendar()
    return first, first + timedelta(days=6), f"{year}-W{week:02}"


def make(vault: Vault, config: Config, now: datetime, period: str, day: date) -> Asking:
    """The digest of the day's or week's new memory. Told: its path, "" where there is nothing to tell.

    One that a person has ticked or edited is left as it is.
    """
    memory = view.of(vault)
    first, last, name = span(period, day)
    path = f"{config.formation.folder}/digests/{name[:4]}/{name}.md"
    body = _body(memory, config, now, first, last)
    data = yield Read(path)
    note = vault.notes.get(path)
    if not body or (data is not None and note is not None and files.edited(note, data)):
        return Plan(), path if data is not None else ""
    keys = {
        "id": make_id("dg", period, name),
        "type": "digest",
        "title": name,
        "period": period,
        "from": first.isoformat(),
        "to": last.isoformat(),
        "origin": "memd",
        "created": last.isoformat(),
    }
    write = files.signed(path, keys, body, note.sha256 if note and data is not None else ABSENT)
    return (Plan(), path) if write.content == data else (Plan((write,), (f"{period} digest {name}",)), path)


def _body(memory: view.Memory, config: Config, now: datetime, first: date, last: date) -> str:
    new = [n for n in _taken_in(memory, now, first, last) if not n.sensitive and memory.supported(n.id)]
    changed = [n for n in new if any(memory.superseded(old) for old in memory.older(n.id)) and memory.active(n.id)]
    learned = [
        n for n in new if n not in changed and memory.active(n.id) and memory.tree_of(n.id) != view.UNCATEGORIZED
    ]
    doubt = [n for n in memory.leaves(view.UNCATEGORIZED) if memory.active(n.id) and not n.sensitive]
    known = {n.id for n in (*learned, *changed, *doubt)}
    due = [s for s in stale.due(memory, now) if s.id not in known and not memory.files[s.id].sensitive]
    told = new or doubt or [memory.files[s.id] for s in due]
    chinese = sum(is_chinese(n.lead) for n in told) * 2 > len(told)
    names = ("新记下的", "有变化的", "不确定的", "该核实的", "还没做完的") if chinese else (
        "Learned", "Changed", "In doubt", "To be checked", "Pending"
    )  # fmt: skip
    parts = [
        _section(names[0], [_item(n, chinese) for n in learned]),
        _section(names[1], [_item(n, chinese, _before(memory, n, chinese)) for n in changed]),
        _section(names[2], [_item(n, chinese) for n in doubt]),
        _section(names[3], [_item(memory.files[s.id], chinese, _due(s, chinese)) for s in due]),
    ]
    waiting = {k: v for k, v in backlog.backlog(memory, config).counts().items() if v and k != "uncategorized"}
    if any(parts) and waiting:
        parts.append(_section(names[4], [f"- {name}: {count}\n" for name, count in waiting.items()]))
    return "\n".join(part for part in parts if part)


def _taken_in(memory: view.Memory, now: datetime, first: date, last: date) -> list[Note]:
    """Leaves whose material arrived within the days, in order of arrival."""
    begin = datetime.combine(first, datetime.min.time(), now.tzinfo).timestamp()
    end = datetime.combine(last + timedelta(days=1), datetime.min.time(), now.tzinfo).timestamp()
    found = []
    for note in memory.of_kind("leaf"):
        at = seconds(str(note.frontmatter.get("created", "")))
        if at is not None and begin <= at < end:
            found.append((at, note.id, note))
    return [note for _, _, note in sorted(found, key=lambda f: f[:2])]


def _before(memory: view.Memory, note: Note, chinese: bool) -> str:
    old = (memory.files[i] for i in memory.older(note.id))
    earlier = "; ".join(f"{n.lead} {link(stem(n.path), '1')}" for n in old if not n.sensitive)
    return earlier and (f"先前：{earlier}" if chinese else f"before: {earlier}")


def _due(late: stale.Stale, chinese: bool) -> str:
    """When it was last said, and what is to be done before it is used."""
    if chinese:
        how = "须重新确认" if late.verification == "must_reconfirm" else "使用前核实"
        return f"最后说于 {late.said}，{how}"
    return f"last said {late.said}, {late.verification.replace('_', ' ')}"


def _item(note: Note, chinese: bool, remark: str = "") -> str:
    """The memory, and three boxes under it."""
    said = remark and (f"（{remark}）" if chinese else f" ({remark})")
    boxes = ("确认", "忘记", "更正：") if chinese else ("confirm", "forget", "correct:")
    rows = "".join(f"  - [ ] {box}\n" for box in boxes)
    return f"- {note.lead}{said} {link(stem(note.path), '1')}\n{rows}"


def _section(name: str, items: list[str]) -> str:
    rest = len(items) - LONGEST
    more = f"- … {rest}\n" if rest > 0 else ""
    return f"## {name}\n\n{''.join(items[:LONGEST])}{more}" if items else ""


def ticks(text: str) -> tuple[Tick, ...]:
    """The boxes that are ticked and not marked done, each with the leaf of the item that it stands under."""
    found: list[Tick] = []
    leaf = ""
    for number, row in enumerate(text.split("\n"), 1):
        row = row.rstrip("\r")
        if row.startswith("- "):
            leaf = next((i for i in reversed(ID.findall(row)) if i.startswith("lf-")), "")
        elif leaf and (match := _TICK.match(row)) and not row.endswith(_DONE):
            what = _ACTIONS.get(match["what"], match["what"])
            found.append(Tick(number, leaf, what, match["text"]))
    return tuple(found)


def act(vault: Vault, config: Config, now: datetime, path: str) -> Asking:
    """Does what a digest's ticked boxes say. Told: `Acted`. A box that cannot be done stays as it is."""
    data = yield Read(path)
    if data is None:
        return Plan(), Acted()
    stage = Stage(vault, now, config.formation.folder)
    done: list[tuple[str, str]] = []
    refused: list[tuple[str, str, str]] = []
    lines: list[int] = []
    for number, tick in enumerate(ticks(files.decoded(data))):
        moment = now + timedelta(milliseconds=number)
        try:
            yield from _one(stage, config, moment, tick)
        except Refused as fault:
            refused.append((tick.leaf, tick.action, fault.message))
            continue
        lines.append(tick.line)
        done.append((tick.leaf, tick.action))
    left = yield from stage.read(path)
    if left is not None and lines:
        note = stage.vault.notes[path]
        marked = _marked(files.decoded(left), done, lines if left == data else None)
        stage.add(Plan((Write(path, marked, note.sha256 or None),)))
    reasons = tuple(f"{action} {leaf}, ticked in {path}" for leaf, action in done)
    return Plan(stage.plan.steps, reasons, stage.plan.reads, undo=True), Acted(tuple(done), tuple(refused))


def _one(stage: Stage, config: Config, now: datetime, tick: Tick) -> Asking:
    if tick.action == "confirm":
        yield from stage.run(lambda v: correct.confirm(v, config, now, tick.leaf))
    elif tick.action == "forget":
        yield from stage.run(lambda v: forget.forget(v, config, now, {"leaf": tick.leaf}, guard=False))
    elif tick.text:
        yield from stage.run(lambda v: correct.correct(v, config, now, tick.leaf, tick.text))
    else:
        raise Refused("invalid_params", "write behind `correct:` how it is")


def _marked(text: str, done: list[tuple[str, str]], lines: list[int] | None) -> bytes:
    """The boxes that were done, marked so. Where lines were taken out meanwhile, found again by leaf and action."""
    at = set(lines) if lines is not None else {t.line for t in ticks(text) if (t.leaf, t.action) in done}
    rows = text.split("\n")
    for number in at:
        rows[number - 1] = f"{rows[number - 1].rstrip()} {_DONE}"
    return "\n".join(rows).encode("utf-8", "surrogateescape")
