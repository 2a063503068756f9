"""Vaults to measure on: notes of about 2 KB in English and Chinese, Zipf's law in both, the same bytes for the same seed."""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

SYLLABLES = "ba be bi bo bu ca ce co da de di do fa fe fi ga go ha he ho la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa we".split()
WORDS = 20_000
LINES = 12
FOLDERS = 50
TYPES = ("note", "project", "person", "meeting", "book")
RELATIONS = ("part_of", "relates_to", "follows", "mentions")


class Language:
    """A vocabulary with Zipf's frequencies. `say(n)` is n words of it in order of nothing."""

    def __init__(self, rng: random.Random, words: list[str], joint: str) -> None:
        self.words = words
        self.joint = joint
        self._rng = rng
        self._weights = list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(len(words))))

    def say(self, count: int) -> str:
        return self.joint.join(self._rng.choices(self.words, cum_weights=self._weights, k=count))

    def telling(self) -> str:
        """A word that says something: none of the most frequent, none of the rarest."""
        return self._rng.choice(self.words[60:4000])


def english(rng: random.Random) -> Language:
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(rng.choices(SYLLABLES, k=rng.choice((1, 2, 2, 3, 3, 4)))) + rng.choice(("", "", "n", "s"))] = None
    return Language(rng, list(found), " ")


def chinese(rng: random.Random) -> Language:
    common = [chr(0x4E00 + n) for n in rng.sample(range(6000), 3000)]
    weights = list(accumulate(1 / (rank + 20) for rank in range(len(common))))
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(rng.choices(common, cum_weights=weights, k=rng.choice((1, 2, 2, 2, 3))))] = None
    return Language(rng, list(found), "")


class Writer:
    """Notes one after another. `number` names a note; links go to notes of smaller and larger numbers below `count`."""

    def __init__(self, count: int, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._count = count
        self.languages = (english(self._rng), chinese(self._rng))

    def path(self, number: int) -> str:
        return f"folder-{number % FOLDERS}/note-{number}.md"

    def note(self, number: int) -> str:
        rng = self._rng
        tongue = self.languages[rng.random() < 0.4]
        size, stop = (28, ". ") if tongue.joint else (26, "。")
        lines = [
            "---",
            f"title: {tongue.say(3)} {number}",
            f"type: {rng.choice(TYPES)}",
            f"tags: [t{rng.randrange(40)}, area/a{rng.randrange(20)}]",
            f"created: 2025-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            f"rating: {rng.randrange(5)}",
            "---",
            f"# {tongue.say(3)} {number}",
            "",
        ]
        for part in range(LINES):
            if part % 5 == 4:
                lines += ["", f"## {tongue.say(2)}"]
            lines += ["", *(f"{tongue.say(size // 4)}{stop}{tongue.say(size - size // 4)}{stop.strip()}",)]
        lines += ["", *(f"- [{rng.choice(('fact', 'idea'))}] {tongue.say(6)} #t{rng.randrange(40)}" for _ in range(2))]
        lines += [f"- {rng.choice(RELATIONS)} [[note-{rng.randrange(self._count)}]]" for _ in range(3)]
        return "\n".join(lines) + "\n"

    def queries(self, count: int) -> list[str]:
        """Two or three telling words, every third of them in Chinese; seeded apart from the notes."""
        self._rng.seed(7)
        out = []
        for number in range(count):
            tongue = self.languages[number % 3 == 2]
            out.append(" ".join(tongue.telling() for _ in range(2 + number % 2)))
        return out


def make(folder: Path, count: int, seed: int = 1, start: int = 0) -> int:
    """Writes `count` notes below a folder, numbered from `start`; their bytes in all."""
    writer = Writer(start + count, seed)
    size = 0
    for name in {writer.path(number).rsplit("/", 1)[0] for number in range(min(FOLDERS, count))}:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(start, start + count):
        data = writer.note(number).encode()
        size += len(data)
        (folder / writer.path(number)).write_bytes(data)
    return size
