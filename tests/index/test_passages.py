"""What is indexed of a note: its units and the pieces that are embedded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from memd.index.passages import BUDGET, MOST, cost, passages, units
from memd.index.port import Passage
from memd.model.memory import Event
from memd.parse import memory
from tests.fakes.recall import note_of


def cut(path: str, text: str) -> tuple[Passage, ...]:
    note = note_of(path, text)
    return passages(note, text, units(note, text))


def test_a_note_is_one_unit() -> None:
    """Its names together, its body, and what its header says that has no field of its own."""
    text = "---\ntitle: Dunes\naliases: [Sand]\ntags: [coast]\nauthor: Ursula\nid: x\n---\nWind moves them.\n"
    (unit,) = units(note_of("a/dunes.md", text), text)
    assert (unit.key, unit.kind, unit.title, unit.tags) == ("a/dunes.md", "note", "Dunes\nSand", ("coast",))
    assert unit.text.split() == ["Wind", "moves", "them.", "Ursula"]


def test_a_header_that_cannot_be_read_is_words() -> None:
    """What YAML refuses is still found."""
    text = "---\ntitle: [broken\n---\nbody\n"
    (unit,) = units(structs.replace(note_of("a.md", "body\n"), frontmatter={}), text)
    assert "broken" in unit.text
    assert "body" in unit.text


def test_a_digest_is_nothing() -> None:
    """A digest repeats what others say: it is no memory of its own."""
    text = "---\nid: dg-aaaaaaaaaa\ntype: digest\n---\nThis week.\n"
    note = note_of("memory/digests/w.md", text)
    assert units(note, text) == ()
    assert passages(note, text, ()) == ()


def evidence(*said: str, sensitive: int = -1) -> str:
    blocks = [
        memory.block(Event("Ann", words, sensitivity="sensitive" if at == sensitive else ""), f"t{at + 1}")
        for at, words in enumerate(said)
    ]
    return "---\nid: ev-aaaaaaaaaa\ntype: evidence\ntitle: s\n---\n" + "".join(blocks)


def test_a_turn_is_a_unit_with_its_neighbours() -> None:
    """Two neighbours each way lend their words, the nearer ones twice; the key ends in the block id."""
    text = evidence("one", "two", "three", "four")
    found = units(note_of("memory/evidence/e.md", text), text)
    assert [unit.key for unit in found] == [f"memory/evidence/e.md#t{n}" for n in (1, 2, 3, 4)]
    assert found[0].text == "Ann: one"
    assert found[0].around.split("\n") == ["Ann: two", "Ann: two", "Ann: three"]


def test_sensitive_turns_lend_nothing() -> None:
    """Neither to the words nor to the passages of their neighbours."""
    text = evidence("one", "secret illness", "three", sensitive=1)
    note = note_of("memory/evidence/e.md", text)
    found = units(note, text)
    assert not any("illness" in unit.around for unit in found)
    told = [p for p in passages(note, text, found) if p.unit != "memory/evidence/e.md#t2"]
    assert told
    assert not any("illness" in p.text for p in told)


def test_turns_carry_one_neighbour_each_way() -> None:
    """A short turn is embedded with what was said before and after."""
    text = evidence("one", "two", "three", "four")
    assert [p.text for p in cut("memory/evidence/e.md", text)][1] == "Ann: one\nAnn: two\nAnn: three"


def test_passages_by_heading() -> None:
    """Each section is its own, headed by title and path of headings; the title comes first where there are several."""
    text = "# Trip\nWe went.\n\n## Coast\nRain.\n\n## Hills\nSun.\n"
    found = cut("trip.md", text)
    assert [(p.head, p.text, p.line, p.rank) for p in found] == [
        ("", "trip", 1, 0),
        ("trip › Trip", "We went.", 2, 1),
        ("trip › Trip › Coast", "Rain.", 5, 1),
        ("trip › Trip › Hills", "Sun.", 8, 1),
    ]
    assert len({p.key for p in found}) == 4


def test_short_observations_stand_once_more() -> None:
    """In a note of several sections an observation is also found on its own."""
    text = "# A\nwords\n\n# B\n- [decision] use brass fittings\n"
    assert ("x", "decision: use brass fittings", 5) in [(p.head, p.text, p.line) for p in cut("x.md", text)]


def test_a_move_keeps_hashes() -> None:
    """The hash is of the words: another path with the same words embeds nothing again."""
    text = "---\ntitle: T\n---\n# A\nwords\n\n# B\nmore words\n"
    assert [p.hash for p in cut("a/x.md", text)] == [p.hash for p in cut("b/c/y.md", text)]


@given(st.lists(st.text(alphabet="ab 。.\n林图\t-#", max_size=900), max_size=6))
def test_no_passage_is_over_the_budget(parts: list[str]) -> None:
    """Whatever the text, pieces fit, keep every word in order, and are not too many."""
    text = "\n\n".join(parts)
    note = structs.replace(note_of("x.md", text), headings=(), observations=())
    found = passages(note, text, units(note, text))
    assert all(cost(p.text) <= BUDGET + 8 for p in found)
    assert len(found) <= MOST
    letters = [c for p in found[1 if len(found) > 1 else 0 :] for c in p.text if c in "ab林图"]
    if any(c in "ab林图" for c in text) and len(found) < MOST:
        assert letters == [c for c in text if c in "ab林图"] or len(found) == 1


def test_a_huge_note_is_cut_off() -> None:
    """A note has a bounded number of passages; the text index has all its words."""
    text = "\n\n".join(f"paragraph {n} " + "word " * 150 for n in range(1500))
    assert len(cut("x.md", text)) == MOST
