"""English sentences: what kind of act one is, and what of it carries something.

Knows word lists and word order; who a clause is about is `english_clauses`'. Never knows the dialogue round a sentence.
"""

from __future__ import annotations

import re
from itertools import dropwhile

from memd.form.rules import words_en as w
from memd.form.rules.english_clauses import clauses, has_verb, is_activity, subject
from memd.form.rules.english_phrases import tokens

__all__ = [
    "clauses",
    "content",
    "has_verb",
    "is_activity",
    "is_joke",
    "is_mood",
    "is_opinion",
    "is_question",
    "is_request",
    "is_weak",
    "lead",
    "matches",
    "subject",
    "tokens",
    "told_part",
]

_LEAD = re.compile(
    r"^(?:(?:(?:hi|hello|hey|bye)(?: there| again)?(?:,? (?:my )?friend|,? ai (?:companion|assistant))?|(?:my )?friend|ai companion|(?:oh )?my (?:guy|man|dear|goodness|god|gosh|word|lord)|(?:dude|guys|everyone|folks|mate|bro)(?=,)|since (?:we|our) last \w+|of course|exactly|definitely|besides(?: that)?|on (?:(?:a|the) \w+|another) (?:note|side)|speaking of (?:that|which)|well|so|and|but|oh|ah|yeah|yep|yes|no|nope|nah|anyway|btw|by the way|also|honestly|hey|hi|fyi|ok|okay|right|sure|look|listen|"
    r"to be honest|just so you know|for the record|thanks|thank you|cheers|great|cool|perfect|lovely|nice|hmm+|um+|er+|haha|as i said|like i said|again|"
    r"again|quick update|update|funny enough|good news|bad news|guess what|turns out|as it happens|fun fact|one more thing|speaking of which|in fact|for now|"
    r"sorry|wait|correction|oops|whoops|scratch that|my mistake|my bad|actually|i mean|plus|then|please note|note|remember|please remember|don't forget|"
    r"remember that|note that|please note that|please remember that|keep in mind that|just to say|i should say|i should mention(?: that)?|"
    r"did i mention(?: that)?|i forgot to say|i forgot to mention(?: that)?|i told you(?: that)?|as you know|you know|let me correct that|no wait|wait no)"
    r"(?:\s*[,;:.!—–-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|our|the|he|she|they|today|recently|lately|sometimes)\b)))+",
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


def lead(text: str) -> str:
    """The openers that say nothing (`Oh, by the way,`), as they stand at the front; "" for none."""
    found = _LEAD.match(text.replace("’", "'"))
    return text[: found.end()] if found else ""


_OPINION = re.compile(r"^(?:i|we)(?: (?:also|just|really|still|do))* (?:think|feel|believe|guess|suppose|find)\b", re.I)
_ASIDE = re.compile(
    r"(?:[,;]|\s[–—-])\s*(?:so |and |but )?(?:(?:do|did|can|could|would|will|have|are) you|(?:what|how) (?:about|do|would) you|what do you|any (?:ideas|tips|advice|suggestions|recommendations))\b[^.!]*\?$"
    r"|(?:,\s*|\s)(?:and|but) (?:i |i'm |i am )?(?:(?:just|still|always|really|often|sometimes) )*(?:don't know|do not know|not sure|don't have a clue|feel(?:ing)? (?:like|that|as)|feel \w+)\b[^.!?]*[.!]?$"
    r"|(?:,\s*|\s)(?:and|but) let's\b.*$|,\s*(?:so )?let's\b.*$|(?:,\s*|\sand )(?:i'm |i am |it's )?(?:nice|glad|pleased|happy) to (?:meet|see|talk to) you.*$",
    re.I,
)


def told_part(text: str) -> str:
    """The sentence without the question, the doubt or the courtesy to the other side that it ends in."""
    found = _ASIDE.search(text.replace("’", "'"))
    if found is None:
        return text
    front = text[: found.start()].rstrip()
    who = subject(front[len(lead(front)) :])
    return front if who.kind in ("owner", "person") and who.name != "elided" else text


def is_opinion(text: str) -> bool:
    """`I think the room was dull and the food was worse`: what follows is thought as well."""
    return _OPINION.match(text[len(lead(text)) :]) is not None


def is_question(text: str) -> bool:
    bare = text.replace("’", "'").rstrip("\"')”’ ")
    if bare.endswith("?"):
        return True
    if _QUESTION.match(bare) and not re.match(r"(?i)(?:when|where|why|what|how|who|which)\b.*(?:,|\bis\b)", bare):
        return True
    return re.search(r"(?i)\b(?:right|is it|isn't it|don't i|ok|yeah|no)\?", bare) is not None


_BEFORE_REQUEST = frozenset("please just now then also next first ok okay and so well maybe".split())


def is_request(text: str) -> bool:
    """An imperative, or words that ask the one spoken to for something."""
    bare = text.replace("’", "'")
    if (_INDIRECT.search(bare) and "?" in bare) or re.match(r"(?i)(?:please|kindly|pls)\b", bare):
        return True
    words = list(dropwhile(lambda word: word in _BEFORE_REQUEST, (t.lower() for t in tokens(bare) if t[0].isalnum())))
    if not words or words[0] not in w.INSTRUCTIONS:
        return bool(_INDIRECT.match(bare))
    return len(words) < 2 or words[1] not in w.AUX | {"was", "is", "has"}


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text.replace("’", "'"), re.I) is not None


_ODD_MARKS = tuple(mark for mark in w.JOKE_MARKS if not mark.isascii())
_JOKE_WORDS = re.compile(
    r"(?<![a-z])(?:" + "|".join(re.escape(mark) for mark in w.JOKE_MARKS if mark.isascii()) + r")(?![a-z])"
)
_HYPERBOLE = tuple(map(re.compile, w.HYPERBOLE))


def is_joke(text: str) -> bool:
    low = text.lower().replace("’", "'")
    if any(mark in low for mark in _ODD_MARKS) or _JOKE_WORDS.search(low):
        return True
    if any(pattern.search(low) for pattern in _HYPERBOLE):
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
            for t, after in zip(words, [*words[1:], ""], strict=True)
            if (t in w.MOOD and (not after or after in w.VAGUE or after in w.MOOD or after in w.TIME_WORDS))
            or t in ("ugh", "argh", "meh", "sigh", "scream", "cry", "screaming", "crying")
        ]
        about = re.search(r"\b(?:about|of|by|with|for|at|that|over)\s+(?:my|the|our|a|an|next|[A-Z])", text)
        if mood and not (about and len(content) >= 1) and len(content) <= 1:
            return True
        if mood and re.search(r"\b(?:today|tonight|right now|at the moment|this (?:morning|evening|afternoon))\b", low):
            return True
    return bool(re.match(r"^(?:ugh|argh|meh|sigh|aargh|grr|whatever|blah)\b", low) and len(words) <= 8)


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
