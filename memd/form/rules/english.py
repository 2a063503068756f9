"""English sentences: what kind of act one is, who it is about, where it falls apart into clauses.

Knows word order and word lists. Never knows the dialogue round a sentence, or how it will be told.
"""

from __future__ import annotations

import re

from memd.form.rules import words_en as w
from memd.form.rules.facts import Subject
from memd.form.rules.verbs_en import COMMON, is_past

TOKEN = re.compile(r"[A-Za-z0-9À-ÿ][\wÀ-ÿ'’.&/%:-]*[\wÀ-ÿ%]|[A-Za-z0-9À-ÿ]|[\u3400-\u9fff]+|[^\sA-Za-z0-9]")
_LEAD = re.compile(
    r"^(?:(?:well|so|and|but|oh|ah|yeah|yep|yes|no|nope|nah|anyway|btw|by the way|also|honestly|hey|hi|fyi|ok|okay|right|sure|look|listen|"
    r"to be honest|just so you know|for the record|thanks|thank you|cheers|great|cool|perfect|lovely|nice|hmm+|um+|er+|haha|as i said|like i said|again|"
    r"again|quick update|update|funny enough|good news|bad news|guess what|turns out|as it happens|fun fact|one more thing|speaking of which|in fact|for now|"
    r"sorry|wait|correction|oops|whoops|scratch that|my mistake|my bad|actually|i mean|plus|then|please note|note|remember|please remember|don't forget|"
    r"remember that|note that|please note that|please remember that|keep in mind that|just to say|i should say|i should mention(?: that)?|"
    r"did i mention(?: that)?|i forgot to say|i forgot to mention(?: that)?|i told you(?: that)?|as you know|you know|let me correct that|no wait|wait no)"
    r"(?:\s*[,;:.!—–-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|our|the|he|she|they)\b)))+",
    re.I,
)
_QUESTION = re.compile(
    r"^(?:what|when|where|why|who|whom|whose|which|how|is|are|am|was|were|do|does|did|can|could|would|will|should|shall|have|has|had|may|"
    r"isn't|aren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|any (?:idea|thoughts|tips|advice|suggestion|chance)|"
    r"wondering|i wonder|i was wondering|do you|curious)\b",
    re.I,
)
_INDIRECT = re.compile(
    r"\b(?:i wonder|i'm wondering|was wondering|tell me|do you know|can you|could you|would you|will you|remind me|i'd like you to|i want you to|"
    r"i need you to|please help|help me)\b",
    re.I,
)
_WEAK = re.compile(
    r"^(?:i(?:'m| am)? (?:not sure|sure|afraid|sorry|guessing|glad|happy|just saying|saying|asking|curious|wondering|confused|lost|stuck)\b|"
    r"i (?:don't|do not|didn't) (?:know|think|mind|care|understand|get|remember|follow)\b|i (?:think|guess|suppose|bet|doubt|wonder|assume|wish|hope so|know|see|agree|understand|"
    r"can't believe|can't wait|can't stop|mean|believe so|appreciate|hear you|get it|love it|like it|hate it|need (?:a|some) (?:break|coffee|nap|drink|hug|minute|sec|help))\b|"
    r"i (?:have|need|want|got) (?:a|another|one more|some) (?:question|favou?r|request|quick)|(?:i|we)(?:'ll| will) (?:see|let you know|keep you posted|try|check|be (?:fine|ok|right back))\b)",
    re.I,
)
_FIRST = {"i", "i'm", "i've", "i'd", "i'll", "im", "ive"}
_FIRST_PLURAL = {"we", "we're", "we've", "we'd", "we'll"}
_THIRD = {
    "he",
    "she",
    "they",
    "it",
    "he's",
    "she's",
    "they're",
    "they've",
    "it's",
    "he'll",
    "she'll",
    "they'll",
    "he'd",
    "she'd",
    "it'll",
}
_THIRD_OWN = {"his": "he", "her": "she", "their": "they", "its": "it"}
_DETERMINERS = {
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
_SPLIT = re.compile(
    r"\s*;\s*|,?\s+(?:and|but|while|whereas|although|though|so|yet)\s+|,\s+(?:not\s+)?|\s+[—–-]{1,2}\s+|\s*[—–]\s*",
    re.I,
)


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text.replace("’", "'"))


def lead(text: str) -> str:
    """The openers that say nothing (`Oh, by the way,`), as they stand at the front; "" for none."""
    found = _LEAD.match(text.replace("’", "'"))
    return text[: found.end()] if found else ""


def is_question(text: str) -> bool:
    bare = text.replace("’", "'").rstrip("\"')”’ ")
    if bare.endswith("?"):
        return True
    return (
        bool(_QUESTION.match(bare))
        and not re.match(r"^(?:when|where|why|what|how|who|which)\b.*(?:,|\bis\b)", bare, re.I)
    ) or bool(re.search(r"\b(?:right|is it|isn't it|don't i|ok|yeah|no)\?", bare, re.I))


def is_request(text: str) -> bool:
    """An imperative, or words that ask the one spoken to for something."""
    bare = text.replace("’", "'")
    if (_INDIRECT.search(bare) and "?" in bare) or re.match(r"(?i)(?:please|kindly|pls)\b", bare):
        return True
    found = tokens(bare)
    words = [t.lower() for t in found if t[0].isalnum()]
    while words and words[0] in (
        "please",
        "just",
        "now",
        "then",
        "also",
        "next",
        "first",
        "ok",
        "okay",
        "and",
        "so",
        "well",
        "maybe",
    ):
        words = words[1:]
    if not words or words[0] not in w.INSTRUCTIONS:
        return bool(_INDIRECT.match(bare))
    return len(words) < 2 or words[1] not in w.AUX | {"was", "is", "has"}


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text.replace("’", "'"), re.I) is not None


def is_joke(text: str) -> bool:
    low = text.lower().replace("’", "'")
    if any(mark in low for mark in w.JOKE_MARKS if mark.isascii() is False) or re.search(
        r"(?<![a-z])(?:" + "|".join(re.escape(m) for m in w.JOKE_MARKS if m.isascii()) + r")(?![a-z])", low
    ):
        return True
    if any(re.search(pattern, low) for pattern in w.HYPERBOLE):
        return True
    return bool(w.UNLIKELY_ACTORS & set(re.findall(r"[a-z]+", low))) and bool(re.search(w.HUMAN_ACTS, low))


def is_mood(text: str) -> bool:
    """A state of mind of the moment, with no object, or a wish of the day."""
    words = [t.lower() for t in tokens(text) if t[0].isalnum()]
    low = " ".join(words)
    if re.search(
        r"\b(?:don't|do not|rather not|can't|not) (?:\w+ ){0,2}(?:want|feel like|cook|talk|bothered|face|deal|cope|today)\b.*\b(?:today|tonight|this|right now|anyone|anybody|anything)\b",
        low,
    ):
        return True
    if re.match(
        r"(?:i|i'm|i am|feeling|so|just|ugh|argh|meh|sigh|what a|not|kind|sort|been|having|today|it's been|it has been|this|everything|nothing|my head|life)\b",
        low,
    ):
        content = [t for t in words if t not in w.VAGUE and t not in w.MOOD]
        mood = [
            t
            for t in words
            if t in w.MOOD or t in ("ugh", "argh", "meh", "sigh", "scream", "cry", "screaming", "crying")
        ]
        about = re.search(r"\b(?:about|of|by|with|for|at|that|over)\s+(?:my|the|our|a|an|next|[A-Z])", text)
        if mood and not (about and len(content) >= 1) and len(content) <= 1:
            return True
        if mood and re.search(r"\b(?:today|tonight|right now|at the moment|this (?:morning|evening|afternoon))\b", low):
            return True
    return bool(re.match(r"^(?:ugh|argh|meh|sigh|aargh|grr|whatever|blah)\b", low) and len(words) <= 8)


def subject(text: str) -> Subject:
    """Who or what the clause is about, by its first words."""
    found = tokens(text)
    if not found:
        return Subject("none")
    at = _after_openers(found)
    return _at(found, at, text)


def _after_openers(found: list[str]) -> int:
    """Past `On Fridays,` or `Since the flood`: to the first `I`, `we`, `my …`, or the first word after the comma."""
    low = [t.lower() for t in found]
    if (
        low[0] not in w.TIME_WORDS
        and low[0] not in w.SUBORDINATE
        and low[0] not in w.ADVERBS
        and not low[0].endswith("ly")
    ):
        return 0
    if (
        low[0] in ("this", "that", "these", "two", "three", "four", "five", "six", "seven", "eight", "some", "most")
        and "," not in low
    ):
        first = next((n for n, t in enumerate(low) if t in _FIRST | _FIRST_PLURAL), None)
        return first if first is not None and first <= 4 else 0
    if "," in low[:14]:
        at = low.index(",") + 1
        if at < len(low):
            return at
    starts = [n for n, t in enumerate(low) if t in _FIRST | _FIRST_PLURAL and n > 0]
    if starts:
        return starts[-1] if low[0] in w.SUBORDINATE else starts[0]
    for n in range(1, min(len(found), 7)):
        if low[n] in ("my", "our", "the", "he", "she") and low[n - 1] not in w.TIME_WORDS and n > 1:
            return n
    if low[0] in w.ADVERBS or low[0].endswith("ly") or low[0] in ("yesterday", "today", "tomorrow", "tonight"):
        return 1 if len(found) > 1 else 0
    return 0


def _at(found: list[str], at: int, text: str) -> Subject:
    token, low = found[at], found[at].lower()
    following = [t.lower() for t in found[at + 1 : at + 8]]
    if low in _FIRST or token == "I":
        return Subject("owner", end=at + 1)
    if low in _FIRST_PLURAL:
        return Subject("owner", "we", end=at + 1)
    if low in ("you", "you're", "you've", "you'd", "you'll", "your", "u"):
        return Subject("second", end=at + 1)
    if low in ("they", "they've", "they're") and (
        own := re.match(
            r"(?:\S+ ){1,4}?(?:my|our) ((?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:to|from|by|off|back|forward|for|on|at|in)\b|[.,!]|$)",
            " ".join(found[at:]),
        )
    ):
        return Subject("thing", own[1], True, at + 1)
    if low in _THIRD or low in _THIRD_OWN:
        return Subject("pronoun", _THIRD_OWN.get(low, low.split("'")[0]), end=at + 1)
    if low in ("my", "our"):
        return _noun_phrase(found, at + 1, mine=True)
    if low in ("that", "this", "these", "those", "that's", "there", "there's", "here", "here's"):
        return _pointed(found, at, following)
    if (
        low in ("nobody", "none", "everybody", "everyone")
        and following[:1] in (["in"], ["of"])
        and following[1:2] in (["my"], ["our"])
    ):
        return Subject("thing", found[at + 3] if at + 3 < len(found) else low, True, at + 4)
    if low in ("everyone", "everybody", "people", "someone", "somebody", "anyone", "nobody", "folks", "others"):
        return Subject("generic", low, end=at + 1)
    if low in _DETERMINERS or low.isdigit():
        return _noun_phrase(found, at + 1, mine=False)
    return _named(found, at) or _bare(found, at, text)


def _pointed(found: list[str], at: int, following: list[str]) -> Subject:
    low = found[at].lower()
    if low in ("there", "there's"):
        return Subject("thing", " ".join(found[at + 1 : at + 4]), end=at + 1)
    if (
        not following
        or "'" in low
        or following[0] in w.AUX | w.ADVERBS
        or low.startswith("here")
        or following[0] in ("one", "ones", "way", "works", "sounds", "looks", "all")
    ):
        return Subject("deictic", end=at + 1)
    return _noun_phrase(found, at + 1, mine=False)


_PREPOSITIONS = frozenset("of in at on from for with to by near next under over behind".split())


def _noun_phrase(found: list[str], at: int, *, mine: bool) -> Subject:
    """The words up to the verb; a person where its head is one, or where a person owns it."""
    words: list[str] = []
    for n in range(at, min(at + 7, len(found))):
        token = found[n]
        low = token.lower()
        if (
            (not token[0].isalnum() and token != "-")
            or low in w.AUX
            or (words and (_verb_like(low, words) or low in w.ADVERBS))
        ):
            break
        if words and low in _PREPOSITIONS | {"and", "or", "who", "which", "that"}:
            break
        words.append(token)
    if not words:
        return Subject("none", mine=mine, end=at)
    owned = [t[:-2] for t in words[:-1] if t.endswith("'s") or t.endswith("s'")]
    people = [t for t in words if t.lower().removesuffix("'s") in w.PERSONS]
    name = " ".join(words)
    if owned and people:
        name = " ".join(words[: words.index(people[0]) + 1]).removesuffix("'s")
    elif words[-1].endswith("'s"):
        name = name.removesuffix("'s")
    head = words[-1].lower().removesuffix("'s")
    person = bool(people) and (head in w.PERSONS or bool(owned) or words[-1][0].isupper())
    return Subject("person" if person else "thing", name, mine, at + len(words))


def _verb_like(low: str, words: list[str]) -> bool:
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
    smells tastes sounds looks feels seems becomes gets makes gives keeps turns moves lives works plays sings teaches studies
    wants hopes plans intends thinks likes loves hates prefers speaks knows sells buys pays owns shuts changes falls means
    weighs measures reads shows breeds retires""".split()
)


def _named(found: list[str], at: int) -> Subject | None:
    token = found[at]
    title = token.rstrip(".") in (
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "Miss",
        "Aunt",
        "Uncle",
        "Grandma",
        "Grandpa",
        "Mum",
        "Mom",
        "Dad",
        "Coach",
    )
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
        return Subject("person", name, end=end)
    if not following:
        return None
    if following == "and" and found[end + 1 : end + 2] in (["I"], ["i"]):
        return Subject("owner", "we", end=end + 2)
    if following in w.AUX | w.ADVERBS or following in ("and", ",") or is_past(following) or _runs(found, end):
        return Subject("person", name, end=end)
    if end - at > 1:
        return Subject("thing", name, end=end)
    return None


def _runs(found: list[str], at: int) -> bool:
    """A verb in -s: one that is known, or one that something follows as things follow verbs."""
    low, after = found[at].lower(), (found[at + 1].lower() if at + 1 < len(found) else "")
    if not re.fullmatch(r"[a-z]+(?<!s)s", low):
        return False
    return _verb_like(low, ["x"]) or after in w.AUX | _DETERMINERS | _PREPOSITIONS | {
        "my",
        "our",
        "his",
        "her",
        "me",
        "us",
        "as",
        "every",
        "well",
        "badly",
    }


def _bare(found: list[str], at: int, text: str) -> Subject:
    """No subject that shows: a past tense without `I`, a plural, an activity, or nothing that can be told."""
    low = found[at].lower()
    rest = [t.lower() for t in found[at + 1 :]]
    if (
        is_past(low)
        or low in ("been", "going")
        or (
            low.endswith("ing")
            and rest
            and rest[0] not in w.AUX
            and low not in ("during", "morning", "evening", "nothing", "something", "everything", "anything")
        )
    ):
        return Subject("owner", "elided", end=at)
    verb = next(
        (
            n
            for n, t in enumerate(rest[:6])
            if t in w.BE | {"has", "have", "had", "was", "were", "will"} or _verb_like(t, ["x"])
        ),
        None,
    )
    if verb is None or low in w.NOT_NAMES or low in w.INSTRUCTIONS:
        return Subject("none", end=at)
    name = " ".join(found[at : at + 1 + verb])
    return Subject("person" if found[at].lower() in w.PERSONS else "thing", name, end=at + 1 + verb)


def clauses(text: str) -> list[str]:
    """The sentence cut where a clause about someone else begins, or at a semicolon. Otherwise whole."""
    bare = text.replace("’", "'")
    parts: list[tuple[str, str]] = []
    at, joint = 0, ""
    for mark in _SPLIT.finditer(bare):
        left, right = bare[at : mark.start()], bare[mark.end() :]
        if not left.strip() or not right.strip():
            continue
        if ";" in mark[0] or _starts_other(left, right, mark[0].strip().lower()):
            parts.append((joint, left))
            at, joint = mark.end(), mark[0]
    parts.append((joint, bare[at:]))
    return [part.strip(" ,;—–-") for _, part in parts if part.strip(" ,;—–-")]


def _starts_other(left: str, right: str, joint: str) -> bool:
    first = tokens(left)
    if first and (first[0].lower() in w.SUBORDINATE or first[0].lower() in ("if", "unless")) and joint.startswith(","):
        return False
    before, after = subject(left), subject(right)
    if (
        after.kind in ("none", "generic", "deictic")
        or after.name == "elided"
        or re.match(r"(?i)(?:who|which|where|that|because|if|unless|not)\b", right)
    ):
        return False
    if joint == "," and after.kind == "thing" and not after.mine:
        return False
    if not has_verb(left) or not has_verb(right):
        return False
    if after.kind == "thing" and before.kind == "thing" and not after.mine:
        return joint not in (",", "and")
    same = (before.kind, before.name) == (after.kind, after.name) or {before.kind, after.kind} == {"owner"}
    return not same


def has_verb(text: str) -> bool:
    """Whether a clause has something like a verb after its subject."""
    who = subject(text)
    words = tokens(text)
    if (
        (who.kind in ("owner", "pronoun")
        and len(words) > who.end
        and words[who.end][0].isalpha())
        or who.name == "elided"
    ):
        return True
    if who.kind == "person" and len(words) > who.end and (_runs(words, who.end) or words[who.end - 1].endswith("'s")):
        return True
    return any(
        t.lower() in w.AUX
        or _verb_like(t.lower(), ["x"])
        or ("'" in t and t.lower().split("'")[-1] in ("m", "re", "ve", "s", "ll", "d"))
        or (n and t.lower() in COMMON)
        for n, t in enumerate(tokens(text))
    )


def content(text: str) -> list[str]:
    """The words that carry something, in order."""
    return [
        t
        for t in (x.lower() for x in tokens(text))
        if t[0].isalnum() and t not in w.VAGUE and t.split("'")[0] not in w.VAGUE
    ]


def is_weak(text: str) -> bool:
    """About the talk itself: `I think`, `I'm not sure`, `I'll see`."""
    return bool(_WEAK.match(text.replace("’", "'")))
