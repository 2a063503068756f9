"""Whom a statement is about, as keys and sentences name them; and where a sentence changes language. Knows words only."""

from __future__ import annotations

import re

from memd.form.rules import words_en, words_zh
from memd.form.rules.facts import Sentence, Speaker, Subject

_FEMALE = re.compile(
    r"(?i)\b(?:mother|mum|mom|sister|aunt|wife|girlfriend|daughter|niece|grandma|grandmother|gran|granny|landlady|mrs|ms|miss|lady|woman|girl|fianc[eé]e|nanny|mother-in-law)\b|[妈母姐妹奶婆姑姨婶嫂太妻女媳闺]"
)


_MALE = re.compile(
    r"(?i)\b(?:father|dad|brother|uncle|husband|boyfriend|son|nephew|grandpa|grandfather|grandad|mr|guy|man|boy|fianc[eé]|father-in-law)\b|[爸父哥弟爷公叔伯舅丈夫儿男侄]"
)


def agrees(pronoun: str, name: str) -> bool:
    if pronoun in ("she", "她"):
        return not _MALE.search(name) or bool(_FEMALE.search(name))
    return not _FEMALE.search(name)


def shown_person(clause: str, subject: Subject, who: Speaker) -> str:
    """A name where the clause gives one (`My physio is Mr Okonjo-Hale`), else whose somebody it is."""
    called = re.search(
        rf"{re.escape(subject.name)}(?:'s| is| was)?(?: called| named| is)?\s+((?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)",
        clause,
    )
    if called and called[1].split()[0].lower().rstrip(".") not in words_en.NOT_NAMES - {"mr", "mrs", "ms", "dr"}:
        return called[1]
    return f"{who.english}'s {subject.name}" if subject.mine else subject.name


def holder_of(subject: Subject, who: Speaker, is_zh: bool) -> str:
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


def by_language(sentence: Sentence) -> list[Sentence]:
    """A sentence whose clauses change language, cut where they do."""
    if not re.search(r"[\u4e00-\u9fff]", sentence.text) or not re.search(r"[A-Za-z]{2}", sentence.text):
        return [sentence]
    parts = re.split(r"(?<=[,，;；])\s*", sentence.text)
    if len(parts) < 2 or not any(re.match(r"(?i)(?:i|i'm|my|our|we|the|he|she|they|it)\b", p) for p in parts):
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
    return bool(re.match(r"(?i)(?:i|i'm|i've|my|our|we|the|he|she|they|it)\b", text)) or len(
        re.findall(r"[A-Za-z]+", text)
    ) > len(re.findall(r"[\u4e00-\u9fff]", text))
