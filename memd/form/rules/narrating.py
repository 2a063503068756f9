"""What happened in an episode, told from its turns: who said what, in order, with the days that relative dates mean.

The narrative keeps dates, numbers, names, conditions and negations because it keeps the words. Long answers of an
assistant are told by their beginning. Knows turns; never a vault, never what is worth remembering.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memd.form.rules import dates
from memd.form.rules.boundaries import is_small, words_of
from memd.form.rules.reading import read
from memd.form.rules.sentences import is_chinese, prose, split
from memd.form.rules.speakers import is_assistant
from memd.form.rules.when import said_on
from memd.model.fingerprint import one_line
from memd.model.memory import Said

TOPIC = 80
"""Characters of a topic line."""
ANSWER = 240
"""Characters of an assistant's turn that are told."""
TURN = 1200
"""Characters of a person's turn that are told."""


def topic(turns: Sequence[Said], owner: str = "") -> str:
    """One line that says who does what: the statement that shares most with the rest, else the turn that does."""
    weight = Counter(word for turn in turns for word in set(words_of(turn.text)))
    stated = read(tuple(turns), owner)
    if stated:
        best = max(stated, key=lambda s: (_central(s.clause, weight), -s.number))
        return _short(best.text)
    people = [turn for turn in turns if not is_assistant(turn) and turn.text.strip()] or list(turns)
    chosen = max(people, key=lambda turn: (not is_small(turn), _central(turn.text[:400], weight)))
    sentences = [s.text for s in split(prose(chosen.text)[0])] or [chosen.text.strip() or chosen.modality]
    said = max(sentences[:6], key=lambda s: _central(s, weight))
    return _short(f"{chosen.speaker}：{said}" if is_chinese(said) else f"{chosen.speaker}: {said}")


def _central(text: str, weight: Counter[str]) -> float:
    words = words_of(text)
    return sum(weight[w] for w in words) / (3 + len(words)) if words else 0.0


def _short(text: str) -> str:
    text = one_line(text).rstrip("。. ")
    return text if len(text) <= TOPIC else text[: TOPIC - 1].rsplit(" ", 1)[0].rstrip(",，;； ") + "…"


def narrative(turns: Sequence[Said]) -> str:
    """The episode as dated, attributed lines; a day stands once, before what was said on it."""
    return "\n".join(_lines(turns))


def _lines(turns: Sequence[Said]) -> Iterator[str]:
    day = ""
    for turn in turns:
        if turn.at[:10] != day and turn.at:
            day = turn.at[:10]
            yield f"{day}" if not is_chinese(turn.text) else f"{day}："
        words = _told(turn)
        if words:
            yield f"{turn.speaker}：{words}" if is_chinese(words) else f"{turn.speaker}: {words}"


def _told(turn: Said) -> str:
    if turn.modality not in ("text", ""):
        return one_line(f"[{turn.modality}] {turn.uri or ''} {turn.text}")[:TURN]
    limit = ANSWER if is_assistant(turn) else TURN
    words = one_line(turn.text)
    if len(words) > limit:
        cut = words[:limit]
        end = max(cut.rfind(mark) for mark in ".!?。！？")
        words = (cut[: end + 1] if end > limit // 3 else cut.rstrip()) + " […]"
    words = re.sub(r"^(?=[#>\-*+|]|\d+[.)] )", r"\\", words)
    return dates.annotate(words, said_on(turn))


def set_aside(turns: Sequence[Said]) -> list[int]:
    """Numbers of the turns that carry nothing durable."""
    return [number for number, turn in enumerate(turns) if is_small(turn)]
