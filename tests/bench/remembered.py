"""A long memory as files: sessions of talk, their episodes, a leaf for every turn. The same bytes for the same seed.

Knows the shape of memory's files and no daemon. Every tenth leaf supersedes one of its tree that was said earlier.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memd.model.fingerprint import make_id
from memd.model.memory import Event
from memd.parse import render
from memd.parse.memory import block
from tests.bench.vaults import chinese, english

TURNS, TREES = 20, 40
"""Turns of a session; trees that own the leaves."""
BEGAN = datetime(2024, 1, 1, 9, tzinfo=UTC)


def day(session: int) -> datetime:
    """When a session was held: two days after the one before."""
    return BEGAN + timedelta(days=2 * session)


class Remembered:
    """Sessions one after another; `leaves(n)` of them have n leaves in all."""

    def __init__(self, seed: int = 5) -> None:
        self._rng = random.Random(seed)
        self.languages = (english(self._rng), chinese(self._rng))
        self._last: dict[int, str] = {}

    def session(self, number: int) -> dict[str, bytes]:
        """Path to bytes: evidence, episode, leaves."""
        tongue = self.languages[self._rng.random() < 0.4]
        begin = day(number)
        name = f"{begin.date()}-s-{number}"
        said = [(f"t{at}", tongue.say(20 if tongue.joint else 16)) for at in range(1, TURNS + 1)]
        files, leaves = {}, []
        for turn, words in said:
            tree = self._rng.randrange(TREES)
            id, path, data = self._leaf(tree, f"[[{name}#^{turn}]]", words, tongue.say(6), begin)
            files[path] = data
            leaves.append(f"[[{id}]]")
        files[f"memory/evidence/{begin:%Y/%m}/{name}.md"] = _evidence(number, begin, said)
        files[f"memory/episodes/{begin:%Y/%m}/{name}-ep.md"] = render.file(
            {
                "id": make_id("ep", str(number)),
                "type": "episode",
                "title": tongue.say(3),
                "topic": tongue.say(2),
                "from": begin.isoformat(),
                "to": begin.isoformat(),
                "turns": [f"[[{name}#^{turn}]]" for turn, _ in said],
                "states": leaves,
                "evidence": "full",
                "created": begin.isoformat(),
                "method": "agent",
            },
            "\n\n".join(words for _, words in said[:4]),
        )
        return files

    def _leaf(self, tree: int, turn: str, quote: str, text: str, at: datetime) -> tuple[str, str, bytes]:
        id = make_id("lf", turn)
        keys = {
            "id": id,
            "type": "leaf",
            "title": text,
            "tree": f"interaction:subject-{tree}",
            "subject": f"subject {tree}",
            "aspect": quote[:8].strip(),
            "kind": self._rng.choice(("state", "claim", "event")),
            "holder": f"subject {tree}",
            "speaker": "user",
            "observed_at": at.isoformat(),
            "valid_from": f"{at.date()}",
            "status": "active",
            "quotes": [{"turn": turn, "text": quote}],
            "created": at.isoformat(),
            "origin": "memd",
        }
        if tree in self._last and self._rng.random() < 0.1:
            keys["supersedes"] = [f"[[{self._last[tree]}]]"]
        self._last[tree] = id
        return id, f"memory/interaction/interaction-subject-{tree}/leaves/{id}.md", render.file(keys, text)

    def questions(self, count: int) -> list[str]:
        """Questions of two to four telling words, every third in Chinese; seeded apart from the files."""
        self._rng.seed(11)
        found = []
        for number in range(count):
            tongue = self.languages[number % 3 == 2]
            words = tongue.joint.join(tongue.telling() for _ in range(2 + number % 3))
            found.append(f"what do we know about {words}" if tongue.joint else f"关于{words}是什么时候说的")
        return found


def _evidence(number: int, begin: datetime, said: list[tuple[str, str]]) -> bytes:
    keys = {
        "id": make_id("ev", str(number)),
        "type": "evidence",
        "title": f"{begin.date()} s-{number}",
        "session": f"s-{number}",
        "source": "conversation",
        "category": "interaction",
        "date": f"{begin.date()}",
        "turns": len(said),
        "created": begin.isoformat(),
    }
    body = ""
    for at, (turn, words) in enumerate(said):
        speaker = ("user", "assistant")[at % 2]
        when = (begin + timedelta(seconds=30 * at)).isoformat()
        body += block(Event(speaker=speaker, text=words, id=f"{number}.{at}", at=when, captured_at=when), turn)
    return render.file(keys, body)


def make(vault: Path, leaves: int) -> None:
    """Writes sessions until so many leaves are there."""
    writer = Remembered()
    for number in range(leaves // TURNS):
        for path, data in writer.session(number).items():
            file = vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
