"""Walks the turns of an episode in order and collects what is stated. The one place of the rules that remembers.

What it remembers of a dialogue: the last offer and question of the assistant, whom `he` may mean, a role that is being
played, what was stated last. Knows the order of things said; the judging is done elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from memd.form.rules import answers, chinese, english, frames, judge, offers, repairs, words_en, words_zh
from memd.form.rules.facts import Sentence, Speaker, Statement, Subject
from memd.form.rules.naming import by_language, holder_of
from memd.form.rules.referents import Referents
from memd.form.rules.sentences import fluent, is_chinese, prose, split
from memd.form.rules.speakers import is_assistant, speaker
from memd.form.rules.telling import told
from memd.model.memory import Said

_ONLY_JOKE = re.compile(
    r"^\W*(?:just kidding|only kidding|kidding|i'm kidding|jk|joking|just joking|haha+|hehe|lol|开玩笑的?|逗你的?|骗你的|哈哈+|嘿嘿|嘻嘻|玩笑)[^a-z\u4e00-\u9fff]*$",
    re.I,
)


@lru_cache(maxsize=16)
def read(turns: tuple[Said, ...], owner: str) -> tuple[Statement, ...]:
    """What an episode's turns state, in order of saying; kept, as its topic and its atoms are both drawn from it."""
    return tuple(Reader(turns, owner).read())


class Reader:
    """One reading of one episode. `statements` is what it found, in order of saying."""

    def __init__(self, turns: Sequence[Said], owner: str) -> None:
        self.turns = turns
        self.owner = owner
        self.statements: list[Statement] = []
        self._playing = False
        self._offer = ""
        self._asked = ""
        self._question = ""
        self._referents = Referents()

    def read(self) -> list[Statement]:
        for number, turn in enumerate(self.turns):
            self._turn(number, turn)
        return self.statements

    def _turn(self, number: int, turn: Said) -> None:
        if frames.starts_role(turn.text):
            self._playing = True
        elif frames.ends_role(turn.text):
            self._playing = False
            return
        if self._playing or turn.modality not in ("text", ""):
            return
        text, technical = prose(judge.without_secrets(turn.text))
        sentences = [part for sentence in split(text) for part in by_language(sentence)]
        if is_assistant(turn):
            self._heard(turn.text, sentences)
            return
        who = speaker(turn, self.turns, self.owner)
        if frames.is_material(text, sentences):
            self._spent(sentences)
            return
        rest = self._dialogue(number, turn, who, sentences)
        for place, sentence in enumerate(rest):
            if frames.tells_story(sentence):
                break
            if sentence.lead and (place + 1 < len(rest) or technical):
                break
            if not self._repaired(number, turn, who, sentence):
                self._sentence(number, turn, who, sentence)
        self._spent(sentences)

    def _heard(self, text: str, sentences: list[Sentence]) -> None:
        """An assistant's turn: what it offers and what it asks, until the next turn has answered."""
        self._offer = text
        last = sentences[-1].text if sentences else ""
        asks = bool(sentences) and (chinese if sentences[-1].chinese else english).is_question(last)
        self._question = last if asks else ""

    def _spent(self, sentences: list[Sentence]) -> None:
        """After a person's turn: its own question may be settled by what comes; what was asked of it is not open."""
        asked = [s.text for s in sentences if (chinese if s.chinese else english).is_question(s.text)]
        self._asked = asked[-1] if asked else ""
        self._question = asked[-1] if asked else ""
        self._offer = ""

    # what takes two turns ------------------------------------------------------------------------------------------

    def _dialogue(self, number: int, turn: Said, who: Speaker, sentences: list[Sentence]) -> list[Sentence]:
        """Answers, acceptances, corrections and jokes taken back; what is left to be read on its own."""
        if sentences and all(_ONLY_JOKE.match(s.text) for s in sentences):
            last = repairs.last_of(self.statements, turn.speaker, number)
            self._drop_turn(last.number if last else -1)
            return []
        if self._offer and (taken := offers.taken_up(self._offer, turn.text, self._asked, who)):
            text, quote, topic = taken
            self._add(number, turn, who, quote, text, topic, "the speaker took up what was offered")
            return [s for s in sentences if s.text != quote]
        if self._question and sentences and number and self.turns[number - 1].speaker != turn.speaker:
            if text := self._answered(sentences[0], who):
                self._add(number, turn, who, sentences[0].text, text, self._question, "an answer to a question")
                return sentences[1:]
        return sentences

    def _repaired(self, number: int, turn: Said, who: Speaker, sentence: Sentence) -> bool:
        after = repairs.repaired(self.statements, number, turn, who, sentence)
        self.statements = self.statements if after is None else after
        return after is not None

    def _answered(self, first: Sentence, who: Speaker) -> str:
        """What a bare reply states; a reply that is a sentence of its own is read as one."""
        text = first.text
        module = chinese if first.chinese else english
        if judge.secret(text) or judge.secret(self._question) or english.is_joke(text) or chinese.is_joke(text):
            return ""
        found = module.subject(text[len(module.lead(text)) :])
        bare = found.kind in ("none", "second") or found.name == "elided"
        if first.chinese:
            bare = bare or (len(text) <= 12 and not re.match("[我咱]", text))
        else:
            bare = bare or not english.has_verb(text) or len(text.split()) <= 3
        yes_no = _YES_NO.match(text) and not judge.stands(text[len(module.lead(text)) :], first.chinese)
        return answers.answer(self._question, text, who) if bare or yes_no else ""

    def _drop_turn(self, number: int) -> None:
        self.statements = [s for s in self.statements if s.number != number]

    # what one sentence says ----------------------------------------------------------------------------------------

    def _sentence(self, number: int, turn: Said, who: Speaker, sentence: Sentence) -> None:
        module = chinese if sentence.chinese else english
        sentence = msgspec.structs.replace(sentence, text=module.told_part(sentence.text))
        why = "joke" if _ONLY_JOKE.match(sentence.text) else judge.unfit(sentence)
        if why == "joke" and _LAUGH.search(sentence.text):
            self._drop_turn(number)
        if why:
            return
        spoken = fluent(sentence.text)
        bare = spoken[len(module.lead(spoken)) :] or spoken
        for clause in module.clauses(bare):
            self._clause(number, turn, who, sentence, clause)

    def _clause(self, number: int, turn: Said, who: Speaker, sentence: Sentence, clause: str) -> None:
        is_zh = sentence.chinese
        module, words = (chinese, words_zh) if is_zh else (english, words_en)
        clause = clause[len(module.lead(clause)) :] or clause
        subject, pronouns = self._referents.resolve(module.subject(clause), clause, len(self.statements))
        if subject.name == "elided" and not is_zh and english.is_activity(clause, sentence.text):
            return
        if not is_zh and subject.kind == "thing" and not subject.mine and english.is_opinion(sentence.text):
            return
        if frames.names_itself(clause, who) or not (sure := judge.confidence(clause, is_zh, subject)):
            return
        holder = holder_of(subject, who, is_zh)
        corrects = module.matches(words.CORRECTION, sentence.text)
        if corrects:
            self.statements = repairs.overruled(self.statements, turn, number, sentence, clause)
        self._referents.note(subject, holder, clause, who, len(self.statements) + 1, is_zh)
        text = told(clause, is_zh, subject, who, pronouns)
        if who.you_english == "the assistant" and "the assistant" in text and "assistant" not in clause:
            return
        self.statements.append(
            Statement(
                turn=turn,
                number=number,
                clause=clause,
                quote=sentence.text,
                text=text,
                chinese=is_zh,
                subject=subject,
                holder=holder,
                confidence=sure,
                correction=corrects,
                change=module.matches(words.CHANGE, clause),
                rationale=_WHY.get(subject.kind, "the speaker states it"),
            )
        )

    def _add(self, number: int, turn: Said, who: Speaker, quote: str, text: str, topic: str, why: str) -> None:
        """A statement that two turns make together."""
        text = text[:1].upper() + text[1:]
        self.statements.append(
            Statement(
                turn=turn,
                number=number,
                clause=text,
                quote=quote,
                text=text,
                chinese=is_chinese(text),
                subject=Subject("owner"),
                holder=who.holder,
                confidence=TOGETHER,
                rationale=why,
                topic=topic,
            )
        )


TOGETHER = 0.87
"""How sure a statement is that two turns make together."""

_YES_NO = re.compile(r"(?i)(?:yes|yeah|yep|yup|no|nope|nah|i do|i am|i have)\b|^(?:是|对|嗯|有|没)")
_LAUGH = re.compile(r"(?i)haha|hehe|\blol\b|哈哈|嘿嘿|嘻嘻|😂|🤣|kidding|joking|\bjk\b|开玩笑|逗你|骗你|玩笑")
_WHY = {
    "owner": "the speaker states it of themself",
    "person": "the speaker states it of somebody else",
    "thing": "the speaker states it",
}
