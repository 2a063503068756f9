"""The vector index: exact or graph, what is searched is what was put in, and nothing damaged is ever loaded."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.index.embeddings import to_half
from memd.index.exact import Exact, lend, matrix, row
from memd.index.holdings import Held
from memd.index.lock import ReadWrite
from memd.index.port import Only
from memd.index.shards import Shards
from memd.index.vectors import Graph, survives

DIM = 16


def vector(seed: int) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in range(DIM)]


def rows(*seeds: int):
    return matrix([to_half(vector(seed)) for seed in seeds])


def held(label: int, kind: str = "note", line: int = 1, script: str = "latin") -> Held:
    return Held(label, f"n{label}.md", f"n{label}.md", kind, b"%d" % label, line, 1, script)


def filled(count: int, switch: int = 100, kind: str = "note") -> Shards:
    shards = Shards(DIM, switch)
    shards.put([held(i, kind) for i in range(count)], rows(*range(count)))
    return shards


class TestBothForms:
    @pytest.fixture(params=[Exact, Graph])
    def shard(self, request):
        shard = request.param(DIM, 8)
        shard.put(range(50), rows(*range(50)))
        return shard

    def test_each_row_is_its_own_nearest(self, shard):
        """A row searched for finds its label first, with a similarity of one."""
        for seed in range(50):
            label, score = shard.search(row(vector(seed)), 1)[0]
            assert label == seed
            assert score == pytest.approx(1, abs=2e-3)

    def test_what_is_dropped_is_not_found(self, shard):
        """Deleted rows are in no answer, and asking for more than live rows gives all of them."""
        shard.drop(range(40))
        assert {label for label, _ in shard.search(row(vector(1)), 1000)} == set(range(40, 50))

    def test_a_replaced_row_is_found_at_its_new_place_only(self, shard):
        """Putting a label again moves it; it is never there twice."""
        shard.put([7], rows(700))
        found = [label for label, _ in shard.search(row(vector(700)), 50)]
        assert found[0] == 7
        assert sorted(found) == list(range(50))

    def test_rows_come_back_as_they_went_in(self, shard):
        """`rows` gives what was put, in the order asked for."""
        assert shard.rows([3, 1]) == pytest.approx(rows(3, 1), abs=1e-6)

    def test_an_empty_one_finds_nothing(self, shard):
        """Without rows there is no answer and no error."""
        shard.drop(shard.labels())
        assert shard.search(row(vector(1)), 5) == []


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20)), max_size=60))
@settings(max_examples=60, deadline=None)
def test_a_graph_holds_what_a_dictionary_would(steps):
    """After any puts and drops both forms hold the same labels, and search finds exactly those."""
    exact, graph, held = Exact(DIM, 4), Graph(DIM, 4), {}
    for step, (put, label) in enumerate(steps):
        if put:
            held[label] = step
            for shard in (exact, graph):
                shard.put([label], rows(step))
        elif held.pop(label, None) is not None:
            for shard in (exact, graph):
                shard.drop([label])
    for shard in (exact, graph):
        assert sorted(shard.labels()) == sorted(held)
        assert {label for label, _ in shard.search(row(vector(0)), 100)} == set(held)


@pytest.mark.parametrize("bad", [[float("nan")] * DIM, [0.0] * DIM, [float("inf")] * DIM])
def test_what_has_no_direction_is_refused(bad):
    """NaN, infinity and zero are neither kept nor searched for."""
    with pytest.raises(ValueError):
        row(bad)
    with pytest.raises(ValueError):
        matrix([to_half(bad)])


def test_neighbours_lend_to_a_turn():
    """A turn's row leans towards what was said before and after, less towards what is farther off, and stays its own."""
    mixed = lend(rows(1, 2, 3, 4), [True] * 4)
    plain = rows(1, 2, 3, 4)
    toward = [float(mixed[0] @ plain[i]) - float(plain[0] @ plain[i]) for i in range(4)]
    assert float(mixed[0] @ plain[0]) > 0.7
    assert toward[1] > toward[2] > 0
    assert lend(rows(5), [True]) == pytest.approx(rows(5), abs=1e-6)


def test_a_sensitive_turn_lends_nothing():
    """Its neighbours' rows are the same whatever it says; it borrows like any other."""
    one, other = (lend(rows(1, hidden, 3), [True, False, True]) for hidden in (2, 99))
    assert one[[0, 2]] == pytest.approx(other[[0, 2]])
    assert one[1] != pytest.approx(rows(2)[0], abs=1e-3)


class TestShards:
    def test_kinds_are_searched_apart(self):
        """A search for one kind sees only it; without kinds all are ranked together."""
        shards = filled(30)
        shards.put([held(100 + i, "turn") for i in range(30)], rows(*range(30)))
        assert {label for label, _ in shards.search(vector(1), 5, ("turn",))} <= {*range(100, 130)}
        assert {label for label, _ in shards.search(vector(1), 2)} == {1, 101}

    @pytest.mark.parametrize("graph", [False, True])
    @pytest.mark.parametrize("may", [range(280, 300), range(5, 300), None])
    def test_what_may_be_found_is_chosen_before_it_is_counted(self, graph, may):
        """However few or many or far (None) those are, as many as asked for are found, best first, and nothing else."""
        shards = filled(300)
        assert not graph or shards.tend(threading.RLock())
        may = may or {label for label, _ in shards.search(vector(3), 300)[120:]}
        only = Only(frozenset(f"n{i}.md" for i in may if i % 2), frozenset(f"n{i}.md" for i in may if not i % 2))
        found = shards.search(vector(3), 15, only=only)
        every = [label for label, _ in shards.search(vector(3), 300) if label in may]
        assert [label for label, _ in found] == every[:15]

    def test_a_large_shard_becomes_a_graph_and_a_small_one_again_exact(self):
        """`tend` builds the form that the size asks for, with the same answers, and has nothing to do afterwards."""
        shards = filled(300)
        assert shards.tend(threading.RLock())
        assert isinstance(shards._shards["note", "latin"], Graph)
        assert not shards.tend(threading.RLock())
        assert shards.search(vector(7), 1)[0][0] == 7
        shards.drop(range(280))
        assert shards.tend(threading.RLock())
        assert isinstance(shards._shards["note", "latin"], Exact)
        assert {label for label, _ in shards.search(vector(7), 100)} == {*range(280, 300)}

    def test_a_worn_graph_is_built_anew_without_what_was_deleted(self):
        """Above a fifth of deleted rows the graph is replaced: it holds live rows alone."""
        shards = filled(400)
        shards.tend(threading.RLock())
        shards.drop(range(100))
        assert shards.tend(threading.RLock())
        assert len(shards._shards["note", "latin"]._index.get_ids_list()) == 300

    def test_changes_during_a_rebuild_are_in_the_new_graph(self):
        """What is put, replaced and dropped while a graph is built aside is repeated before it is swapped in."""
        shards = filled(600)

        def meddle() -> bool:
            if shards.has(3):
                shards.drop([3])
                shards.put([held(9000)], rows(9000))
                shards.put([held(5)], rows(5000))
            return False

        assert shards.tend(threading.RLock(), meddle)
        assert shards.search(vector(9000), 1)[0][0] == 9000
        assert shards.search(vector(5000), 1)[0][0] == 5
        assert 3 not in {label for label, _ in shards.search(vector(3), 600)}

    def test_a_label_leads_to_its_place_as_long_as_it_stands(self):
        """What was found and dropped meanwhile has no place any more, and a moved one has its new line."""
        shards = filled(3)
        shards.drop([1])
        shards.moved([held(2, line=9)])
        assert shards.place(1) is None
        assert shards.place(2) == held(2, line=9)

    def test_searches_and_changes_at_once_never_fail(self):
        """Readers in four threads see whole answers while rows come, go, and the graph grows and is replaced."""
        shards = filled(300)
        shards.tend(threading.RLock())
        stop, errors = threading.Event(), []

        def search() -> None:
            while not stop.is_set():
                try:
                    hits = shards.search(vector(random.randrange(300)), 20)
                    assert len(hits) == 20
                except Exception as error:  # noqa: BLE001 - whatever it is, it is told below
                    errors.append(error)
                    return

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for round in range(12):
            new = range(1000 + 40 * round, 1040 + 40 * round)
            shards.put([held(i) for i in new], rows(*new))
            shards.drop(range(10 * round, 10 * round + 10))
            shards.tend(threading.RLock())
        stop.set()
        for thread in threads:
            thread.join()
        assert errors == []

    def test_purge_leaves_nothing_of_what_was_dropped(self):
        """After `purge` a graph holds no deleted row, however few there were."""
        shards = filled(300)
        shards.tend(threading.RLock())
        shards.drop([1])
        shards.purge()
        assert 1 not in shards._shards["note", "latin"]._index.get_ids_list()

    def test_a_vector_of_another_dimension_is_refused(self):
        """A question of another model is an error of ours, not an answer."""
        with pytest.raises(ValueError, match="8 numbers"):
            filled(3).search([1.0] * 8, 1)


def graph_in(folder: str) -> str:
    (file,) = Path(folder).glob("note.latin.*.graph")
    return str(file)


class TestSaved:
    @pytest.fixture
    def folder(self, tmp_path):
        shards = filled(300)
        shards.tend(threading.RLock())
        shards.drop([0])
        shards.save(str(tmp_path), "model")
        return str(tmp_path)

    def test_a_graph_comes_back_with_what_still_stands(self, folder):
        """Loading takes the saved rows of passages that are still in the book, no other, and knows what was deleted."""
        shards = Shards(DIM, 100)
        shards.load(folder, "model", [held(i) for i in range(1, 250)], doubt=True)
        assert len(shards) == 249
        assert {label for label, _ in shards.search(vector(0), 300)} == {*range(1, 250)}

    def test_another_models_graph_is_not_taken(self, folder):
        """The manifest names the model."""
        shards = Shards(DIM, 100)
        shards.load(folder, "another", [held(1)], doubt=False)
        assert len(shards) == 0

    @pytest.mark.parametrize("damage", ["cut", "flip", "gone", "manifest"])
    def test_damage_is_found_before_the_library_sees_it(self, folder, damage):
        """A truncated, altered or missing file, or a manifest that cannot be read, gives an empty index."""
        path = os.path.join(folder, "graphs.json") if damage == "manifest" else graph_in(folder)
        data = bytearray(Path(path).read_bytes())
        if damage == "gone":
            os.unlink(path)
        else:
            data = data[: len(data) // 2] if damage != "flip" else data[:500] + bytes([data[500] ^ 8]) + data[501:]
            Path(path).write_bytes(data)
        shards = Shards(DIM, 100)
        shards.load(folder, "model", [held(i) for i in range(300)], doubt=False)
        assert len(shards) == 0

    def test_a_file_that_kills_its_reader_kills_another_process(self, tmp_path):
        """In doubt a child loads first; what dies there is not loaded here."""
        graph = Graph(DIM, 50)
        graph.put(range(50), rows(*range(50)))
        path = str(tmp_path / "raw")
        graph._index.save_index(path)
        assert survives(path, DIM)
        os.truncate(path, os.path.getsize(path) - 100)
        assert not survives(path, DIM)

    def test_a_full_disk_is_an_error_and_leaves_the_old_graph(self, folder, monkeypatch):
        """hnswlib says nothing when it writes in part: the size is compared, and the saved graph stays as it was."""
        names, before = os.listdir(folder), Path(graph_in(folder)).read_bytes()
        graph = Graph(DIM, 50)
        graph.put(range(50), rows(*range(50)))
        real = os.path.getsize
        monkeypatch.setattr(os.path, "getsize", lambda p: real(p) - 1 if p.endswith(".raw") else real(p))
        with pytest.raises(OSError, match="in part"):
            graph.save(os.path.join(folder, "note.latin"))
        assert Path(graph_in(folder)).read_bytes() == before
        assert os.listdir(folder) == names

    def test_a_later_save_leaves_nothing_of_an_earlier_one(self, folder):
        """Also what a crash left lying about goes."""
        Path(folder, "note.latin.raw").touch()
        shards = Shards(DIM, 100)
        shards.load(folder, "model", [held(i) for i in range(300)], doubt=False)
        shards.put([held(1000)], rows(1000))
        before = os.listdir(folder)
        shards.save(folder, "model")
        assert len(os.listdir(folder)) == 2
        assert os.listdir(folder) != before


def test_a_graph_nearly_agrees_with_exact_search():
    """Recall of the ten nearest among 3,000 rows in clusters is at least .98."""
    rng = random.Random(1)
    centres = [vector(10_000 + i) for i in range(100)]
    points = [[x + 0.5 * rng.gauss(0, 1) for x in centres[i % 100]] for i in range(3000)]
    data = matrix([to_half(point) for point in points])
    exact, graph = Exact(DIM), Graph(DIM, 3000)
    exact.put(range(3000), data)
    graph.put(range(3000), data)
    same = 0
    for at in range(0, 3000, 30):
        query = row(points[at])
        same += len({k for k, _ in exact.search(query, 10)} & {k for k, _ in graph.search(query, 10)})
    assert same / 1000 >= 0.98


def test_a_change_waits_for_searches_and_goes_before_later_ones():
    """The lock lets readers in together, a writer in alone, and no new reader before a waiting writer."""
    lock, order = ReadWrite(), []
    inside, let_go = threading.Event(), threading.Event()

    def first_reader():
        with lock.reading():
            inside.set()
            let_go.wait(5)
            order.append("reader")

    def writer():
        with lock.writing():
            order.append("writer")

    def late_reader():
        with lock.reading():
            order.append("late")

    threads = [threading.Thread(target=first_reader)]
    threads[0].start()
    inside.wait(5)
    threads.append(threading.Thread(target=writer))
    threads[1].start()
    while not lock._waiting:
        pass
    threads.append(threading.Thread(target=late_reader))
    threads[2].start()
    let_go.set()
    for thread in threads:
        thread.join(5)
    assert order == ["reader", "writer", "late"]
