"""Search by meaning from outside: hand passages in, wait for the state, ask. Models are fakes here, threads are real."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import msgspec
import pytest

from memd.index.asking import Asker
from memd.index.backlog import Backlog
from memd.index.feeding import PORTION, Feeding, words
from memd.index.fetching import fetch
from memd.index.models import MANIFEST, Crashed, Unavailable, choose, folder_choice, measure
from tests.fakes.embedder import FakeEmbedder, FakeModels
from tests.fakes.meaning import World, model_folder, note, passage


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    if world.meaning is not None:
        world.meaning.stop()


TEA, RAIN = note("tea.md", "green tea from the hills"), note("rain.md", "rain all through the week")


def test_what_was_handed_in_is_found(world):
    """Passages are embedded in the background, then answer; the hit names unit, file and line."""
    world.open()
    world.update(note("tea.md", "an introduction", "green tea from the hills") | RAIN)
    world.until(total=3, done=3)
    answer = world.meaning.answer("tea from the hills", 5)
    assert answer.used
    assert (answer.hits[0].unit, answer.hits[0].path, answer.hits[0].line) == ("tea.md", "tea.md", 2)
    assert [hit.unit for hit in answer.hits].count("tea.md") == 1


def test_before_the_model_is_there_the_answer_says_loading(world):
    """Start returns at once; until the model has come text search is alone, and knows why."""
    meaning = world.open()
    assert meaning.answer("tea", 5).why in ("loading", "empty")
    world.until()


def test_off_keeps_nothing_and_waits_for_nothing(world):
    """`off` has a reason, takes updates without a word, and empties the book of an earlier time."""
    world.open()
    world.update(TEA)
    world.until(done=1)
    world.again("off")
    assert world.meaning.status().state == "off"
    assert world.meaning.answer("tea", 5).why == "off"
    world.update(RAIN)
    world.again()
    assert world.meaning.known() == frozenset()


@pytest.mark.parametrize("damage", ["truncated", "altered", "missing"])
def test_a_damaged_model_is_a_state_with_a_sentence(world, tmp_path, damage):
    """A model folder that is not as its manifest says is never loaded; the rest of memd does not notice."""
    folder = model_folder(tmp_path, "two")
    files = measure(folder, ("model.onnx", "config.json"))
    (tmp_path / "two" / MANIFEST).write_bytes(msgspec.json.encode({"files": files}))
    file = tmp_path / "two" / "model.onnx"
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1] + (b"?" if damage == "altered" else b""))
    world.open(folder)
    world.update(TEA)
    status = world.until("off")
    assert "model.onnx" in status.reason
    assert world.meaning.answer("tea", 5).used is False


def test_a_restart_embeds_and_reads_nothing(world):
    """What was embedded answers after a restart from the cache alone."""
    world.open()
    world.update(TEA | RAIN)
    world.until(done=2)
    world.files = {}
    world.again()
    world.until(done=2)
    assert world.paths("green tea")[0] == "tea.md"
    assert world.models.handed("one") == []


def test_a_move_a_copy_and_a_rebuild_embed_nothing(world):
    """The same words at another place have their vector already, and answer when `update` returns."""
    world.open()
    world.update(TEA)
    world.until(done=1)
    before = world.models.handed("one")
    world.update(note("moved/tea.md", "green tea from the hills"), ["tea.md"])
    assert world.paths("green tea") == ["moved/tea.md"]
    world.meaning.rebuild()
    assert world.paths("green tea") == []
    world.update(world.files)
    assert world.paths("green tea") == ["moved/tea.md"]
    assert world.models.handed("one") == before


def test_removed_passages_are_gone_when_update_returns(world):
    """A note that is deleted or changed is never served from its old vectors."""
    world.open()
    world.update(TEA | RAIN)
    world.until(done=2)
    world.update({}, ["tea.md"])
    assert "tea.md" not in world.paths("green tea")


def test_a_stop_in_the_middle_goes_on_where_it_was(world):
    """What was not embedded before a stop is read again after it."""
    world.open()
    world.until()
    world.models.opened["one", True].fail = Unavailable("The server sleeps.")
    world.update(TEA | RAIN)
    world.until("building", reason="The server sleeps.")
    world.again()
    world.until(done=2)
    assert world.paths("green tea")[0] == "tea.md"


def test_a_model_that_fails_is_a_reason_and_the_rest_goes_on(world):
    """A failing question handle answers `unavailable`; nothing is raised."""
    world.open()
    world.update(TEA)
    world.until(done=1)
    world.models.opened["one", False].fail = Unavailable("The process died.")
    assert world.meaning.answer("another question", 5).why == "unavailable"


def test_an_answer_says_how_much_the_model_had_read(world):
    """While passages wait, an answer comes from a part of them, and says so."""
    world.open()
    world.update(TEA)
    world.until(done=1)
    world.models.opened["one", True].fail = Unavailable("The server sleeps.")
    world.update(RAIN)
    world.until("building", reason="The server sleeps.")
    assert world.meaning.answer("green tea", 5).read == 0.5


def test_text_without_a_letter_is_not_embedded(world):
    """What the model cannot read counts as done, has no vector and is not tried again."""
    world.open()
    world.update(note("x.md", "…") | TEA)
    world.until(done=2, total=2)
    assert world.paths("tea") == ["tea.md"]
    assert world.meaning.answer("…", 5).why == "unreadable"
    world.again()
    world.until(done=2)
    assert world.models.handed("one") == []


def test_another_model_embeds_while_the_old_one_answers(world):
    """The generation in service stays, with its own question handle, until the new one has read everything."""
    world.open("one")
    world.update(TEA | RAIN)
    world.until(done=2)
    world.meaning.stop()
    world.models = FakeModels()
    gate = threading.Event()
    opened = world.models.__call__
    held = FakeEmbedder("held")

    def opener(choice, bulk, threads):
        handle = opened(choice, bulk, threads)
        if choice.title == "two" and bulk:
            handle.gate = gate
        return handle

    world.models = opener
    world.open("two")
    with world.told:
        assert world.told.wait_for(lambda: "one answers meanwhile" in world.meaning.status().reason, 60)
    assert world.paths("green tea")[0] == "tea.md"
    assert world.meaning.status().model == "two"
    assert world.meaning.answer("green tea", 5).read == 1.0, "the old model's vectors are whole"
    gate.set()
    world.until(model="two", done=2)
    assert world.paths("green tea")[0] == "tea.md"
    assert held.texts == []


def test_going_back_to_the_old_model_within_the_grace_embeds_nothing(world):
    """Vectors of the model before are kept for a week."""
    world.open("one")
    world.update(TEA)
    world.until(done=1)
    world.again("two")
    world.until(done=1, model="two")
    world.again("one")
    world.until(done=1, model="one")
    assert world.models.handed("one") == []


def test_forgetting_erases_vectors_graphs_and_questions(world, tmp_path):
    """After `forget` no file of the cache holds the vector, and a question asked before is embedded anew."""
    world.open()
    many = {f"n{i}.md": note(f"n{i}.md", f"word{i} alone")[f"n{i}.md"] for i in range(80)}
    world.update(many | TEA)
    world.until(done=81)
    world.paths("tea")
    world.update({}, ["tea.md"])
    asked = len(world.models.opened["one", False].texts)
    assert world.meaning.forget() == 1
    assert world.meaning.forget(["word1 alone"]) == 1
    world.paths("tea")
    assert len(world.models.opened["one", False].texts) == asked + 1
    world.meaning.stop()
    data = b"".join(Path(os.path.join(d, f)).read_bytes() for d, _, fs in os.walk(tmp_path / "cache") for f in fs)
    assert b"green tea" not in data
    assert b"tea.md" not in data


def test_forgotten_text_that_waits_is_not_embedded(world):
    """A text removed while it waits, or while it is being embedded, leaves no vector behind."""
    world.open()
    world.until()
    bulk = world.models.opened["one", True]
    bulk.gate = threading.Event()
    world.update(TEA)
    world.update({}, ["tea.md"])
    bulk.gate.set()
    world.update(RAIN)
    world.until(done=1, total=1)
    assert world.meaning.forget() == 0


def test_a_large_kind_gets_a_graph_that_survives_a_restart(world, tmp_path):
    """Above the switch a graph is built, saved at stop, and taken up again."""
    world.open()
    world.update({f"n{i}.md": note(f"n{i}.md", f"word{i} and more{i}")[f"n{i}.md"] for i in range(120)})
    world.until(done=120)
    world.meaning.stop()
    assert os.listdir(tmp_path / "cache" / "graphs")
    world.again()
    world.until(done=120)
    assert world.paths("word77 and more77")[0] == "n77.md"


def test_after_a_crash_the_graph_is_tried_elsewhere_first(world, tmp_path):
    """A store without its seal says that the last end was not a clean one; a clean one puts it there."""
    world.open()
    world.until()
    assert not os.path.exists(tmp_path / "cache" / "embeddings.db.sum")
    world.meaning.stop()
    assert os.path.exists(tmp_path / "cache" / "embeddings.db.sum")


def test_turns_find_their_neighbours_words(world):
    """A turn borrows from the turns beside it: the answer to a question is found by the question's words."""
    said = ["where shall we hike", "the ridge", "what about lunch", "bread", "and tea", "of course", "bye"]
    turns = {"s.md": tuple(passage("s.md", t, i, f"s.md#t{i}", "turn", 2) for i, t in enumerate(said, 1))}
    world.open()
    world.update(turns)
    world.until(done=7)
    ranked = [hit.unit for hit in world.meaning.answer("where shall we hike", 7).hits]
    assert ranked[0] == "s.md#t1"
    assert ranked.index("s.md#t2") < ranked.index("s.md#t6")


def test_kinds_limit_the_answer(world):
    """A search for leaves is not crowded out by turns."""
    world.open()
    turns = {"s.md": tuple(passage("s.md", f"tea number {i}", i, f"s.md#t{i}", "turn") for i in range(60))}
    leaf = {"l.md": (passage("l.md", "tea is liked", kind="leaf", rank=0),)}
    world.update(turns | leaf)
    world.until(done=61)
    assert world.paths("tea", 5, ("leaf",)) == ["l.md"]


def test_progress_is_told(world):
    """States with counts and the time left arrive by the callback."""
    world.open()
    world.update({f"n{i}.md": note(f"n{i}.md", f"word{i}")[f"n{i}.md"] for i in range(200)})
    status = world.until(done=200, total=200)
    assert status.left == 0.0
    assert world.statuses[-1].state == "ready" or world.statuses


def test_a_late_question_is_text_alone_and_in_time_the_next_time(world):
    """Beyond the budget the answer says `late`; the vector comes into the cache all the same."""
    world.open(budget=0.02)
    world.update(TEA)
    world.until(done=1)
    questions = world.models.opened["one", False]
    questions.gate = threading.Event()
    assert world.meaning.answer("green tea", 5).why == "late"
    questions.gate.set()
    world.meaning._making.serving.asker._pool.submit(int).result(5)
    assert world.meaning.answer("green tea", 5).used


class TestAsker:
    def test_a_question_is_embedded_once(self):
        """The cache answers a question asked before."""
        fake = FakeEmbedder()
        asker = Asker(fake, 1.0, lambda: 0.0)
        assert asker.ask("tea")[0] == asker.ask("tea")[0]
        assert fake.texts == ["tea"]
        asker.close()

    def test_an_embedder_that_failed_rests(self):
        """For some seconds nobody waits for a model that is down; then it is asked again."""
        fake, now = FakeEmbedder(), [0.0]
        asker = Asker(fake, 1.0, lambda: now[0])
        fake.fail = Unavailable("down")
        assert asker.ask("tea") == (None, "unavailable")
        fake.fail = None
        assert asker.ask("tea") == (None, "unavailable")
        now[0] = 6.0
        assert asker.ask("tea")[0] is not None
        asker.close()


class TestBacklog:
    def test_titles_first_then_in_order_and_urgent_ones_before_all(self):
        """Rank decides, then arrival; a small update goes ahead, also of itself when it waited already."""
        backlog = Backlog()
        backlog.add([(b"c", "c", 2, "c"), (b"a", "a", 0, "a"), (b"b", "b", 1, "b"), (b"d", "d", 2, "d")])
        backlog.add([(b"d", "d", 2, "d"), (b"e", "e", 2, "e")], urgent=True)
        assert [wanted.hash for wanted in backlog.take(9)] == [b"d", b"e", b"a", b"b", b"c"]
        assert len(backlog) == 0

    def test_words_beyond_the_room_are_read_again(self):
        """What does not fit is known by its path alone; taking makes room."""
        backlog = Backlog(room=5)
        backlog.add([(b"a", "a", 0, "four"), (b"b", "b", 1, "more")])
        assert [wanted.text for wanted in backlog.take(2)] == ["four", None]
        backlog.add([(b"c", "c", 0, "fives")])
        assert backlog.take(1)[0].text == "fives"

    def test_discarded_ones_wait_no_longer(self):
        """A text that nobody says any more is not handed out."""
        backlog = Backlog()
        backlog.add([(b"a", "a", 0, "a"), (b"b", "b", 0, "b")])
        backlog.discard([b"a"])
        assert [wanted.hash for wanted in backlog.take(5)] == [b"b"]


class TestFeeding:
    def test_a_text_that_kills_the_process_is_found_and_left_out(self):
        """Portions shrink until the culprit is alone; then it counts as unreadable and the others go through."""
        fake, now = FakeEmbedder(), [0.0]
        honest = fake.embed

        def embed(texts, *, query=False):
            if "poison" in texts:
                raise Crashed("died")
            return honest(texts, query=query)

        fake.embed = embed
        feeding = Feeding(fake, lambda path: (), lambda: now[0])
        feeding.backlog.add((text.encode(), "p", 1, text) for text in ["tea", "poison", "rain", "sun"])
        rows = {}
        for _ in range(40):
            now[0] += 1000.0
            portion = feeding.take()
            if not portion:
                break
            try:
                rows.update(feeding.embed(portion))
            except Unavailable:
                feeding.back(portion)
        assert rows[b"poison"] is None
        assert all(rows[text] for text in (b"tea", b"rain", b"sun"))

    def test_the_time_that_is_left_is_told_in_whole_seconds(self):
        """Unknown before the first portion, nothing where nothing waits."""
        now = iter([0.0, 3.0])
        feeding = Feeding(FakeEmbedder(), lambda path: (), lambda: next(now, 3.0))
        assert feeding.left() == 0
        feeding.backlog.add((bytes([n]), "p", 1, f"tea {n}") for n in range(PORTION + 100))
        assert feeding.left() is None
        feeding.embed(feeding.take())
        feeding.done()
        assert (feeding.left(), type(feeding.left())) == (round(100 * 3 / PORTION), int)

    def test_a_model_that_is_down_is_tried_less_and_less(self):
        """Pauses double, nothing is lost, and the reason is kept until it works again."""
        fake = FakeEmbedder()
        feeding = Feeding(fake, lambda path: (), lambda: 0.0)
        fake.fail = Unavailable("down")
        pauses = []
        for _ in range(3):
            feeding.backlog.add([(b"a", "p", 1, "tea")])
            with pytest.raises(Unavailable):
                feeding.embed(feeding.take())
            pauses.append(feeding.pause())
        assert pauses == [2.0, 4.0, 8.0]
        assert feeding.trouble == "down"

    def test_the_head_is_read_before_the_text(self):
        """Title and heading path stand on a line of their own."""
        plain = passage("n.md", "text")
        assert words(plain) == "text"


class TestModels:
    @pytest.mark.parametrize("setting", ["BAAI/bge-small-en-v1.5", "/nowhere/at/all", "off", ""])
    def test_what_is_not_here_is_off_with_a_reason(self, tmp_path, setting):
        """No setting raises, and none waits for a network."""
        choice = choose(setting, str(tmp_path))
        assert choice.kind == "off"
        assert choice.reason.endswith(".")

    def test_a_folder_without_a_manifest_is_taken_by_its_own_files(self, tmp_path):
        """Dimension, pooling and prompts come from the folder's configuration."""
        folder = model_folder(tmp_path, "some-e5")
        choice = folder_choice(folder)
        assert (choice.dim, choice.pooling, choice.query) == (64, "mean", "query: ")

    def test_a_fetched_model_is_checked_and_recorded(self, tmp_path):
        """Files named by their hash are compared with it; afterwards the model is had offline, until it is damaged."""
        import hashlib

        data = b"weights"
        told = []

        def download(name, cache, content=data):
            blobs = os.path.join(cache, "blobs")
            snapshot = os.path.join(cache, "snapshot")
            os.makedirs(blobs, exist_ok=True)
            os.makedirs(snapshot, exist_ok=True)
            blob = os.path.join(blobs, hashlib.sha256(data).hexdigest())
            Path(blob).write_bytes(content)
            if not os.path.lexists(os.path.join(snapshot, "model.onnx")):
                os.symlink(blob, os.path.join(snapshot, "model.onnx"))
            return snapshot

        cache = str(tmp_path / "models")
        assert fetch("org/name", cache, download, told.append).kind == "cached"
        assert told[-1] == len(data) or told
        assert choose("org/name", cache).kind == "cached"
        Path(os.path.join(cache, "snapshot", "model.onnx")).write_bytes(b"weight")
        assert "fetch it again" in choose("org/name", cache).reason.lower()
        with pytest.raises(Unavailable, match="damaged"):
            fetch("org/name", cache, lambda name, cache: download(name, cache, b"garbage"))


def test_words_that_came_before_the_model_are_not_read_again(world):
    """What is handed in while the model is still being looked at is embedded from what was handed in."""
    world.open()
    world.meaning.update(TEA | RAIN)
    world.until(done=2)
    assert sorted(world.models.handed("one")) == ["green tea from the hills", "rain all through the week"]


def test_a_store_that_cannot_be_written_is_a_state_and_begun_anew(world):
    """A full disk switches vectors off with a reason; at the next start everything is to be handed in again, and what was
    embedded is not embedded again."""
    world.open()
    world.update(TEA)
    world.until(done=1)
    world.meaning._store.execute("pragma query_only = on")
    world.meaning.update(RAIN)
    assert world.meaning.status().state == "off"
    assert "begun anew" in world.meaning.status().reason
    assert world.meaning.answer("tea", 5).why == "off"
    world.again()
    assert world.meaning.known() == frozenset()
    world.update(TEA)
    world.until(done=1)
    assert world.models.handed("one") == []


def test_a_file_that_cannot_be_read_again_is_not_counted_as_done(world):
    """Words that are nowhere any more are left out, and the counts say so."""
    world.open()
    world.until()
    world.models.opened["one", True].fail = Unavailable("later")
    world.update(TEA | RAIN)
    world.until("building", reason="later")
    world.files.pop("tea.md")
    world.again()
    assert world.until(total=2).done == 1
