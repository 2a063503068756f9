"""A vault's words and a Meaning over them, without a daemon: fakes for models, a folder for the cache."""

from __future__ import annotations

import threading

from memd.index.meaning import Meaning
from memd.index.port import Passage
from tests.fakes.embedder import FakeModels


def passage(path: str, text: str, line: int = 1, unit: str = "", kind: str = "note", rank: int = 1) -> Passage:
    return Passage(
        key=f"{path}|{line}",
        unit=unit or path,
        path=path,
        kind=kind,
        head="",
        text=text,
        hash=text,
        line=line,
        rank=rank,
    )


def note(path: str, *texts: str) -> dict[str, tuple[Passage, ...]]:
    return {path: tuple(passage(path, text, line) for line, text in enumerate(texts, 1))}


def model_folder(path, name: str = "one") -> str:
    """A folder that passes for a model; the fake opener never looks inside."""
    folder = path / name
    folder.mkdir(exist_ok=True)
    for file in ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"):
        (folder / file).write_text('{"hidden_size": 64}' + name)
    (folder / "config.json").write_text('{"hidden_size": 64}')
    return str(folder)


class World:
    """A vault's words, a cache, fakes for models; `open` starts a Meaning over it as the daemon would."""

    def __init__(self, path):
        self.path, self.models, self.files, self.now = path, FakeModels(), {}, 1000.0
        self.statuses, self.told = [], threading.Condition()
        self.meaning = None

    def open(self, setting="one", **more):
        known = setting in ("off", "") or "/" in setting
        self.meaning = Meaning(
            str(self.path / "cache"),
            setting if known else model_folder(self.path, setting),
            models=str(self.path / "models"),
            read=lambda path: self.files.get(path, ()),
            clock=lambda: self.now,
            on_progress=self.tell,
            opener=self.models,
            switch=more.pop("switch", 50),
            budget=more.pop("budget", 5.0),
        )
        self.meaning.start()
        return self.meaning

    def tell(self, status):
        with self.told:
            self.statuses.append(status)
            self.told.notify_all()

    def until(self, state="ready", **fields):
        """Waits for the state to be so; the last status."""

        def there():
            status = self.meaning.status()
            return status.state == state and all(getattr(status, k) == v for k, v in fields.items())

        with self.told:
            assert self.told.wait_for(there, 60), self.meaning.status()
        return self.meaning.status()

    def update(self, files, removed=()):
        self.files |= files
        for path in removed:
            del self.files[path]
        self.meaning.update(files, removed)

    def again(self, setting="one"):
        self.meaning.stop()
        self.models = FakeModels()
        return self.open(setting)

    def paths(self, question, limit=5, kinds=()):
        return [hit.path for hit in self.meaning.answer(question, limit, kinds).hits]
