"""An English clause told of its speaker: `I don't own a corkscrew` becomes `The user does not own a corkscrew`.

Knows pronouns and agreement. Never adds, drops or reorders what was said.
"""

from __future__ import annotations

import re

from memd.form.rules.facts import Speaker
from memd.form.rules.verbs_en import COMMON, IN_LY, SAME, inflect, third
from memd.form.rules.words_en import ADVERBS, HABIT

_PIECE = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'-]*|[^A-Za-zÀ-ÿ]+")
_CONTRACTED = {"i'm": "is", "im": "is", "i've": "has", "ive": "has", "i'll": "will"}
_WE = {"we're": "are", "we've": "have", "we'll": "will"}
_HAD = re.compile(
    r"^\W*(?:never |already |just |always )?(?:been|had|gone|done|seen|made|taken|better|lost|left|forgotten|\w+ed)\b",
    re.I,
)
_SLANG = {"wanna": "wants to", "gotta": "has to", "gonna": "is going to"}
_FULL = {"don't": "does not", "haven't": "has not", "ain't": "is not", "aren't": "is not", "do not": "does not"}
_COUNT = re.compile(
    r"\bwe(?:'re| are)(?: now)? (two|three|four|five|six|seven|eight|nine|ten|\d+)(?=[.!,;]|$| (?:now|at home|altogether|in all|people)\b)",
    re.I,
)


def tell(clause: str, speaker: Speaker, pronouns: dict[str, str] | None = None) -> str:
    """The clause as a sentence of its own. `pronouns` maps `he`, `she`, `it`, `they` to whom they mean."""
    clause = _COUNT.sub(lambda m: f"{speaker.english}'s group is {m[1]} people", clause.replace("’", "'"))
    pieces = _PIECE.findall(clause)
    told: list[str] = []
    at = 0
    while at < len(pieces):
        at = _step(pieces, at, told, speaker, pronouns or {})
    text = re.sub(r"\s+", " ", "".join(told)).strip(" ,;:—–-").replace("。", ".")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", "。")) else text + "."


def _step(pieces: list[str], at: int, told: list[str], who: Speaker, pronouns: dict[str, str]) -> int:
    piece, low = pieces[at], pieces[at].lower()
    me = who.english
    if low in ("i", "i'm", "im", "i've", "ive", "i'd", "i'll") and (piece[0] == "I" or low != "im"):
        joined = "".join(told).rstrip().lower().endswith((" and", " or"))
        told.append(me)
        if low == "i" and joined and len("".join(told).split()) <= 5:
            return at + 1
        if low == "i":
            return _agree(pieces, at + 1, told)
        rest = "".join(pieces[at + 1 :])
        told.append(" " + (_CONTRACTED.get(low) or ("had" if _HAD.match(rest) else "would")))
        return at + 1
    if low in ("we", "we're", "we've", "we'd", "we'll"):
        told.append(f"{me} and others")
        if low != "we":
            told.append(" " + (_WE.get(low) or ("had" if _HAD.match("".join(pieces[at + 1 :])) else "would")))
        return at + 1
    told.append(_word(piece, low, who, pronouns, first=not "".join(told).strip()))
    return at + 1


def _word(piece: str, low: str, who: Speaker, pronouns: dict[str, str], *, first: bool) -> str:
    me, own = who.english, f"{who.english}'s"
    simple = {"me": me, "my": own, "mine": own, "myself": "themself", "us": f"{me} and others", "our": own, "ours": own}
    simple |= {
        "ourselves": "themselves",
        "you": who.you_english,
        "your": f"{who.you_english}'s",
        "yours": f"{who.you_english}'s",
    }
    if low in simple:
        return simple[low]
    base, _, tail = low.partition("'")
    if base in pronouns and tail in ("s", "re", "ve", "ll", "d", ""):
        return pronouns[base] + {"": "", "s": " is", "re": " is", "ve": " has", "ll": " will", "d": " would"}[tail]
    owner = {"his": "he", "her": "she", "their": "they", "its": "it"}.get(low)
    if owner in pronouns and first:
        return f"{pronouns[owner]}'s"
    return piece


def _agree(pieces: list[str], at: int, told: list[str]) -> int:
    """Copies what stands between `I` and its verb, then the verb in its other form; and verbs joined to it by `and`."""
    first = at
    while at < len(pieces) and (
        not pieces[at].strip()
        or pieces[at].lower() in ADVERBS
        or pieces[at].lower() in ("no", "longer")
        or (pieces[at].lower().endswith("ly") and pieces[at].lower() not in IN_LY)
    ):
        told.append(pieces[at])
        at += 1
    if at >= len(pieces) or not pieces[at][0].isalpha():
        return at
    verb = pieces[at]
    if verb.lower() in _SLANG:
        told.append(_SLANG[verb.lower()])
        return at + 1
    often = verb.lower() in SAME and any(piece.lower() in HABIT for piece in pieces[first:at])
    form = _FULL.get(verb.lower()) or (inflect(verb) if often else third(verb))
    told.append(form)
    at += 1
    if form != verb and form == inflect(verb):
        return _joined(pieces, at, told)
    return at


def _joined(pieces: list[str], at: int, told: list[str]) -> int:
    """`I swim and cycle`: a plain verb straight after `and` or `or` agrees, too."""
    for n in range(at, len(pieces) - 2):
        if pieces[n].lower() in ("i", "we", "to") or any(mark in pieces[n] for mark in ".;:,"):
            break
        if pieces[n].lower() in ("and", "or") and pieces[n + 2].lower() in COMMON and not pieces[n + 1].strip():
            follows = pieces[n + 4].lower() if n + 4 < len(pieces) else ""
            if (
                follows in ("and", "or", "too")
                or n - at <= 2
                or follows in ("the", "a", "my", "to", "for", "in", "on", "at", "with")
            ):
                pieces[n + 2] = inflect(pieces[n + 2])
    return at
