"""English subjects: the words before the verb, and whether they are a person, a thing, or nobody that can be told."""

from __future__ import annotations

import re
from itertools import dropwhile, islice, takewhile

from memd.form.rules import words_en as w
from memd.form.rules.facts import Subject
from memd.form.rules.verbs_en import COMMON, SAME, is_past

TOKEN = re.compile(r"[A-Za-z0-9À-ÿ][\wÀ-ÿ'’.&/%:-]*[\wÀ-ÿ%]|[A-Za-z0-9À-ÿ]|[\u3400-\u9fff]+|[^\sA-Za-z0-9]")
DETERMINERS = {
    "the",
    "a",
    "an",
    "some",
    "every",
    "no",
    "all",
    "both",
    "each",
    "this",
    "that",
    "these",
    "those",
    "most",
    "another",
    "one",
    "two",
    "three",
    "four",
    "half",
}


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text.replace("’", "'"))


def pointed(found: list[str], at: int, following: list[str]) -> Subject:
    low = found[at].lower()
    if low in ("there", "there's"):
        words = dropwhile(lambda t: t.lower() in w.AUX | w.ADVERBS | DETERMINERS, found[at + 1 : at + 8])
        name = takewhile(lambda t: t[0].isalnum() and t.lower() not in PREPOSITIONS, words)
        return Subject("thing", " ".join(islice(name, 3)), end=at + 1)
    if (
        not following
        or "'" in low
        or following[0] in w.AUX | w.ADVERBS
        or low.startswith("here")
        or (low in ("these", "those", "that") and not {"i", "we", "my"} & set(following))
        or following[0] in ("one", "ones", "way", "works", "sounds", "looks", "all")
    ):
        return Subject("deictic", end=at + 1)
    return noun_phrase(found, at + 1, mine=False)


_NUMBERS = frozenset("one two three four half some most all both".split())
PREPOSITIONS = frozenset("of in at on from for with to by near next under over behind".split())
_MANY_PEOPLE = frozenset(
    "parents kids children friends neighbours neighbors siblings students colleagues people twins family".split()
) | {word for word in w.PERSONS if word.endswith("s") and not word.endswith("ss")}


def noun_phrase(found: list[str], at: int, *, mine: bool) -> Subject:
    """The words up to the verb; a person where its head is one, or where a person owns it."""
    words: list[str] = []
    for n in range(at, min(at + 7, len(found))):
        token = found[n]
        low = token.lower()
        if (
            (not token[0].isalnum() and low != "-")
            or low in w.AUX
            or (words and (verb_like(low) or low in w.ADVERBS or (low in SAME and _somebody(words[-1]))))
        ):
            break
        if words and low in COMMON and words[-1].lower() in w.PERSONS and words[-1].lower() in _MANY_PEOPLE:
            break
        if words and low in PREPOSITIONS | {"and", "or", "who", "which", "that"}:
            break
        if not words and is_past(low) and found[at - 1].lower() in _NUMBERS:
            break
        words.append(token)
    if not words:
        return Subject("none", mine=mine, end=at)
    owned = [t[:-2] for t in words[:-1] if t.endswith(("'s", "s'"))]
    people = [t for t in words if _somebody(t)]
    name = " ".join(words)
    head = _somebody(words[-1])
    if owned and people and not head:
        name = " ".join(words[: words.index(people[0]) + 1]).removesuffix("'s")
    elif words[-1].endswith("'s"):
        name = name.removesuffix("'s")
    end = at + len(words)
    titled = found[end : end + 1] == [","] and end + 1 < len(found) and found[end + 1] in _TITLES
    person = titled or (bool(people) and (head or bool(owned) or words[-1][0].isupper()))
    return Subject("person" if person else "thing", name, mine, end)


def _somebody(word: str) -> bool:
    low = word.lower().removesuffix("'s")
    return low in w.PERSONS or low.removesuffix("s") in w.PERSONS


def verb_like(low: str) -> bool:
    """Whether a word looks like a verb of the third person, or of the past."""
    if is_past(low):
        return True
    return (
        (low.endswith("s") and not low.endswith(("ss", "'s", "us")) and low[:-1] in COMMON | {"ha", "doe"})
        or (low.endswith("es") and low[:-2] in COMMON)
        or (low.endswith("ies") and low[:-3] + "y" in COMMON)
        or low in _THIRD_FORMS
    )


_THIRD_FORMS = frozenset(
    """fits expires leaks opens closes leaves arrives starts ends begins runs goes comes takes costs needs has does says sits
    stands hangs lies belongs contains holds includes uses serves meets happens lasts lands departs returns repairs
    smells reminds tastes sounds looks feels seems becomes gets makes gives keeps turns moves lives works plays sings teaches studies
    wants hopes plans intends thinks likes loves hates prefers speaks knows sells buys pays owns shuts changes falls means
    weighs measures reads shows breeds retires""".split()
)


def named(found: list[str], at: int) -> Subject | None:
    token = found[at]
    title = token.rstrip(".") in _TITLES | _CALLED
    if (
        not token[0].isupper()
        or (token.lower().split("'")[0] in w.NOT_NAMES and not title)
        or (token.isupper() and len(token) > 5)
    ):
        return None
    end = at + 1
    while end < len(found) and (
        (found[end][0].isupper() and found[end].lower() not in w.NOT_NAMES) or (found[end] == "." and title)
    ):
        end += 1
    following = found[end].lower() if end < len(found) else ""
    name = " ".join(found[at:end]).replace(" .", ".").removesuffix("'s")
    if token.endswith("'s") or found[end - 1].endswith("'s"):
        return None if name.lower() in w.NOT_NAMES or name.lower().endswith("ing") else Subject("person", name, end=end)
    if not following or (end - at == 1 and _COMMON_NOUN.search(token)):
        return None
    if following == "and" and found[end + 1 : end + 2] in (["I"], ["i"]):
        return Subject("owner", "we", end=end + 2)
    if following in w.AUX | w.ADVERBS or following == "and" or is_past(following) or runs(found, end):
        return Subject("person", name, end=end)
    if end - at > 1:
        return Subject("thing", name, end=end)
    return None


_TITLES = frozenset("Mr Mrs Ms Dr Prof Miss".split())
_CALLED = frozenset("Aunt Uncle Grandma Grandpa Mum Mom Dad Coach".split())
_COMMON_NOUN = re.compile(
    r"(?:ing|ness|tion|sion|ment|ity|ism|ship|ance|ence|ings|ions|ers|ies|als|nts|les|ods|ks|ts|ds|gs)$"
)


_BEHIND_VERBS = w.AUX | DETERMINERS | PREPOSITIONS | set("my our his her me us as every well badly".split())


def runs(found: list[str], at: int) -> bool:
    """A verb in -s: one that is known, or one that something follows as things follow verbs."""
    low, after = found[at].lower(), (found[at + 1].lower() if at + 1 < len(found) else "")
    if not re.fullmatch(r"[a-z]+(?<!s)s", low):
        return False
    return verb_like(low) or after in _BEHIND_VERBS


_NO_PAST = frozenset(
    "excited thrilled tired bored pleased amazed delighted stunned relieved honored honoured blessed used need interested agreed noted understood loved glad appreciated".split()
)


_NO_ACTIVITY = frozenset(
    """during morning evening nothing something everything anything according depending speaking talking looking sounding regarding including considering thing king spring string
    boring annoying exhausting tiring confusing surprising depressing embarrassing disappointing frustrating tempting promising misleading
    charming disturbing convincing entertaining overwhelming""".split()
) | {word for word in w.EVALUATIONS if word.endswith("ing")}


_SINCE = re.compile(
    r"(?:quite )?(?:an? |some |too |so |such an? )?(?:\w+ ){0,2}(?:while|long|ages|road|ride|time|journey|days?|weeks?|months?|crazy|tough|hectic|rough|wild)\b(?! (?:on|at|in|for)\b)"
)
"""`Been a while`, `Been a tough week`: it is the time that has been so."""


def bare(found: list[str], at: int, text: str) -> Subject:
    """No subject that shows: a past tense or an activity without `I`, a plural, or nothing that can be told."""
    low = found[at].lower()
    rest = [t.lower() for t in found[at + 1 :]]
    finite = next((n for n, t in enumerate(rest) if t in FINITE or t.endswith("'s")), None)
    if low in ("gonna", "gotta", "wanna"):
        return Subject("none")
    if low == "been" and _SINCE.match(" ".join(rest)):
        return Subject("none")
    if (is_past(low) and low not in _NO_PAST) or low == "been":
        return Subject("owner", "elided", end=at)
    if verb_like(low) and not (rest and rest[0] in w.AUX):
        return Subject("none")
    if low.endswith("ing") and rest and low not in _NO_ACTIVITY:
        if (
            finite is None
            and "me" not in rest
            and not any(runs(found, n) for n in range(at + 1, min(at + 9, len(found))))
        ):
            return Subject("owner", "elided", end=at)
        return Subject("thing" if {"me", "my"} & set(rest) else "generic", low, end=at + 1)
    verb = next((n for n, t in enumerate(rest[:5]) if t in FINITE or verb_like(t)), None)
    if (
        verb is None
        or low in w.NOT_NAMES | w.INSTRUCTIONS | COMMON
        or {"those", "who", "that", ",", "i", "we"} & set(rest[:verb])
    ):
        return Subject("none", end=at)
    if low not in w.PERSONS and not re.search(r"\d|(?<=\s)[A-Z]|n't\b|\b(?:not|every|each|my|our|me)\b", text):
        return Subject("generic", low, end=at + 1 + verb)
    name = " ".join(found[at : at + 1 + verb])
    return Subject("person" if low in w.PERSONS else "thing", name, end=at + 1 + verb)


FINITE = w.BE | {"has", "have", "had", "will", "can", "makes", "helps", "keeps"}
