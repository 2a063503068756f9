"""The text index over real files: what it finds, and that it never trusts what is not whole."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.index import shelf
from memd.index.port import Only, Operations, Phrase, Query, Term, Unit
from memd.index.words import TantivyWords
from memd.model.errors import Refused


def unit(path: str, text: str, kind: str = "note", **more: object) -> Unit:
    return Unit(**({"key": path, "path": path, "kind": kind, "title": "", "text": text} | more))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "words")


def filled(folder: str, *units: Unit) -> TantivyWords:
    words = TantivyWords(folder)
    by_path: dict[str, tuple[Unit, ...]] = {}
    for one in units:
        by_path[one.path] = (*by_path.get(one.path, ()), one)
    words.apply(Operations(replace=by_path))
    words.commit()
    return words


def write(words: TantivyWords, one: Unit) -> None:
    words.apply(Operations(replace={one.path: (one,)}))
    words.commit()


def find(words: TantivyWords, text: str, **more: object) -> list[str]:
    query = Query(any=tuple(Term(word) for word in text.split()), **more)  # type: ignore[arg-type]
    return [hit.unit for hit in words.search(query, 50)]


def test_replace_and_remove_by_path(folder: str) -> None:
    """All units of a path become the new ones; nothing shows before the commit; removal takes all."""
    words = filled(folder, unit("a.md", "heron"), unit("b.md", "heron"))
    words.apply(Operations(replace={"a.md": (unit("a.md", "egret"),)}, remove=("b.md",)))
    assert find(words, "heron") == ["a.md", "b.md"]
    words.commit()
    assert (find(words, "heron"), find(words, "egret"), words.count()) == ([], ["a.md"], 1)


def test_the_same_path_twice_in_one_batch(folder: str) -> None:
    """The last state wins, and the count is right."""
    words = filled(folder, unit("a.md", "one"))
    words.apply(Operations(replace={"a.md": (unit("a.md", "two"),)}))
    words.apply(Operations(replace={"a.md": (unit("a.md", "three"),)}))
    words.commit()
    assert (find(words, "one two"), find(words, "three"), words.count()) == ([], ["a.md"], 1)


def test_a_note_that_becomes_evidence_changes_shelves(folder: str) -> None:
    """A path is on one shelf only, whatever it was before."""
    words = filled(folder, unit("a.md", "heron"))
    turn = unit("a.md", "heron", "turn", key="a.md#t1")
    words.apply(Operations(replace={"a.md": (turn,)}))
    words.commit()
    assert find(words, "heron") == ["a.md#t1"]
    assert find(words, "heron", kinds=("note",)) == []
    assert find(words, "heron", kinds=("turn",)) == ["a.md#t1"]


def test_turns_are_found_by_their_neighbours_words_too(folder: str) -> None:
    """A turn's own words count most; must and phrases are about its own words only."""
    words = filled(
        folder,
        unit("e.md", "we sailed", "turn", key="e.md#t1", around="the harbour\nthe harbour"),
        unit("e.md", "the harbour", "turn", key="e.md#t2", around="we sailed\nwe sailed"),
    )
    assert find(words, "harbour") == ["e.md#t2", "e.md#t1"]
    assert [h.unit for h in words.search(Query(must=(Phrase("the harbour"),)), 9)] == ["e.md#t2"]


def test_paths_kinds_and_exclusion(folder: str) -> None:
    """Restrictions are about which units may answer, not about their scores."""
    words = filled(folder, unit("a.md", "heron"), unit("l.md", "heron", "leaf"), unit("c.md", "heron grey"))
    assert find(words, "heron", kinds=("leaf",)) == ["l.md"]
    assert find(words, "heron", only=Only(frozenset({"a.md"}))) == ["a.md"]
    assert find(words, "heron", only=Only()) == []
    assert find(words, "heron", only=Only(frozenset({"a.md"}), frozenset({"l.md"}))) == ["a.md", "l.md"]
    assert find(words, "heron", none=(Term("grey"),)) == ["a.md", "l.md"]
    plain = {h.unit: h.score for h in words.search(Query(any=(Term("heron"),)), 9)}
    only = words.search(Query(any=(Term("heron"),), only=Only(frozenset({"a.md"}))), 9)
    assert only[0].score == pytest.approx(plain["a.md"])


@pytest.mark.parametrize("length", ["short", "long"])
def test_a_filter_that_names_many_finds_the_best_of_them(folder: str, length: str) -> None:
    """Whether those that may be found are among the best of all (short texts) or behind hundreds of others."""
    texts = {"short": "heron ", "long": "heron " + "reed " * 90}
    words = filled(
        folder, *(unit(f"{kind}{i}.md", text + "x " * i) for kind, text in texts.items() for i in range(300))
    )
    may = frozenset(f"{length}{i}.md" for i in range(300))
    every = [hit.score for hit in words.search(Query(any=(Term("heron"),)), 600) if hit.unit in may]
    found = words.search(Query(any=(Term("heron"),), only=Only(may)), 5)
    assert {hit.unit for hit in found} <= may
    assert [hit.score for hit in found] == pytest.approx(every[:5])


def test_a_query_without_words_has_no_hits(folder: str) -> None:
    """Nothing asked is nothing found; only an exclusion alone stands for all the rest."""
    words = filled(folder, unit("a.md", "heron"), unit("b.md", "egret"))
    assert find(words, "(( ** \ud800") == []
    assert words.search(Query(), 9) == []
    assert [h.unit for h in words.search(Query(none=(Term("heron"),)), 9)] == ["b.md"]


def test_languages_stem_their_own_way(folder: str) -> None:
    """A German note is found by another form of a German word, beside English ones."""
    words = filled(folder, unit("d.md", "die Häuser", language="de"), unit("e.md", "the houses"))
    assert find(words, "haus") == ["d.md"]
    assert find(words, "house") == ["e.md"]


def test_names_that_are_not_utf8_come_back(folder: str) -> None:
    """A path is its bytes, also here."""
    words = filled(folder, unit("a\udcff.md", "heron"))
    assert [(h.unit, h.path) for h in words.search(Query(any=(Term("heron"),)), 9)] == [("a\udcff.md", "a\udcff.md")]
    words.apply(Operations(remove=("a\udcff.md",)))
    words.commit()
    assert words.count() == 0


def test_a_bad_unit_harms_no_other(folder: str) -> None:
    """What cannot be a document raises before the engine sees it, and later commits keep everything."""
    words = filled(folder, unit("a.md", "heron"))
    with pytest.raises((TypeError, AttributeError)):
        words.apply(Operations(replace={"b.md": (unit("b.md", 3),)}))  # type: ignore[arg-type]
    words.apply(Operations(replace={f"{n}.md": (unit(f"{n}.md", "heron"),) for n in range(50)}))
    words.commit()
    assert words.count() == 51


def test_it_reopens_as_it_was(folder: str) -> None:
    """Same answers, same identity, no damage, from the files alone."""
    words = filled(folder, unit("a.md", "heron"), unit("b.md", "heron heron", tags=("x",)))
    before, identity = find(words, "heron"), words.identity
    words.close()
    again = TantivyWords(folder)
    assert (find(again, "heron"), again.identity, again.damage) == (before, identity, "")


def test_what_was_not_committed_is_forgotten_at_close(folder: str) -> None:
    """Closing commits nothing: the ledger says nothing of it either."""
    words = filled(folder, unit("a.md", "heron"))
    words.apply(Operations(replace={"b.md": (unit("b.md", "egret"),)}))
    words.close()
    assert TantivyWords(folder).count() == 1


def files(folder: str) -> Iterator[str]:
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if not name.startswith("."):
                yield os.path.join(base, name)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An index with deletions in it, closed."""
    folder = str(tmp_path_factory.mktemp("whole") / "words")
    words = filled(folder, *(unit(f"{n}.md", f"heron {n} 青禾图书馆") for n in range(40)))
    words.apply(Operations(remove=("3.md",)))
    words.commit()
    words.close()
    return folder


def test_a_flipped_bit_is_found_before_it_answers(whole: str, tmp_path: Path) -> None:
    """Wherever a bit flips, the index is made afresh, or it answers as before: never wrongly, never a crash."""
    expected = sorted(find(TantivyWords(whole), "heron"))
    found = 0
    for number, path in enumerate(list(files(whole))):
        size = os.path.getsize(path)
        for at in {0, size // 3, size // 2, size - 1} if size else ():
            copy = str(tmp_path / f"{number}-{at}")
            shutil.copytree(whole, copy)
            with open(os.path.join(copy, os.path.relpath(path, whole)), "r+b") as file:
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes((byte ^ 0x10,)))
            words = TantivyWords(copy)
            found += bool(words.damage)
            assert words.count() == 0 if words.damage else sorted(find(words, "heron")) == expected, path
            words.close()
            shutil.rmtree(copy)
    assert found > 20


@pytest.mark.parametrize("harm", ["truncate", "remove", "empty folder", "garbage"])
def test_missing_and_cut_files(whole: str, tmp_path: Path, harm: str) -> None:
    """A file that is short or gone makes the index afresh, empty, under another identity; then it works."""
    for number, path in enumerate(list(files(whole))):
        copy = str(tmp_path / str(number))
        shutil.copytree(whole, copy)
        target = os.path.join(copy, os.path.relpath(path, whole))
        if harm == "truncate":
            os.truncate(target, os.path.getsize(target) // 2)
        elif harm == "remove":
            os.remove(target)
        elif harm == "garbage":
            Path(target).write_bytes(b"\xff" * 100)
        else:
            shutil.rmtree(copy)
            os.mkdir(copy)
        words = TantivyWords(copy)
        assert words.count() == 0
        words.apply(Operations(replace={"a.md": (unit("a.md", "heron"),)}))
        words.commit()
        assert find(words, "heron") == ["a.md"]
        words.close()


def test_another_version_is_made_afresh(whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another layout, tokenizer or engine: what was indexed so is not mixed with what is indexed now."""
    copy = str(tmp_path / "copy")
    shutil.copytree(whole, copy)
    monkeypatch.setattr("memd.index.shelf.STAMP", "0.0 older")
    words = TantivyWords(copy)
    assert "another version" in words.damage
    assert words.count() == 0


def test_a_folder_that_vanishes_while_running(folder: str) -> None:
    """A commit that fails is a refusal that says so; `clear` makes the index anew."""
    words = filled(folder, unit("a.md", "heron"))
    identity = words.identity
    shutil.rmtree(folder)
    with pytest.raises(Refused) as refused:
        write(words, unit("b.md", "heron"))
    assert refused.value.code == "unavailable"
    words.clear()
    write(words, unit("b.md", "heron"))
    assert find(words, "heron") == ["b.md"]
    assert words.identity != identity


def test_made_anew_while_the_engine_still_writes(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of the engine that writes by the folder's name while that is removed keeps no index from being made anew."""
    words, removed = filled(folder, unit("a.md", "heron")), shutil.rmtree

    def late(path: str, ignore_errors: bool) -> None:
        removed(path, ignore_errors)
        if path == folder:
            os.makedirs(os.path.join(folder, "notes"))

    monkeypatch.setattr(shutil, "rmtree", late)
    words.clear()
    assert words.count() == 0
    assert os.listdir(os.path.dirname(folder)) == [os.path.basename(folder)]


def test_two_writers(folder: str) -> None:
    """A second writer over the same folder is refused, and the first goes on."""
    words = filled(folder, unit("a.md", "heron"))
    second = TantivyWords(folder)
    with pytest.raises(Refused):
        second.apply(Operations(replace={"b.md": (unit("b.md", "heron"),)}))
    words.apply(Operations(replace={"c.md": (unit("c.md", "heron"),)}))
    words.commit()
    assert words.count() == 2


def test_searches_from_many_threads_while_writing(folder: str) -> None:
    """Searching never fails, and always sees whole commits."""
    words = filled(folder, *(unit(f"{n}.md", "heron") for n in range(10)))
    sizes, done = set(), threading.Event()

    def look() -> None:
        while not done.is_set():
            sizes.add(len(words.search(Query(any=(Term("heron"),)), 500)))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for batch in range(5):
        names = [f"{batch}-{n}.md" for n in range(10)]
        words.apply(Operations(replace={name: (unit(name, "heron"),) for name in names}))
        words.commit()
    done.set()
    for thread in threads:
        thread.join()
    assert all(size % 10 == 0 for size in sizes)
    assert words.count() == 60


def test_completions_are_words_of_the_index(folder: str) -> None:
    """The last word may go on; a word of another query may not."""
    words = filled(folder, unit("a.md", "gyrfalcons nest"), unit("b.md", "gyre"))
    assert {h.unit for h in words.search(Query(any=(Term("gyr", prefix=True),)), 9)} == {"a.md", "b.md"}
    assert words.search(Query(any=(Term("gyr"),)), 9) == []


KILLED = """
import sys
from memd.index.port import Operations, Unit
from memd.index.words import TantivyWords
words = TantivyWords(sys.argv[1])
for n in range(100000):
    name = f"{n}.md"
    words.apply(Operations(replace={name: (Unit(key=name, path=name, kind="note", title="", text="heron"),)}))
    words.commit()
    print(n + 1, flush=True)
"""


@pytest.mark.slow
def test_killed_at_any_moment(folder: str) -> None:
    """After kill -9 the index opens whole, with every commit that was told of, and takes writes again."""
    import subprocess
    import sys

    for rounds in range(1, 6):
        with subprocess.Popen([sys.executable, "-c", KILLED, folder], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            told = [int(child.stdout.readline()) for _ in range(7 * rounds)][-1]
            child.kill()
        words = TantivyWords(folder)
        assert words.damage == ""
        assert words.count() >= told
        words.close()


def test_after_many_commits_the_index_is_opened_anew(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine remembers of old files goes with the old index; nothing is lost, and who searches is not disturbed."""
    monkeypatch.setattr(shelf, "COMMITS", 3)
    words = filled(folder, unit("a.md", "heron"))
    notes = words._shelves["notes"]
    first, view = notes._index, notes.view()
    for n in range(5):
        write(words, unit(f"{n}.md", f"heron weir{n}"))
    assert notes._index is not first
    assert view.searcher.num_docs == 1
    assert view.complete("her") == ["heron"]
    assert {hit.path for hit in words.search(Query(any=(Term("heron"),)), 10)} == {
        "a.md",
        *(f"{n}.md" for n in range(5)),
    }
    words.close()
    assert TantivyWords(folder).count() == 6
