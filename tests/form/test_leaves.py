"""Atoms to leaves: the admission matrix, one leaf one tree, duplicates, newer versions, quotes, secrets (design 4)."""

from __future__ import annotations

import msgspec
import pytest

from memd.form import leaves
from memd.form.facts import extracted, quotes
from memd.form.ownership import entities, is_name, shortlist
from memd.model.config import Config, FormationConfig
from memd.model.memory import Confidence
from tests.fakes.driver import Driver, atom, owned

LATER = "2026-04-01T09:00:00+08:00"


@pytest.fixture
def vault() -> Driver:
    return Driver()


# the matrix


def test_low_admission_makes_neither_leaf_nor_entity_and_says_why(vault: Driver) -> None:
    """Row 1: the material stays evidence, the reason is for a person and stands in the episode."""
    (out,) = vault.take(
        "d1", "Hm, maybe the Osprey cabin.", atom("The Osprey cabin may be meant", "Osprey cabin", sure=0.02)
    )
    assert out.outcome == "not_admitted"
    assert "evidence" in out.reason
    assert not vault.paths("/interaction/")
    assert extracted(vault.memory.episodes[0])["refused"][0]["text"] == "The Osprey cabin may be meant"


def test_a_known_subject_is_matched(vault: Driver) -> None:
    """Row 2: the second fact about a subject goes into its tree."""
    (one,) = vault.take("a", "Larch trail is open.", atom("Larch trail is open", "Larch trail", "access"))
    (two,) = vault.take("b", "the larch trail is steep", atom("Larch trail is steep", "larch Trail", "grade"))
    assert (one.entity_decision, two.entity_decision) == ("create_new", "match_existing")
    assert one.tree == two.tree == "interaction:larch-trail"


def test_a_subject_of_its_own_becomes_an_entity_with_the_first_leaf(vault: Driver) -> None:
    """Row 3: `_tree.md` is there at once; Chinese stays in the id."""
    (out,) = vault.take("a", "青禾图书馆周三开放。", atom("青禾图书馆周三开放", "青禾图书馆", "开放时间"))
    assert out.tree == "interaction:青禾图书馆"
    assert vault.paths("_tree.md") == ["memory/interaction/interaction-青禾图书馆/_tree.md"]


def test_what_a_person_wrote_into_a_tree_counts_and_stays(vault: Driver) -> None:
    """A name and an alias by hand are the entity's from then on; memd adds leaves and leaves the file's bytes alone."""
    (one,) = vault.take("a", "Larch trail is open.", atom("Larch trail is open", "Larch trail", "access"))
    (path,) = vault.paths("_tree.md")
    name = vault.parsed(path).frontmatter["name"]
    mine = (
        vault.text(path).replace(f"name: {name}", "name: Lärchenweg\naliases: [the ridge path]") + "\nMind the bull.\n"
    )
    vault.put(path, mine)
    for number, subject in enumerate(("The ridge path", "Lärchenweg", "Larch trail")):
        said = f"{subject} has {number + 3} gates"
        (out,) = vault.take(f"b{number}", said, atom(said, subject, "gates"))
        assert (out.tree, out.entity_decision) == (one.tree, "match_existing")
    assert vault.text(path) == mine


def test_leaves_keep_their_tree_when_its_file_is_deleted(vault: Driver) -> None:
    """`tree:` on the leaf owns it; the next fact finds the tree by its id and does not make a second one."""
    (one,) = vault.take("a", "Larch trail is open.", atom("Larch trail is open", "Larch trail", "access"))
    vault.put(vault.paths("_tree.md")[0], None)
    assert vault.memory.tree_of(one.id) == one.tree
    (two,) = vault.take("b", "Larch trail is steep.", atom("Larch trail is steep", "Larch trail", "grade"))
    assert two.tree == one.tree


@pytest.mark.parametrize("subject", ["it", "this", "", "something", "东西", "这个", "The thing", "123"])
def test_no_match_is_no_reason_to_create(vault: Driver, subject: str) -> None:
    """Row 4: what names nothing waits under `uncategorized`."""
    (out,) = vault.take("u", "It rattles.", atom("It tends to rattle when it is cold", subject, "noise", sure=0.9))
    assert (out.outcome, out.tree, out.entity_decision) == ("created", "interaction:uncategorized", "fallback")
    assert not vault.paths("_tree.md")


def test_a_create_confidence_under_the_limit_makes_no_entity(vault: Driver) -> None:
    """The three confidences are three questions: sure of the fact, unsure of the subject."""
    unsure = atom("Corvid Labs may merge", "Corvid Labs", sure=0.0)
    given = msgspec.structs.replace(unsure, confidence=Confidence(admission=0.9, match=0.1, create=0.3))
    (out,) = vault.take("u", "Corvid Labs may merge", given)
    assert out.tree == "interaction:uncategorized"


def test_a_model_cannot_choose_an_entity_that_was_not_offered() -> None:
    """The guard is in the code: an id off the shortlist counts for nothing."""
    answer = {"action": "match_existing", "entity": "interaction:made-up", "confidence": 0.99}
    vault = Driver(
        Config(formation=FormationConfig(method="llm")), judge=lambda q: answer if q.task == "assign" else None
    )
    (out,) = vault.take("u", "It rattles.", atom("It rattles", "it", "noise"))
    assert out.tree == "interaction:uncategorized"


def test_the_shortlist_is_bounded(vault: Driver) -> None:
    """At most 24 entities are offered, the nearest first."""
    for n in range(30):
        vault.take(f"s{n}", f"Mill {n} stands.", atom(f"Mill {n} stands", f"Mill {n}", "place"))
    short = shortlist(entities(vault.memory), "Mill 7 fell", "Mill 7", 24)
    assert len(short) == 24
    assert short[0].name == "Mill 7"


def test_the_owner_has_one_tree_under_every_name() -> None:
    """`user`, I, 我 and the configured names are one entity, marked as the owner."""
    vault = Driver(owned("小林", "Xiao Lin"))
    trees = {
        vault.take(f"s{n}", "words", atom(f"fact {n}", subject, f"aspect {n}"))[0].tree
        for n, subject in enumerate(("user", "I", "我", "小林", "xiao lin", "用户"))
    }
    assert trees == {"interaction:小林"}
    assert vault.memory.trees["interaction:小林"].frontmatter["owner"] is True


@pytest.mark.parametrize(
    ("subject", "named"),
    [("my car", True), ("this car", False), ("小林的同学", True), ("Harbor kiosk", True), ("他", False)],
)
def test_a_subject_must_name_something(subject: str, named: bool) -> None:
    """Positive evidence of a stable subject is a name, not a pointer."""
    assert is_name(subject) is named


def test_records_belong_to_their_source(vault: Driver) -> None:
    """Integration leaves: the source's tree, no entity judgement."""
    (out,) = vault.take(
        "mail",
        "Your hold is ready.",
        atom("The hold is ready", "Atlas of Mosses", "hold", "event"),
        source="gmail:primary",
        category="integration",
    )
    assert (out.tree, out.entity_decision) == ("integration:gmail:primary", "source")
    assert vault.paths("memory/integration/")
    assert not vault.paths("/interaction/")


# corroboration


def test_what_two_episodes_say_is_admitted_and_both_state_it(vault: Driver) -> None:
    """0.60 is enough when it is said twice; alone it waits."""
    weak = atom("The ferry leaves at half past", "Dunlin ferry", "departure", sure=0.7)
    (first,) = vault.take("a", "half past", weak)
    (second,) = vault.take("b", "half past again", weak, at=LATER)
    assert (first.outcome, second.outcome) == ("not_admitted", "created")
    assert len(vault.memory.support[second.id]) == 2
    assert vault.memory.active(second.id)
    assert not any("refused" in extracted(e) for e in vault.memory.episodes)


def test_what_two_turns_say_needs_no_other_episode(vault: Driver) -> None:
    """Corroboration within one episode: quotes in two turns."""
    episode = vault.said(
        "a", ("user", "The ferry leaves at half past."), ("user", "Yes, the ferry leaves at half past.")
    )
    weak = atom("The ferry leaves at half past", "Dunlin ferry", "departure", sure=0.7, turns=("a.1", "a.2"))
    assert vault.admit(episode, weak)[0].outcome == "created"


# duplicates and versions


def test_the_same_again_changes_nothing_on_disk(vault: Driver) -> None:
    """The same atoms of the same episode: `noop_duplicate`, an empty plan."""
    same = atom("The kite club meets at Fennimore hill", "kite club", "meeting place", quotes=("Fennimore hill",))
    vault.take("k", "The kite club meets at Fennimore hill.", same)
    before = dict(vault.files)
    (out,) = vault.take("k", "The kite club meets at Fennimore hill.", same)
    assert out.outcome == "noop_duplicate"
    assert not vault.plans[-1]
    assert vault.files == before


def test_another_episode_that_says_it_is_listed_as_support(vault: Driver) -> None:
    """The leaf's file stays as it is; the episode states it, with its own quote."""
    (one,) = vault.take(
        "a", "The club meets on the hill.", atom("The club meets on the hill", "kite club", quotes=("on the hill",))
    )
    before = vault.files[one.path]
    (two,) = vault.take(
        "b",
        "Hill as ever: the club meets there.",
        atom("the club meets on the hill.", "kite club", quotes=("Hill as ever",)),
        at=LATER,
    )
    assert (two.outcome, two.id) == ("noop_duplicate", one.id)
    assert vault.files[one.path] == before
    assert len(vault.memory.support[one.id]) == 2


def test_a_newer_but_terser_fact_wins_and_the_old_file_is_untouched(vault: Driver) -> None:
    """The new leaf points to the old; nothing is written to the old one."""
    (old,) = vault.take(
        "a",
        "opens weekdays from eight to six, closed over lunch",
        atom("The workshop opens weekdays from eight to six with a lunch break", "Ashdown workshop", "opening hours"),
    )
    before = vault.files[old.path]
    (new,) = vault.take(
        "b", "mornings only now", atom("Ashdown workshop: mornings only", "Ashdown workshop", "opening hours"), at=LATER
    )
    assert new.outcome == "superseding"
    assert old.id in str(vault.leaf(new.id).frontmatter["supersedes"])
    assert vault.files[old.path] == before
    assert vault.memory.superseded(old.id) == new.id
    assert (vault.memory.active(old.id), vault.memory.active(new.id)) == (False, True)


def test_older_material_that_arrives_later_does_not_win(vault: Driver) -> None:
    """What was said in March does not replace what was said in April, whenever it is imported."""
    (april,) = vault.take("b", "shut", atom("Rowan trail is shut", "Rowan trail", "access"), at=LATER)
    (march,) = vault.take(
        "a", "open", atom("Rowan trail is open", "Rowan trail", "access"), at="2026-03-01T09:00:00+08:00"
    )
    assert march.outcome == "created"
    assert vault.memory.superseded(march.id) == april.id
    assert vault.memory.active(april.id)


def test_a_value_said_again_is_current_again(vault: Driver) -> None:
    """Open, shut, open: the first leaf is stated once more and stands in the place of the second."""
    (one,) = vault.take("a", "open", atom("Rowan trail is open", "Rowan trail", "access"))
    (two,) = vault.take("b", "shut", atom("Rowan trail is shut", "Rowan trail", "access"), at=LATER)
    (three,) = vault.take(
        "c", "open", atom("Rowan trail is open", "Rowan trail", "access"), at="2026-05-01T09:00:00+08:00"
    )
    assert (three.outcome, three.id) == ("superseding", one.id)
    assert vault.memory.superseded(two.id) == one.id
    assert vault.memory.active(one.id)


def test_only_the_same_subject_and_aspect_replace_each_other(vault: Driver) -> None:
    """Another aspect, another subject, another event: they stand side by side."""
    outs = [
        *vault.take("a", "w", atom("Larch trail is open", "Larch trail", "access")),
        *vault.take("b", "w", atom("Larch trail is steep", "Larch trail", "grade"), at=LATER),
        *vault.take("c", "w", atom("Rowan trail is open", "Rowan trail", "access"), at=LATER),
        *vault.take("d", "w", atom("A tree fell on Larch trail", "Larch trail", "access", "event"), at=LATER),
        *vault.take("e", "w", atom("小林喜欢爬山", "小林", "爱好")),
        *vault.take("f", "w", atom("小林喜欢下棋", "小林", "爱好"), at=LATER),
    ]
    assert all(vault.memory.active(o.id) for o in outs)


def test_a_handed_supersede_counts_for_the_owners_active_leaves_only(vault: Driver) -> None:
    """It wins over wording; a leaf of another owner is not on the shortlist."""
    (old,) = vault.take("a", "w", atom("The depot is in Kiln street", "Depot", "address"))
    (new,) = vault.take(
        "b", "w", atom("The depot went to Mill lane", "Depot", "new place", supersedes=old.id), at=LATER
    )
    (other,) = vault.take("c", "w", atom("The shop is in Mill lane", "Shop", "address", supersedes=new.id), at=LATER)
    assert (new.outcome, other.outcome) == ("superseding", "created")
    assert vault.memory.active(new.id)


def test_an_unsure_model_supersedes_nothing() -> None:
    """No verdict, no supersede: unsure counts as different where rules have no pattern either."""
    vault = Driver(
        Config(formation=FormationConfig(method="llm")),
        judge=lambda q: {"action": "unsure"} if q.task == "verdict" else None,
    )
    (old,) = vault.take("a", "w", atom("The depot is in Kiln street", "Depot", "address"))
    vault.take("b", "w", atom("Lorries turn in Mill lane", "Depot", "lorries"), at=LATER)
    assert vault.memory.active(old.id)


def test_the_same_text_of_two_owners_is_two_leaves(vault: Driver) -> None:
    """Ownership is part of what a leaf is."""
    (one,) = vault.take("a", "w", atom("It is closed on Mondays", "Larch trail", "hours"))
    (two,) = vault.take("b", "w", atom("It is closed on Mondays", "Rowan trail", "hours"))
    assert one.id != two.id


def test_an_event_of_another_day_is_another_event(vault: Driver) -> None:
    """The same words about two days are two things that happened."""
    outs = [
        vault.take(f"s{d}", "w", atom("The user ran five miles", "user", "run", "event", valid_from=d))[0].id
        for d in ("2026-03-01", "2026-03-08")
    ]
    assert len(set(outs)) == 2


# words, secrets, sensitivity


def test_a_quote_that_nobody_said_is_dropped_and_its_absence_told(vault: Driver) -> None:
    """Only words that are in the turns are quotes; the invented ones reach no file."""
    (out,) = vault.take(
        "q",
        "We keep the oars under the jetty.",
        atom("Oars are under the jetty", "jetty", quotes=("oars under  the jetty", "painted in cobalt")),
    )
    leaf = vault.leaf(out.id)
    assert [q["text"] for q in quotes(leaf)] == ["oars under the jetty"]
    assert "nowhere in what was said" in out.reason
    assert not any(b"cobalt" in data for data in vault.files.values())
    assert "[[2026-03-01-q#^t1|user, 2026-03-01]]" in vault.text(out.path)


def test_a_credential_makes_no_leaf_and_is_in_no_file_of_it(vault: Driver) -> None:
    """The reason names the kind, never the secret."""
    (out,) = vault.take("s", "noted", atom("The upload token is Bearer Zx9kTq3vLm7pRw2nYb5dHs8cJf", "upload", "token"))
    assert out.outcome == "not_admitted"
    assert "Zx9kTq3vLm7pRw2nYb5dHs8cJf" not in out.reason + out.text
    assert not any(b"Zx9kTq3v" in data for data in vault.files.values())


def test_sensitivity_is_inherited_and_the_name_of_a_sensitive_file_says_nothing(vault: Driver) -> None:
    """From the episode, or by what it says."""
    (one,) = vault.take("s", "w", atom("Marta was treated in spring", "Marta", "treatment"), sensitive=True)
    (two,) = vault.take("t", "w", atom("我的月薪是 23000 元", "user", "工资"))
    assert vault.leaf(one.id).sensitive
    assert vault.leaf(two.id).sensitive
    assert one.path.endswith(f"/{one.id}.md")


def test_a_proposition_that_looks_like_structure_is_still_the_first_paragraph(vault: Driver) -> None:
    """Marks at the front are taken away: the lead is the proposition."""
    (out,) = vault.take("s", "w", atom("# - The kiosk\nis green", "kiosk", "colour"))
    assert vault.leaf(out.id).lead == "The kiosk is green"


def test_a_tree_with_many_leaves_goes_on_in_folders_by_month(vault: Driver) -> None:
    """Flat while small; `leaves/2026/03/` once a folder would be crowded."""
    episode = vault.said("big", ("user", "words"))
    vault.admit(episode, *(atom(f"Drawer {n} is full", "Kiosk", f"drawer {n}") for n in range(305)))
    flat = [p for p in vault.paths("/leaves/") if p.count("/") == 4]
    assert len(flat) == 300
    assert len(vault.paths("/leaves/2026/03/")) == 5


def test_a_step_cut_short_comes_out_the_same_when_done_again(vault: Driver) -> None:
    """Killed after any number of writes: no double leaf, no orphan, no leaf lost."""
    atoms = [atom(f"Drawer {n} is full", "Kiosk", f"drawer {n}", quotes=("words",)) for n in range(4)]
    episode = vault.said("k", ("user", "words"))
    plan, _ = vault.plan_of(leaves.admit(vault.vault, vault.config, vault.now, episode, atoms))
    whole = Driver()
    whole.said("k", ("user", "words"))
    whole.admit(whole.memory.episodes[0], *atoms)
    for cut in range(len(plan.steps)):
        broken = Driver()
        note = broken.said("k", ("user", "words"))
        broken.apply(plan, cut)
        broken.admit(note, *atoms)
        assert broken.paths("/leaves/") == whole.paths("/leaves/")
        assert all(broken.memory.active(n.id) for n in broken.memory.of_kind("leaf"))
