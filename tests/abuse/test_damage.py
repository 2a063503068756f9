"""A cache that was damaged, anywhere: the daemon never crashes on it and never believes it.

After each round of truncations and flipped bits the answers are those of a whole cache. `MEMD_DAMAGES=1000` asks for more.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from memd.index.meaning import Meaning
from memd.index.port import Passage
from tests.fakes.abuse import Figures, differences, quiet, said
from tests.fakes.embedder import FakeModels
from tests.fakes.home import Home

DAMAGES = int(os.environ.get("MEMD_DAMAGES", "120"))
SEED = int(os.environ.get("MEMD_SEED", "1"))
DAEMONS = max(6, DAMAGES // 15)
"""Rounds with the whole daemon; all the others open the index and the ledger in a process of their own."""


def harm(chance: random.Random, path: Path) -> str:
    """One truncation, flipped bit, zeroed block or loss of a file."""
    data = bytearray(path.read_bytes())
    how = chance.choice(("flip", "flip", "flip", "cut", "zero", "gone", "more"))
    if how == "gone" or not data:
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: chance.randrange(len(data))])
    elif how == "more":
        path.write_bytes(data + os.urandom(50))
    else:
        at = chance.randrange(len(data))
        if how == "flip":
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at : at + 512] = b"\0" * len(data[at : at + 512])
        path.write_bytes(data)
    return f"{how} {path.name}"


def parts(cache: Path) -> list[Path]:
    return sorted(
        p for p in cache.rglob("*") if p.is_file() and p.name not in ("lock",) and not p.name.endswith(".lock")
    )


def spread(files: list[Path], number: int, chance: random.Random) -> Path:
    """One of the files: the kinds (how names end) take turns, so that the few large ones do not get it all."""
    kinds = sorted({path.suffix or path.name for path in files})
    kind = kinds[number % len(kinds)]
    return chance.choice([path for path in files if (path.suffix or path.name) == kind])


def kind_of(done: str) -> str:
    return Path(done.split()[1]).suffix or done.split()[1]


def grow(home: Home) -> Home:
    for n in range(60):
        home.write(
            f"{n % 5}/{n}.md",
            f"# Note {n}\n\nheron weir 苍鹭 number{n}\n\n- [fact] lantern {n} #birds\n- see [[{n - 1}]]\n",
        )
    return home


def test_a_damaged_cache_is_never_believed(home: Home, tmp_path: Path, figures: Figures) -> None:
    """The whole daemon over one to three damages a round: it starts, and says what it said before."""
    before = said(quiet(grow(home).start()))
    assert home.end() == 0
    whole, chance = tmp_path / "whole", random.Random(SEED)
    shutil.copytree(home.cache, whole)
    for number in range(DAEMONS):
        shutil.rmtree(home.cache)
        shutil.copytree(whole, home.cache)
        done = [
            harm(chance, chance.choice(parts(home.cache))) for _ in range(chance.randint(1, 3)) if parts(home.cache)
        ]
        found = differences(before, said(quiet(home.start())))
        figures.add(rounds=1, damages=len(done), wrong=len(found))
        assert not found, (SEED, number, done, found[:5])
        assert home.end() == 0


def test_damaged_files_are_found_before_they_are_used(home: Home, tmp_path: Path, figures: Figures) -> None:
    """Every file of the text index and the ledger in turn: opened after damage it is empty, or exactly as it was."""
    quiet(grow(home).start())
    assert home.end() == 0
    (cache,) = (p.parent for p in home.cache.rglob("ledger.db"))
    chance, where = random.Random(SEED), tmp_path / "damaged"
    batch, outcomes = [], Counter[str]()
    for number in range(DAMAGES):
        folder = where / str(number)
        shutil.copytree(cache, folder)
        files = [p for p in parts(folder) if "words" in p.parts or p.name.startswith("ledger")]
        batch.append((folder, harm(chance, spread(files, number, chance))))
    script = tmp_path / "open.py"
    script.write_text(_SCRIPT)
    shutil.copytree(cache, where / "whole")
    ran = subprocess.run(
        [sys.executable, str(script), str(where / "whole"), *(str(folder) for folder, _ in batch)],
        capture_output=True, text=True, timeout=300, env=home.env,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    first, *others = ran.stdout.splitlines()
    assert first != "afresh"
    for (_, done), line in zip(batch, others, strict=True):
        assert line in (first, "afresh"), (SEED, done, line[:200])
        outcomes[f"{kind_of(done)} {'afresh' if line == 'afresh' else 'whole'}"] += 1
    figures.add(damages=len(batch))
    figures.say(by_kind=" · ".join(f"{kind} {count}" for kind, count in sorted(outcomes.items())))


_SCRIPT = '''
"""Opens each folder as the daemon does: a hash of rows and stored answers, or `afresh` where nothing was kept."""
import hashlib, sys, msgspec
from memd.daemon.library import Library
from memd.recall.query import parse_query
from memd.index.port import Query
from memd.index.shelf import Shelf

for folder in sys.argv[1:]:
    library = Library(folder, lambda: None)
    rows = library.rows()
    if not rows:
        assert library.text.count() == 0, folder
        print("afresh")
        continue
    told = [sorted((p, r.sha256, r.units, str(r.note), str(r.stat)) for p, r in rows.items()), library.text.count()]
    for shelf in library.text._shelves.values():
        view = shelf.view()
        for word in ("heron", "weir", "苍", "number7", "lantern"):
            for field in ("title", "body", "word", "tag"):
                from tantivy import Query as Ask
                hits = view.searcher.search(Ask.term_query(shelf._schema, field, word), 200).hits
                told.append(sorted((round(score, 5), *view.key(at)) for score, at in hits))
    print(hashlib.sha256(repr(told).encode()).hexdigest())
    library.text.close(); library.ledger.close()
'''


# vectors ---------------------------------------------------------------------------------------------------------------

TEXTS = {
    f"{n}.md": f"heron number{n} {word}"
    for n, word in enumerate("weir acorn lantern river 苍鹭 图书馆 plover stone".split() * 6)
}


def passages(path: str) -> tuple[Passage, ...]:
    text = TEXTS[path]
    return (Passage(f"{path}#1", path, path, "note", "", text, f"hash {text}", 1),)


def model_folder(path: Path) -> str:
    """A folder that passes for a model; the fake opener never looks inside."""
    folder = path / "one"
    folder.mkdir(exist_ok=True)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"):
        (folder / name).write_text('{"hidden_size": 64}')
    return str(folder)


def meaning(folder: Path, model: str) -> Meaning:
    """Vectors over the texts as the daemon brings them in step at a start: what is not known is handed in."""
    made = Meaning(
        str(folder),
        model,
        models=str(folder.parent / "models"),
        read=lambda path: passages(path),
        opener=FakeModels(),
        budget=5.0,
        switch=20,
    )
    made.start()
    known = made.known()
    made.update({path: passages(path) for path in TEXTS if path not in known}, [p for p in known if p not in TEXTS])
    end = time.monotonic() + 60
    while made.status().state != "ready":
        assert time.monotonic() < end, made.status()
        time.sleep(0.005)
    return made


def answers(made: Meaning) -> list[object]:
    asked = ("heron weir", "acorn", "苍鹭", "number7 river")
    return [[(hit.unit, round(hit.score, 3)) for hit in made.answer(text, 10).hits] for text in asked]


def test_damaged_vectors_are_never_believed(tmp_path: Path, figures: Figures) -> None:
    """Every file of the vectors' store: after damage the answers by meaning are those of a whole store."""
    model = model_folder(tmp_path)
    made = meaning(tmp_path / "v", model)
    before = answers(made)
    assert all(before)
    made.stop()
    whole, chance, wrong, kinds = tmp_path / "whole", random.Random(SEED), [], Counter[str]()
    shutil.copytree(tmp_path / "v", whole)
    for number in range(DAMAGES):
        folder = tmp_path / f"v{number}"
        shutil.copytree(whole, folder)
        done = harm(chance, spread(parts(folder), number, chance))
        kinds[kind_of(done)] += 1
        made = meaning(folder, model)
        try:
            if answers(made) != before:
                wrong.append((number, done))
        finally:
            made.stop()
        shutil.rmtree(folder)
    figures.add(damages=DAMAGES, wrong=len(wrong))
    figures.say(by_kind=" · ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    assert not wrong, (SEED, wrong[:10])
