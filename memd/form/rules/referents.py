"""Whom `he` and what `it` means: the person and the thing last spoken of. Remembers one of each; knows no dialogue."""

from __future__ import annotations

import re

from memd.form.rules import voice_en
from memd.form.rules.facts import Speaker, Subject
from memd.form.rules.naming import agrees, shown_person
from memd.form.rules.verbs_en import is_past
from memd.form.rules.words_en import AUX, PUBLIC_ACTS

_NO_NOUN = AUX | {"it", "one", "ones", "me", "us", "i", "we", "you", "them", "this", "that", "like", "just", "so"}
_NAMED_THING = re.compile(r"\b(?:the )?((?:[A-Z][\w'-]+ )*[A-Z][\w'-]+(?: [a-z]{2,})?)")


class Referents:
    """`place` counts statements: a thing is meant by `it` only in the statement right behind it."""

    def __init__(self) -> None:
        self._person: tuple[str, str, bool] | None = None
        self._thing: tuple[str, int] | None = None

    def resolve(self, found: Subject, clause: str, place: int) -> tuple[Subject, dict[str, str]]:
        """The subject that a pronoun means and how to say it; a pronoun behind which nobody stands is no subject."""
        if found.kind != "pronoun":
            return found, {}
        if found.name in ("he", "she", "他", "她") and self._person and agrees(found.name, self._person[0]):
            name, shown, mine = self._person
            return Subject("person", name, mine, found.end), {found.name: shown}
        if found.name in ("it", "它") and self._thing and self._thing[1] == place:
            return Subject("thing", "it", end=found.end), {found.name: self._thing[0]}
        named = _NAMED_THING.search(clause[4:]) if found.name == "they" and re.search(PUBLIC_ACTS, clause) else None
        return (Subject("thing", named[1], end=found.end), {}) if named else (Subject("none"), {})

    def note(self, subject: Subject, holder: str, clause: str, who: Speaker, place: int, chinese: bool) -> None:
        """A statement about this subject was made; it is the `place`-th."""
        if subject.kind == "person":
            self._person = (subject.name, holder if chinese else shown_person(clause, subject, who), subject.mine)
        elif (
            subject.kind == "thing" and not re.match(r"(?i)there\b|they\b", clause) and (chinese or _is_phrase(subject))
        ):
            phrase = f"{'my' if subject.mine else 'the'} {subject.name}"
            shown = subject.name if chinese else voice_en.tell(phrase, who).rstrip(".")
            self._thing = (shown, place)
        else:
            self._thing = None


def _is_phrase(subject: Subject) -> bool:
    """A noun with its words, which may stand for `it`: no verb and no pronoun in it."""
    words = subject.name.lower().split()
    return bool(words) and not any(
        word in _NO_NOUN or "'" in word or word.endswith("ing") or is_past(word) for word in words
    )
