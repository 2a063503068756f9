"""Forgetting by every kind of target, previewed, through every derivative; purge and withdrawal (design 4)."""

from __future__ import annotations

import pytest

from memd.form import correct, forget, handedits, human, moves, purge, view, withdrawn
from memd.form.facts import quotes, refused
from memd.model.errors import Refused
from memd.model.memory import Event
from memd.model.plan import Move, Remove, Write
from memd.model.question import Judge
from tests.fakes.driver import NOW, Driver, atom, owned

LATER = "2026-11-20T09:00:00+08:00"


def clinic() -> Driver:
    """Two sessions about one clinic; the second names somebody."""
    vault = Driver()
    vault.take(
        "stay",
        "The Linden clinic has a blue sign.",
        atom("The Linden clinic has a blue sign", "Linden clinic", "sign", quotes=("a blue sign",)),
    )
    vault.take(
        "gone",
        "Wexcombe told me it closes at noon, 维克斯康说的。",
        atom(
            "Wexcombe said the clinic closes at noon",
            "Linden clinic",
            "hours",
            "claim",
            quotes=("Wexcombe told me", "维克斯康说的"),
        ),
        at=LATER,
    )
    vault.weave()
    vault.patch()
    return vault


def visible(vault: Driver) -> bytes:
    return b"\n".join(p.encode() + d for p, d in vault.files.items() if not p.startswith("."))


def test_a_dry_run_tells_what_goes_and_why_and_changes_nothing() -> None:
    """The plan is the preview: paths, kinds, reasons, and a token."""
    vault = clinic()
    before = dict(vault.files)
    plan, told = vault.plan_of(forget.forget(vault.vault, vault.config, NOW, {"session": "gone"}))
    assert vault.files == before
    assert {g.kind for g in told.removed} == {"evidence", "episode", "leaf"}
    assert all(g.reason for g in (*told.removed, *told.recomputed))
    assert plan.token


@pytest.mark.parametrize("kind", ["session", "evidence", "turn", "episode", "leaf", "source"])
def test_every_target_leaves_no_word_in_any_derivative(kind: str) -> None:
    """Leaf, chain, profile, summaries, entity: nothing that rested on it alone says it."""
    vault = clinic()
    memory = vault.memory
    leaf = next(n for n in memory.of_kind("leaf") if "Wexcombe" in n.lead)
    episode = memory.support[leaf.id][0]
    turn = memory.turns_of[episode][0]
    if kind == "source":
        path = memory.note(turn).path
        vault.put(path, vault.text(path).replace("source: chat", "source: phone"))
    target = {
        "session": "gone",
        "evidence": turn.split("#")[0],
        "turn": turn,
        "episode": episode,
        "leaf": leaf.id,
        "source": "phone",
    }[kind]
    vault.forget(**{kind: target})
    left = b"".join(
        d for p, d in vault.files.items() if not p.startswith(".") and (kind != "leaf" or "/interaction/" in p)
    )
    assert b"Wexcombe" not in left
    assert "维克斯康".encode() not in left
    assert b"blue sign" in left


def test_a_forgotten_entity_goes_with_its_tree_and_its_name_in_other_leaves() -> None:
    """Leaves, `_tree.md`, summaries; labels and entities of others no longer name it."""
    vault = Driver(owned(seal=2))
    vault.take(
        "a",
        "w",
        atom("Osprey cabin is green", "Osprey cabin", "colour"),
        atom("Osprey cabin is small", "Osprey cabin", "size"),
    )
    (other,) = vault.take(
        "b", "w", atom("The ferry stops nearby", "Dunlin ferry", "stop", labels=("Osprey cabin", "boats"))
    )
    vault.seal()
    vault.forget(entity="interaction:osprey-cabin")
    assert not vault.paths("osprey-cabin")
    assert vault.leaf(other.id).frontmatter["labels"] == ["boats"]
    assert b"Osprey" not in b"".join(
        d for p, d in vault.files.items() if "/interaction/" in p and not p.startswith(".")
    )
    assert vault.memory.trees.keys() == {"interaction:dunlin-ferry"}


def test_a_forgotten_leaf_is_not_brought_up_again_by_the_same_episode() -> None:
    """Its hash stays with the episode; its words do not."""
    vault = Driver()
    fact = atom("The depot is in Kiln street", "Depot", "address", quotes=("Kiln street",))
    (out,) = vault.take("a", "in Kiln street", fact)
    vault.forget(leaf=out.id)
    (again,) = vault.take("a", "in Kiln street", fact)
    assert again.outcome == "not_admitted"
    assert "forgotten" in again.reason
    (elsewhere,) = vault.take("b", "in Kiln street", fact)
    assert elsewhere.outcome == "created"


def test_what_another_source_says_too_stays_and_loses_the_forgotten_quote() -> None:
    """Support: the leaf stands on the other episode, with that one's words."""
    vault = Driver()
    (one,) = vault.take(
        "a",
        "The depot? Kiln street.",
        atom("The depot is in Kiln street", "Depot", "address", quotes=("The depot? Kiln street.",)),
    )
    vault.take(
        "b",
        "It is still in Kiln street.",
        atom("The depot is in Kiln street", "Depot", "address", quotes=("still in Kiln street",)),
        at=LATER,
    )
    vault.forget(session="a")
    leaf = vault.leaf(one.id)
    assert vault.memory.active(one.id)
    assert [q["text"] for q in quotes(leaf)] == ["still in Kiln street"]
    assert leaf.frontmatter["observed_at"] == LATER
    assert b"The depot? Kiln" not in visible(vault)


def test_what_was_admitted_only_because_another_said_it_too_goes_back_to_being_refused() -> None:
    """The weak source alone carries no leaf; its words wait with it, and no link to what is gone is left."""
    vault = Driver()
    vault.take("a", "half past", atom("The ferry leaves at half past", "Dunlin ferry", "departure", sure=0.7))
    (out,) = vault.take(
        "b", "at half past", atom("The ferry leaves at half past", "Dunlin ferry", "departure"), at=LATER
    )
    vault.forget(session="b")
    assert out.id not in visible(vault).decode()
    (item,) = refused(vault.memory.episodes[0])
    assert (item["text"], item["confidence"]) == ("The ferry leaves at half past", 0.7)


def test_what_the_forgotten_one_superseded_comes_back() -> None:
    """Leaf, chain and profile say the old value again."""
    vault = Driver()
    (old,) = vault.take("a", "aisle", atom("The user prefers aisle seats", "user", "seat", quotes=("aisle",)))
    vault.take("b", "window", atom("The user prefers window seats", "user", "seat", quotes=("window",)), at=LATER)
    vault.weave()
    vault.patch()
    vault.forget(session="b")
    assert vault.memory.active(old.id)
    assert not vault.paths("/chains/")
    assert "The user prefers aisle seats" in vault.text("memory/profile.md")
    assert b"window" not in visible(vault)


def test_a_forgotten_middle_version_leaves_its_neighbours_joined() -> None:
    """One, two, three; without two, three still replaces one."""
    vault = Driver()
    ids = [
        vault.take(
            f"s{n}", f"w{n}", atom(f"Rent is {n}", "Flat", "rent", quotes=(f"w{n}",)), at=f"2026-11-1{n}T09:00:00+08:00"
        )[0].id
        for n in (1, 2, 3)
    ]
    vault.forget(session="s2")
    assert vault.memory.superseded(ids[0]) == ids[2]
    assert ids[1] not in visible(vault).decode()


def test_one_turn_of_many_goes_and_the_others_keep_their_ids_and_bytes() -> None:
    """The episode is told again over the turns that are left, its other leaf stands."""
    vault = Driver()
    episode = vault.said(
        "s", ("user", "The mill is shut."), ("user", "Wexcombe owes me money."), ("user", "The mill is red.")
    )
    shut, owes, red = vault.admit(
        episode,
        atom("The mill is shut", "Mill", "access", quotes=("The mill is shut",)),
        atom("Wexcombe owes the user money", "Wexcombe", "debt", quotes=("owes me money",)),
        atom("The mill is red", "Mill", "colour", quotes=("The mill is red",)),
    )
    (evidence,) = vault.paths("/evidence/")
    turn = f"{vault.vault.notes[evidence].id}#t2"
    vault.forget(turn=turn)
    assert b"Wexcombe" not in visible(vault)
    assert [t.id for t in vault.vault.notes[evidence].turns] == ["t1", "t3"]
    assert vault.vault.notes[evidence].frontmatter["turns"] == 2
    assert vault.memory.active(shut.id)
    assert vault.memory.active(red.id)
    assert owes.id not in vault.memory.files


def test_what_another_episode_of_the_session_worded_from_the_forgotten_turn_goes_with_it() -> None:
    """An agent names one turn and takes words of the next one, too: forgetting that one takes the leaf along."""
    vault = Driver()
    at = "2026-03-01T09:00:00+08:00"
    turns = (("user", "I got promoted!"), ("user", "It is a stepping stone for bigger things."))
    evidence = vault.said("s", *turns, at=at, episode=False)
    name = evidence.path.rpartition("/")[2].removesuffix(".md")
    first = vault.episode("s", name, [1], turns[:1], at, at)
    vault.episode("s", name, [2], turns[1:], at, at)
    both, plain = vault.admit(
        first,
        atom("The user was promoted, a stepping stone for bigger things", "user", "work", quotes=("I got promoted!",)),
        atom("The user got promoted", "user", "post", quotes=("I got promoted!",)),
    )
    vault.forget(turn=f"{evidence.id}#t2")
    assert both.id not in vault.memory.files
    assert vault.memory.active(plain.id)
    assert b"stepping stone" not in visible(vault)


def test_a_leaf_carried_on_has_the_days_and_labels_that_its_own_source_gave_it() -> None:
    """Two say it, each until another day; without the first it holds until the day that the second named, and so on."""
    vault = Driver()
    out = [
        vault.take(
            name, "Kiln street", atom("The depot is in Kiln street", "Depot", "address", valid_to=day, labels=labels)
        )[0]
        for name, day, labels in (("a", "2026-12-20", ("clay",)), ("b", "2026-12-24", ("brick",)), ("c", "", ()))
    ]
    assert len({o.id for o in out}) == 1
    found = []
    for name in ("a", "b"):
        vault.forget(session=name)
        keys = vault.leaf(out[0].id).frontmatter
        found.append((keys.get("valid_to"), keys.get("labels")))
    assert found == [("2026-12-24", ["brick"]), (None, None)]


def test_what_another_said_in_other_words_is_told_in_those_when_the_first_is_forgotten() -> None:
    """A model took two wordings for one memory; without the first, no name, no id and no word is the first's."""

    def same(question: Judge) -> object:
        known = [k["id"] for k in question.inputs.get("known", ())]
        return {"action": "same_memory", "id": known[0]} if known else {"action": "different"}

    vault = Driver(owned(method="llm"), judge=lambda q: same(q) if q.task == "verdict" else None)
    (one,) = vault.take("a", "It is in Kiln street by the Wexcombe vicarage.",
                        atom("The depot is in Kiln street by the Wexcombe vicarage", "Depot", "address"))  # fmt: skip
    (two,) = vault.take("b", "Kiln street, as ever.", atom("The depot is in Kiln street", "Depot", "address"), at=LATER)
    vault.take("c", "Now Mill lane.", atom("The user's desk is in Mill lane", "user", "desk"), at=LATER)
    assert two.id == one.id
    vault.weave()
    vault.patch()
    vault.forget(session="a")
    assert b"Wexcombe" not in visible(vault)
    assert one.id.encode() not in visible(vault)
    [leaf] = vault.memory.leaves("interaction:depot")
    assert (leaf.lead, vault.memory.active(leaf.id)) == ("The depot is in Kiln street", True)
    assert vault.memory.support[leaf.id] == (next(e.id for e in vault.memory.episodes if "-b-" in e.path),)


def test_what_an_episode_was_refused_of_a_forgotten_entity_goes_too() -> None:
    """Neither the words nor the name wait to be said again; what it was refused of others does."""
    vault = Driver()
    vault.take("a", "w", atom("Osprey cabin is green", "Osprey cabin", "colour"))
    vault.take("b", "w", atom("Osprey cabin may leak", "Osprey cabin", "roof", sure=0.7),
               atom("The ferry may be late", "Dunlin ferry", "delay", sure=0.7))  # fmt: skip
    vault.forget(entity="interaction:osprey-cabin")
    assert [item["text"] for e in vault.memory.episodes for item in refused(e)] == ["The ferry may be late"]
    (again,) = vault.take("c", "w", atom("Osprey cabin may leak", "Osprey cabin", "roof", sure=0.7))
    assert again.outcome == "not_admitted"


def by_hand(vault: Driver) -> str:
    """The last turn that a person said to memd itself."""
    [evidence] = [n for n in vault.memory.of_kind("evidence") if n.frontmatter["session"] == human.SESSION]
    return f"{evidence.id}#{evidence.turns[-1].id}"


def test_a_persons_correction_may_be_forgotten_like_anything_that_was_said() -> None:
    """Without it the value before is current again; where another source says it too, it stays, and is no person's."""
    for again in (False, True):
        vault = Driver()
        (old,) = vault.take("a", "Kiln street", atom("The depot is in Kiln street", "Depot", "address"))
        told = vault.run(correct.correct(vault.vault, vault.config, NOW, old.id, "The depot is in Wexcombe road"))
        turn = by_hand(vault)
        if again:
            vault.take("b", "Wexcombe road", atom("The depot is in Wexcombe road", "Depot", "address"), at="2027-01-01")
        vault.forget(turn=turn)
        assert vault.memory.active(told.leaf if again else old.id)
        assert (told.leaf in vault.memory.files) == again
        assert (b"Wexcombe" in visible(vault)) == again
        assert not any(note.origin == "human" for note in vault.memory.of_kind("leaf"))


def test_a_leaf_in_a_persons_words_goes_with_these_words() -> None:
    """They edited its file; when what they said is forgotten, the source that brought it does not carry their words."""
    vault = Driver()
    (out,) = vault.take("a", "Kiln street", atom("The depot is in Kiln street", "Depot", "address"))
    path = vault.leaf(out.id).path
    vault.put(path, vault.text(path).replace("\nThe depot is in Kiln street\n", "\nThe depot is in Wexcombe road\n"))
    vault.run(handedits.settle(vault.vault, vault.config, NOW, (path,)))
    vault.forget(session="a")
    assert vault.memory.active(out.id)
    vault.forget(turn=by_hand(vault))
    assert b"Wexcombe" not in visible(vault)


def test_a_name_that_only_what_is_forgotten_used_is_no_alias_any_more() -> None:
    """Two entities were one; without the source that said the one name, the entity is not called so."""
    vault = Driver()
    for session, name, city in (("a", "Nora Wexcombe", "Porto"), ("b", "Nonna", "Braga"), ("c", "Eleanor", "Faro")):
        vault.take(session, "w", atom(f"{name} was in {city}", name, city, "event"))
    for tree in ("interaction:nora-wexcombe", "interaction:nonna"):
        vault.run(moves.merge(vault.vault, vault.config, NOW, tree, "interaction:eleanor"))
    vault.forget(session="a")
    assert vault.memory.trees["interaction:eleanor"].frontmatter["aliases"] == ["Nonna"]
    assert b"Wexcombe" not in visible(vault)


def test_a_weak_source_keeps_what_it_says_when_another_of_its_turns_goes() -> None:
    """Two say it, neither surely; the one loses a turn that says something else, and both still say it."""
    vault = Driver()
    rent = atom("The rent is 900 a month", "Flat", "rent", sure=0.7, quotes=("The rent is 900 a month",))
    episode = vault.said("a", ("user", "Hello there."), ("user", "The rent is 900 a month"))
    vault.admit(episode, rent, method="rules")
    (out,) = vault.take("b", "The rent is 900 a month", rent, at=LATER)
    assert len(vault.memory.support[out.id]) == 2
    vault.forget(turn=vault.memory.turns_of[episode.id][0])
    assert vault.memory.active(out.id)
    assert len(vault.memory.support[out.id]) == 2


def test_without_purge_files_go_to_the_trash_and_with_it_they_are_gone() -> None:
    """Soft deletion is a move; a purge removes, and may not be undone."""
    soft, _ = clinic().plan_of(forget.forget((v := clinic()).vault, v.config, NOW, {"session": "gone"}))
    hard, _ = v.plan_of(forget.forget(v.vault, v.config, NOW, {"session": "gone"}, purge=True))
    assert any(isinstance(s, Move) and s.to.startswith(".trash/memd/") for s in soft.steps)
    assert not any(isinstance(s, Move) for s in hard.steps)
    assert (soft.undo, hard.undo) == (True, False)


def test_a_purge_takes_memds_own_copies_with_it() -> None:
    """Trash, conflicts and older profiles that hold an id or a phrase of it."""
    vault = clinic()
    vault.put(".trash/memd/1/memory/x.md", "Wexcombe told me it closes at noon\n")
    vault.put(".conflict/y.md", "nothing of the kind\n")
    vault.forget(purge=True, copies=(".trash/memd/1/memory/x.md", ".conflict/y.md"), session="gone")
    assert ".trash/memd/1/memory/x.md" not in vault.files
    assert ".conflict/y.md" in vault.files
    assert not any(b"Wexcombe" in d for d in vault.files.values())


def test_phrases_prove_it_and_find_it_before() -> None:
    """The positive control: what must be nowhere after is found before; what others say too is no phrase."""
    vault = clinic()
    before = visible(vault).decode()
    told = vault.forget(purge=True, session="gone")
    assert told.phrases
    assert purge.mentions(before, told.phrases)
    assert not purge.mentions(visible(vault).decode(), told.phrases)
    assert not purge.mentions("The Linden clinic has a blue sign.", told.phrases)


def test_chinese_phrases_are_runs_of_characters() -> None:
    """No spaces needed; what is kept elsewhere does not count."""
    found = purge.phrases(["维克斯康说诊所中午就关门了"], ["诊所中午就关门了吧"])
    assert found
    assert all(p in "维克斯康说诊所中午就关门了" and p not in "诊所中午就关门了吧" for p in found)


def test_the_persons_own_notes_that_still_say_it_are_listed() -> None:
    """memd does not touch them."""
    vault = clinic()
    vault.put("diary/march.md", "# March\n\nWexcombe told me it closes at noon.\n")
    told = vault.forget(session="gone", purge=True)
    plan_told = vault.plan_of(_pair(purge.remaining(vault.vault, view.of(vault.vault), told.phrases)))[1]
    assert [(r["path"], r["line"]) for r in plan_told] == [("diary/march.md", 3)]
    assert "Wexcombe" in vault.text("diary/march.md")


def _pair(asking):
    told = yield from asking
    return None, told


def test_withdrawn_material_is_refused_and_only_hashes_are_kept() -> None:
    """By session, by source, and by its words under another name."""
    vault = clinic()
    vault.forget(withdraw=True, session="gone")
    text = vault.text("memory/withdrawn.md")
    assert "gone" not in text.split("---\n")[2]
    marks = withdrawn.read(text)
    assert "withdrawn" in marks.reason("gone", "chat")
    assert marks.reason("new", "chat", [Event("x", "Wexcombe told me it closes at noon,  维克斯康说的。")])
    assert not marks.reason("new", "chat", [Event("x", "The mill is shut and red today.")])
    assert not marks.reason("new", "chat", [Event("x", "ok")])


def test_a_line_taken_out_of_withdrawn_by_hand_allows_it_again() -> None:
    """The rest stays withdrawn; a person's words in the file stay where they are when more is withdrawn."""
    vault, path = clinic(), "memory/withdrawn.md"
    vault.forget(withdraw=True, session="gone")
    rows = vault.text(path).splitlines(keepends=True)
    mine = "".join(row for row in rows if not row.startswith("- session ")) + "\nAllowed again on Sunday.\n"
    vault.put(path, mine)
    assert not withdrawn.read(mine).reason("gone", "other")
    assert withdrawn.read(mine).reason(
        "new", "other", [Event("x", "Wexcombe told me it closes at noon, 维克斯康说的。")]
    )
    more = withdrawn.added(mine.encode(), NOW, "session", "next", [])
    assert more.startswith(mine.encode())
    assert withdrawn.read(more.decode()).reason("next", "other")
    assert not withdrawn.read(more.decode()).reason("gone", "other")


def test_a_forget_cut_short_is_finished_after_a_restart() -> None:
    """Killed after any step: the note of what is being forgotten is there, and taking it up ends as the whole would."""
    whole = clinic()
    plan, _ = whole.plan_of(forget.forget(whole.vault, whole.config, NOW, {"session": "gone"}, purge=True))
    whole.apply(plan)
    for cut in range(1, len(plan.steps)):
        broken = clinic()
        broken.apply(plan, cut)
        again = broken.reopened()
        target, hard = forget.unfinished(again.vault, again.config)
        assert hard
        step = forget.forget(again.vault, again.config, NOW, target, hard, resumed=True)
        again.run(step)
        assert forget.unfinished(again.vault, again.config) is None
        assert set(again.files) == set(whole.files), plan.steps[cut - 1].path
        assert b"Wexcombe" not in visible(again)


def test_digests_and_older_profiles_lose_the_lines_that_tell_of_it() -> None:
    """Lines that cite what is gone, and the boxes under them."""
    vault = clinic()
    leaf = next(n for n in vault.memory.of_kind("leaf") if "Wexcombe" in n.lead)
    name = leaf.path.rsplit("/", 1)[-1][:-3]
    vault.put(
        "memory/digests/2026/2026-11-20.md",
        f"---\nid: dg-aaaaaaaaaa\ntype: digest\n---\n- Wexcombe said so [[{name}|1]]\n  - [ ] confirm\n- The mill is red\n",
    )
    vault.forget(session="gone")
    assert vault.text("memory/digests/2026/2026-11-20.md").split("---\n")[2] == "- The mill is red\n"


def test_an_unknown_target_is_refused_with_what_to_do() -> None:
    """`not_found` and `invalid_params` say the next step."""
    vault = clinic()
    for target, code in (({"session": "none"}, "not_found"), ({"mood": "x"}, "invalid_params"), ({}, "invalid_params")):
        with pytest.raises(Refused) as fault:
            vault.plan_of(forget.forget(vault.vault, vault.config, NOW, target))
        assert fault.value.code == code


def test_writes_expect_what_was_read() -> None:
    """A person's save meanwhile displaces the step instead of being lost."""
    vault = clinic()
    plan, _ = vault.plan_of(forget.forget(vault.vault, vault.config, NOW, {"session": "gone"}))
    assert all(
        s.expect is not None for s in plan.steps if isinstance(s, Write | Move | Remove) and "_forgetting" not in s.path
    )
