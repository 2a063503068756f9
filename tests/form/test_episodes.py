"""An episode holds one whole matter: what belongs together stays together, and whoever cut a session first keeps it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise

import msgspec
import pytest

from memd.form.episode_files import Narrative
from memd.form.episodes import narrate, segment
from memd.form.evidence import Material, register
from memd.form.handover import hand_over
from memd.form.rules.boundaries import BATCH, CAP, cut, rounds
from memd.model.config import Config, FormationConfig, LlmConfig, VaultConfig
from memd.model.errors import Refused
from memd.model.memory import Event, Handed, Said
from tests.fakes.talk import Desk

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 6, 9, 0, tzinfo=ZONE)
CONFIG = Config(vault=VaultConfig(timezone="Asia/Shanghai"))
LLM = msgspec.structs.replace(CONFIG, formation=FormationConfig(method="llm"), llm=LlmConfig(model="m"))


def talk(*words: str, day: str = "2026-04-02", step: int = 60) -> list[Event]:
    """Turns by a user and an assistant (`A:` in front), each in a call of its own."""
    start = datetime.fromisoformat(f"{day}T10:00:00+08:00")
    events = []
    for n, text in enumerate(words):
        role = "assistant" if text.startswith("A:") else "user"
        at = (start + timedelta(seconds=step * n)).isoformat()
        events.append(Event(role, text.removeprefix("A:").strip(), id=f"{day}.{n}", role=role, at=at))
    return events


def said(*words: str, captured: bool = False) -> list[Said]:
    return [
        Said(f"ev-a#t{n}", f"a#^t{n}", e.speaker, e.text, at=e.at, role=e.role, captured_at="x" if captured else "")
        for n, e in enumerate(talk(*words))
    ]


def heard(desk: Desk, events: list[Event], session: str = "s", **more) -> None:
    """Each turn in a call of its own, so that nothing arrives together."""
    for n, event in enumerate(events):
        desk.now = NOW + timedelta(seconds=n)
        desk.do(register, Material(session, (event,), **more))


PHOTO = (
    "我准备每周三去青禾图书馆学摄影。",
    "A: 带上相机和三脚架，摄影课每周三开。",
    "摄影课要自备三脚架吗？",
    "A: 要，图书馆摄影课不提供三脚架。",
)
RENT = (
    "对了，我想租一套两居室的房子，预算五千。",
    "A: 两居室房子五千可以看城东。",
    "城东两居室的房子离地铁远吗？",
    "A: 房子离地铁两站。",
)


def test_a_new_matter_begins_a_new_episode():
    """The message that opens the new topic starts it; the answer goes with its question."""
    assert cut(said(*PHOTO, *RENT)) == [0, 4]
    english = said(
        "My tomato seedlings have yellow leaves, what feed do tomato seedlings need?",
        "A: Tomato seedlings with yellow leaves need nitrogen feed.",
        "How often should I give the tomato seedlings nitrogen feed?",
        "A: Feed tomato seedlings weekly.",
        "Hi, another question: my laptop's battery dies after an hour, is the charger faulty?",
        "A: A laptop battery that dies may be worn out; test the charger first.",
    )
    assert cut(english) == [0, 4]


def test_thanks_belong_to_what_just_ended():
    """A thank-you never begins an episode."""
    assert cut(said(*PHOTO, "谢谢！", *RENT)) == [0, 5]
    assert cut(said("What is a good feed for tomatoes?", "A: Nitrogen.", "Thanks a lot!")) == [0]


def test_question_and_answer_stay_together():
    """Between people, too: a turn that asks is not cut from the turn that answers."""
    turns = [
        Said(f"ev-a#t{n}", f"a#^t{n}", who, text)
        for n, (who, text) in enumerate(
            [
                ("Ann", "Where do you keep the spare oars?"),
                ("Bob", "Under the jetty."),
                ("Ann", "Zebra crossings confuse my nephew."),
            ]
        )
    ]
    assert rounds(turns)[0] == (0, 2)


def test_a_batch_that_arrives_together_is_never_split():
    """What was captured at one moment stays in one episode, up to what a call of one round may hold."""
    together = said(*PHOTO, *RENT, captured=True)
    assert len(together) <= BATCH
    assert cut(together) == [0]


def test_a_long_gap_ends_an_episode():
    """Six hours later it is another occasion."""
    first, second = talk(*PHOTO[:2]), talk(*PHOTO[2:], day="2026-04-03")
    turns = [
        Said(f"ev-a#t{n}", f"a#^t{n}", e.speaker, e.text, at=e.at, role=e.role) for n, e in enumerate(first + second)
    ]
    assert cut(turns) == [0, 2]


def test_in_doubt_the_matter_goes_on_up_to_a_hard_cap():
    """The same words over and over make no boundary but the cap's."""
    starts = cut(said(*(["the same old words about oars", "A: the same old words about oars"] * CAP)))
    assert len(starts) > 1
    assert all(b - a <= CAP for a, b in pairwise(starts))


def test_the_tail_stays_open_until_it_is_closed_or_idle():
    """What may go on is not cut off; a closed session leaves nothing open; nothing is made twice."""
    desk = Desk(CONFIG, NOW)
    heard(desk, talk(*PHOTO, *RENT))
    told = desk.do(segment, "s")
    assert (len(told.episodes), told.open) == (1, 4)
    desk.now = NOW + timedelta(hours=2)
    told = desk.do(segment, "s")
    assert (len(told.episodes), told.open) == (1, 0)
    before = dict(desk.files)
    assert desk.do(segment, "s", True).episodes == ()
    assert desk.files == before


def test_the_narrative_keeps_days_words_and_who_said_them():
    """Relative dates are resolved by the material's own time, not the import's; plans stay plans."""
    desk = Desk(CONFIG, NOW)
    heard(
        desk,
        talk(
            "下周三我要去牙科复查，不去年检。",
            "A: 改到周六？",
            "My sister arrives tomorrow with 3 bags.",
            day="2025-04-02",
        ),
    )
    desk.do(segment, "s", True)
    text = "".join(desk.files[path].decode().split("---\n", 2)[2] for path in desk.paths("episode"))
    for words in (
        "2025-04-02",
        "下周三（2025-04-09）",
        "不去年检",
        "user：",
        "assistant：改到周六",
        "tomorrow (2025-04-03)",
        "3 bags",
    ):
        assert words in text
    assert "2026" not in text


def test_the_file_of_an_episode():
    """Keys as the contract has them; id and bytes are functions of the turns, so two devices write the same."""
    files = []
    for later in (0, 5):
        desk = Desk(CONFIG, NOW)
        heard(desk, talk(*PHOTO))
        desk.now = NOW + timedelta(days=later)
        desk.do(segment, "s", True)
        note = desk.note(desk.paths("episode")[0])
        files.append(desk.files[note.path])
    assert files[0] == files[1]
    keys = note.frontmatter
    assert note.path.startswith("memory/episodes/2026/04/2026-04-02-")
    assert (keys["type"], keys["evidence"], keys["method"]) == ("episode", "full", "rules")
    assert keys["turns"][0] == "[[2026-04-02-s#^t1]]"
    assert (keys["from"], keys["to"]) == ("2026-04-02T10:00:00+08:00", "2026-04-02T10:03:00+08:00")
    assert "摄影" in keys["topic"]


def test_a_callers_episodes_win():
    """Turns are event ids or numbers of the call; the same again is the same episode; memd leaves the session alone."""
    desk = Desk(CONFIG, NOW)
    registered = desk.do(register, Material("s", tuple(talk(*PHOTO))))
    handed = [Handed("小林学摄影", "他准备学摄影。", ("2026-04-02.0", 1))]
    told = desk.do(hand_over, Material("s"), handed, registered)
    assert desk.note(told.episodes[0].path).frontmatter["turns"] == ["[[2026-04-02-s#^t1]]", "[[2026-04-02-s#^t2]]"]
    assert desk.do(hand_over, Material("s"), handed, registered).episodes[0].new is False
    assert desk.do(segment, "s", True).kept_by == "agent"
    assert len(desk.paths("episode")) == 1


def test_who_came_second_gets_a_conflict():
    """A session that memd has cut is not cut again by a caller; a turn is in one episode."""
    desk = Desk(CONFIG, NOW)
    registered = desk.do(register, Material("s", tuple(talk(*PHOTO))))
    desk.do(segment, "s", True)
    with pytest.raises(Refused, match="memd has segmented") as refused:
        desk.do(hand_over, Material("s"), [Handed("x", "y", (0,))], registered)
    assert refused.value.code == "conflict"
    other = desk.do(register, Material("t", tuple(talk(*RENT))))
    desk.do(hand_over, Material("t"), [Handed("x", "y", (0, 1))], other)
    with pytest.raises(Refused, match="another episode"):
        desk.do(hand_over, Material("t"), [Handed("x", "y", (1, 2))], other)


def test_an_episode_without_turns_says_so():
    """`evidence: none`; it bears no turns, and names a turn that is not there in vain."""
    desk = Desk(CONFIG, NOW)
    told = desk.do(hand_over, Material("s"), [Handed("小林学摄影", "他准备学摄影。", None, "2026-04-02", "2026-04-02")])
    keys = desk.note(told.episodes[0].path).frontmatter
    assert keys["evidence"] == "none"
    assert "turns" not in keys
    with pytest.raises(Refused, match="a turn that is not there"):
        desk.do(hand_over, Material("s"), [Handed("x", "y", ("nobody",))])


def test_a_sensitive_turn_makes_its_episode_sensitive():
    """The mark is inherited, and the file's name says nothing."""
    desk = Desk(CONFIG, NOW)
    desk.do(
        register,
        Material(
            "s",
            (Event("user", "My cholesterol is 290.", id="1", at="2026-04-02T10:00:00+08:00", sensitivity="sensitive"),),
        ),
    )
    desk.do(segment, "s", True)
    note = desk.note(desk.paths("episode")[0])
    assert note.sensitivity == "sensitive"
    assert "cholesterol" not in note.path


def test_a_model_draws_boundaries_between_rounds_and_tells_the_story():
    """Its boundary moves to the round it falls into; the file is signed with the model."""

    def answer(question):
        if question.task == "boundaries":
            return {"starts": [5, 99]}
        return Narrative("租房", "用户想租两居室。")

    desk = Desk(LLM, NOW, answer)
    heard(desk, talk(*PHOTO, *RENT))
    told = desk.do(segment, "s", True)
    assert [len(desk.note(e.path).frontmatter["turns"]) for e in told.episodes] == [4, 4]
    assert desk.note(told.episodes[0].path).frontmatter["method"] == "llm:m"


def test_without_an_answer_the_rules_tell_and_the_model_may_tell_later():
    """Nothing is lost; what a person edited is not told again."""
    desk = Desk(LLM, NOW)
    heard(desk, talk(*PHOTO))
    told = desk.do(segment, "s", True)
    path = told.episodes[0].path
    assert desk.note(path).frontmatter["method"] == "rules"
    assert desk.do(narrate, desk.note(path)) is False
    desk.judge = lambda question: {"topic": "学摄影", "narrative": "用户准备学摄影。"}
    assert desk.do(narrate, desk.note(path)) is True
    assert "用户准备学摄影。" in desk.files[path].decode()
    assert desk.note(path).frontmatter["method"] == "llm:m"
    desk.config = msgspec.structs.replace(LLM, llm=LlmConfig(model="better"))
    desk.edit(path, lambda text: text.replace("用户准备学摄影。", "我自己写的。"))
    assert desk.do(narrate, desk.note(path)) is False
