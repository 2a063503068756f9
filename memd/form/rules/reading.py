"""Walks the turns of an episode in order and collects what is stated. The one place of the rules that remembers.

What it remembers of a dialogue: the last offer and question of the assistant, whom `he` may mean, a role that is being
played, what was stated last. Knows the order of things said; the judging is done elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from memd.form.rules import chinese, dialogue, english, frames, judge, voice_en, voice_zh, words_en, words_zh
from memd.form.rules.facts import Sentence, Speaker, Statement, Subject
from memd.form.rules.sentences import is_chinese, prose, split
from memd.form.rules.speakers import is_assistant, speaker
from memd.model.memory import Said

_ONLY_JOKE = re.compile(
    r"^\W*(?:just kidding|only kidding|kidding|i'm kidding|jk|joking|just joking|haha+|hehe|lol|开玩笑的?|逗你的?|骗你的|哈哈+|嘿嘿|嘻嘻|玩笑)[^a-z\u4e00-\u9fff]*$",
    re.I,
)
_FEMALE = re.compile(
    r"(?i)\b(?:mother|mum|mom|sister|aunt|wife|girlfriend|daughter|niece|grandma|grandmother|gran|granny|landlady|mrs|ms|miss|lady|woman|girl|fianc[eé]e|nanny|mother-in-law)\b|[妈母姐妹奶婆姑姨婶嫂太妻女媳闺]"
)
_MALE = re.compile(
    r"(?i)\b(?:father|dad|brother|uncle|husband|boyfriend|son|nephew|grandpa|grandfather|grandad|mr|guy|man|boy|fianc[eé]|father-in-law)\b|[爸父哥弟爷公叔伯舅丈夫儿男侄]"
)


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
        self._person: tuple[str, str, bool] | None = None
        self._thing: tuple[str, int] | None = None

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
        text, technical = prose(turn.text)
        sentences = [part for sentence in split(text) for part in _by_language(sentence)]
        if is_assistant(turn):
            self._heard(turn.text, sentences)
            return
        who = speaker(turn, self.turns, self.owner)
        if frames.is_material(text, sentences):
            self._spent(sentences)
            return
        rest = self._dialogue(number, turn, who, sentences)
        for place, sentence in enumerate(rest):
            if sentence.lead and (place + 1 < len(rest) or technical):
                break
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
            self._drop_last(turn.speaker)
            return []
        if self._offer and (taken := dialogue.taken_up(self._offer, turn.text, self._asked, who)):
            told, quote, topic = taken
            self._add(number, turn, who, quote, told, "the speaker took up what was offered", 0.86, topic)
            return [s for s in sentences if s.text != quote]
        if self._question and sentences and number and self.turns[number - 1].speaker != turn.speaker:
            if told := self._answered(sentences[0], who):
                self._add(number, turn, who, sentences[0].text, told, "an answer to a question", 0.88, self._question)
                return sentences[1:]
        return self._corrected(number, turn, who, sentences)

    def _answered(self, first: Sentence, who: Speaker) -> str:
        if (
            judge.secret(first.text)
            or judge.secret(self._question)
            or english.is_joke(first.text)
            or chinese.is_joke(first.text)
        ):
            return ""
        module = chinese if first.chinese else english
        sentence = module.subject(first.text[len(module.lead(first.text)) :])
        fragment = (
            sentence.kind in ("none", "second")
            or (not first.chinese
            and not english.has_verb(first.text))
            or sentence.name == "elided"
            or (len(first.text.split()) <= 3
            and not first.chinese)
        )
        short = first.chinese and len(first.text) <= 12 and not re.match("[我咱]", first.text)
        yes = re.match(r"(?i)(?:yes|yeah|yep|yup|no|nope|nah|i do|i am|i have)\b|^(?:是|对|嗯|有|没)", first.text)
        if not (fragment or short or yes):
            return ""
        asked = self._question if is_chinese(self._question) or "," not in self._question else self._question
        return dialogue.answer(asked, first.text, who)

    def _corrected(self, number: int, turn: Said, who: Speaker, sentences: list[Sentence]) -> list[Sentence]:
        """A slip put right: the statement before it is told anew with the right value, or not at all."""
        left: list[Sentence] = []
        for sentence in sentences:
            words = words_zh if sentence.chinese else words_en
            module = chinese if sentence.chinese else english
            target = self._last(turn.speaker, number)
            if not target or not module.matches(words.CORRECTION, sentence.text) or module.is_question(sentence.text):
                left.append(sentence)
                continue
            bare = sentence.text[len(module.lead(sentence.text)) :]
            whole = self._stands(bare or sentence.text, sentence.chinese)
            if whole and not dialogue.put_right(target.clause, bare):
                left.append(sentence)
            elif new := dialogue.put_right(target.clause, bare or sentence.text):
                self._replace(number, turn, who, target, new, sentence.text)
            elif _slip(sentence.text) and not whole:
                self._dropped(target)
            else:
                left.append(sentence)
        return left

    def _stands(self, clause: str, is_zh: bool) -> bool:
        """A sentence that states something by itself."""
        module = chinese if is_zh else english
        found = module.subject(clause)
        return found.kind in ("owner", "person", "thing") and judge.confidence(clause, is_zh, found) > 0

    def _replace(self, number: int, turn: Said, who: Speaker, old: Statement, clause: str, quote: str) -> None:
        self._dropped(old)
        text = self._told(clause, old.chinese, old.subject, who, {})
        self.statements.append(
            msgspec.structs.replace(
                old,
                turn=turn,
                number=number,
                clause=clause,
                quote=quote,
                text=text,
                correction=True,
                rationale="the speaker put a slip right",
                also=(*old.also, (old.number, old.quote)),
            )
        )

    def _last(self, name: str, number: int) -> Statement | None:
        mine = [s for s in self.statements if s.turn.speaker == name and number - s.number <= 6]
        return mine[-1] if mine else None

    def _dropped(self, statement: Statement) -> None:
        self.statements = [s for s in self.statements if s is not statement]

    def _drop_last(self, name: str) -> None:
        last = self._last(name, self.statements[-1].number) if self.statements else None
        if last:
            self.statements = [s for s in self.statements if s.number != last.number]

    # what one sentence says ----------------------------------------------------------------------------------------

    def _sentence(self, number: int, turn: Said, who: Speaker, sentence: Sentence) -> None:
        if _ONLY_JOKE.match(sentence.text):
            self.statements = [s for s in self.statements if s.number != number]
            return
        if why := judge.unfit(sentence):
            if why == "joke" and re.search(r"(?i)haha|hehe|\blol\b|哈哈|嘿嘿|😂|🤣|kidding|开玩笑", sentence.text):
                self.statements = [s for s in self.statements if s.number != number]
            return
        module = chinese if sentence.chinese else english
        bare = sentence.text[len(module.lead(sentence.text)) :] or sentence.text
        for clause in module.clauses(bare):
            self._clause(number, turn, who, sentence, clause)

    def _clause(self, number: int, turn: Said, who: Speaker, sentence: Sentence, clause: str) -> None:
        is_zh = sentence.chinese
        module, words = (chinese, words_zh) if is_zh else (english, words_en)
        clause = clause[len(module.lead(clause)) :] or clause
        subject, pronouns = self._resolved(module.subject(clause), clause, is_zh, who)
        sure = judge.confidence(clause, is_zh, subject)
        if not sure:
            return
        holder = _holder(subject, who, is_zh)
        text = self._told(clause, is_zh, subject, who, pronouns)
        self._remember(subject, holder, clause, who, number, is_zh)
        self.statements.append(
            Statement(
                turn,
                number,
                clause,
                sentence.text,
                text,
                is_zh,
                subject,
                holder,
                sure,
                correction=module.matches(words.CORRECTION, sentence.text),
                change=module.matches(words.CHANGE, clause),
                rationale=_WHY.get(subject.kind, "the speaker states it"),
            )
        )

    def _add(
        self, number: int, turn: Said, who: Speaker, quote: str, text: str, why: str, sure: float, topic: str
    ) -> None:
        is_zh = is_chinese(text)
        told = text[:1].upper() + text[1:]
        self.statements.append(
            Statement(
                turn, number, told, quote, told, is_zh, Subject("owner"), who.holder, sure, rationale=why, topic=topic
            )
        )

    def _told(self, clause: str, is_zh: bool, subject: Subject, who: Speaker, pronouns: dict[str, str]) -> str:
        if is_zh:
            return voice_zh.tell(clause, who, subject, pronouns)
        if subject.name == "elided":
            clause = f"I {clause[:1].lower()}{clause[1:]}"
        return voice_en.tell(clause, who, pronouns)

    def _resolved(self, found: Subject, clause: str, is_zh: bool, who: Speaker) -> tuple[Subject, dict[str, str]]:
        """A pronoun by whom it means; one that nobody stands behind leaves the clause without a subject."""
        if found.kind != "pronoun":
            return found, {}
        if found.name in ("he", "she", "他", "她") and self._person and _agrees(found.name, self._person[0]):
            name, shown, mine = self._person
            return Subject("person", name, mine, found.end), {found.name: shown}
        if found.name in ("it", "它") and self._thing and self._thing[1] == len(self.statements):
            return Subject("thing", "it", end=found.end), {found.name: self._thing[0]}
        if found.name == "they" and (
            named := re.search(r"\b(?:the )?((?:[A-Z][\w'-]+ )*[A-Z][\w'-]+(?: [a-z]+)?)", clause[4:])
        ):
            return Subject("thing", named[1], end=found.end), {}
        return Subject("none"), {}

    def _remember(self, subject: Subject, holder: str, clause: str, who: Speaker, number: int, is_zh: bool) -> None:
        if subject.kind == "person":
            shown = holder if is_zh else _shown_person(clause, subject, who)
            self._person = (subject.name, shown, subject.mine)
        elif subject.kind == "thing" and subject.name and subject.name != "it":
            shown = (
                voice_en.tell(f"{'my' if subject.mine else 'the'} {subject.name}", who).rstrip(".")
                if not is_zh
                else subject.name
            )
            self._thing = (shown, len(self.statements) + 1)
        else:
            self._thing = None


_WHY = {
    "owner": "the speaker states it of themself",
    "person": "the speaker states it of somebody else",
    "thing": "the speaker states it",
}


def _slip(text: str) -> bool:
    return bool(
        re.search(
            r"(?i)\b(?:sorry|typo|scratch that|make that|i meant|my mistake|my bad|oops|whoops|wait|correction|misspoke|mistyped|wrong|strike that)\b|打错|说错|记错|写错|搞错|弄错|口误|笔误|更正|纠正|不对|错了|有误",
            text,
        )
    )


def _agrees(pronoun: str, name: str) -> bool:
    if pronoun in ("she", "她"):
        return not _MALE.search(name) or bool(_FEMALE.search(name))
    return not _FEMALE.search(name)


def _shown_person(clause: str, subject: Subject, who: Speaker) -> str:
    """A name where the clause gives one (`My physio is Mr Okonjo-Hale`), else whose somebody it is."""
    called = re.search(
        r"\b(?:is|named|called|was)\s+((?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)", clause
    )
    if called and called[1].split()[0].lower().rstrip(".") not in words_en.NOT_NAMES - {"mr", "mrs", "ms", "dr"}:
        return called[1]
    return f"{who.english}'s {subject.name}" if subject.mine else subject.name


def _holder(subject: Subject, who: Speaker, is_zh: bool) -> str:
    """Who a statement is about, as keys name them."""
    if subject.kind == "owner" or (subject.kind == "thing" and subject.mine):
        return who.holder
    if subject.kind == "person":
        if is_zh:
            owned = subject.mine or re.fullmatch(words_zh.KIN, subject.name) is not None
            return f"{who.chinese}的{subject.name}" if owned else subject.name
        bare = re.sub(r"^(?:the|a|an) ", "", subject.name)
        return f"{who.holder}'s {bare}" if subject.mine else bare
    return subject.name or who.holder


def _by_language(sentence: Sentence) -> list[Sentence]:
    """A sentence whose clauses change language, cut where they do."""
    if not re.search(r"[\u4e00-\u9fff]", sentence.text) or not re.search(r"[A-Za-z]{2}", sentence.text):
        return [sentence]
    parts = re.split(r"(?<=[,，;；])\s*", sentence.text)
    if len(parts) < 2 or not any(re.match(r"(?i)(?:i|i'm|my|we|the|he|she)\b", p) for p in parts):
        return [sentence]
    groups: list[list[str]] = [[parts[0]]]
    for part in parts[1:]:
        if _latin(part) != _latin(groups[-1][0]):
            groups.append([part])
        else:
            groups[-1].append(part)
    whole = ["".join(group).strip(" ,，;；") for group in groups]
    return [Sentence(text, not _latin(text), sentence.lead) for text in whole if text]


def _latin(text: str) -> bool:
    return bool(re.match(r"(?i)(?:i|i'm|i've|my|we|the|he|she)\b", text)) or len(re.findall(r"[A-Za-z]+", text)) > len(
        re.findall(r"[\u4e00-\u9fff]", text)
    )
