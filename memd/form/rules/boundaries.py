"""Where one matter ends and the next begins, by words and gaps alone. In doubt the matter goes on.

The unit is a round: what arrived together, a question with its answer, a thank-you with what it thanks for. A boundary
stands before a round, never inside one. Signals: a greeting or an opener, words that go on (`Okay`, `that`), how much of
a round's words the matter had before it, the gap in time, the length so far. Knows words and times; never a vault.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memd.form.rules import chinese, english, words_en, words_zh
from memd.form.rules.merge import stem
from memd.form.rules.sentences import is_chinese
from memd.form.rules.speakers import is_assistant
from memd.model.memory import Said

CAP = 40
"""Turns after which an episode ends whatever is said."""
BATCH = 12
"""Turns that arrived together and stay together; more than these are an import, which has matters of its own."""
LONG_GAP = 6 * 3600.0
SHORT_GAP = 45 * 60.0
THRESHOLD = 0.9

_OPENER = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))\b(?! to| there was)|(?:by the way|btw|on another note|on a different note|another (?:question|thing|topic)|different (?:question|topic)|"
    r"new (?:question|topic)|switching|changing (?:the )?(?:subject|topic)|unrelated|separately|next topic|moving on|now,? (?:about|for|let's talk)|one more thing|something else|speaking of)\b|"
    r"(?:你好|您好|早上好|晚上好|嗨|哈喽)|(?:对了|另外(?:问|还)|换个话题|换个问题|还有(?:个|件|一)|顺便问|再问|说个别的|问个别的|说点别的|话说))",
    re.I,
)
_GOES_ON = re.compile(
    r"^(?:ok(?:ay)?|yes|yeah|yep|no|nope|right|sure|great|thanks|thank you|perfect|good|that|this|these|those|it|he|she|they|and|but|so|or|also|then|which|why|hmm|sigh|alright|exactly|sounds|i see|got it|"
    r"understood|continue|go on|more|what about|how about|what else|can you (?:also|make it|expand|add|explain (?:that|this|it))|make it|the (?:first|second|third|last|other|same))\b|"
    r"^(?:好的?|嗯|行|对|是的?|不是|不|那|这|它|他|她|所以|但是?|可是|然后|还是|而且|谢谢|明白|知道了|收到|可以|没问题|继续|再)",
    re.I,
)
_WELCOME = re.compile(r"^(?:welcome back|hello|hi\b|hey\b|good (?:morning|afternoon|evening)|欢迎回来|你好|您好)", re.I)
_THANKS = re.compile(
    r"^(?:many |much )?(?:thanks|thank you|thx|cheers|ta\b|great, thanks|perfect, thanks|ok,? thanks|bye|goodbye|good night|see you)|^(?:谢谢|多谢|感谢|辛苦|好的?，?谢|晚安|再见|拜拜)",
    re.I,
)


def words_of(text: str) -> Counter[str]:
    """The words that carry something: English stems, Chinese pairs of characters."""
    if is_chinese(text):
        bare = chinese.content(text)
        return Counter(bare[n : n + 2] for n in range(len(bare) - 1))
    return Counter(stem(word) for word in english.content(text[:4000]))


def rounds(turns: Sequence[Said]) -> list[tuple[int, int]]:
    """(first, beyond the last) of each stretch that stays together."""
    batches = Counter(turn.captured_at for turn in turns if turn.captured_at)
    found: list[tuple[int, int]] = []
    for number, turn in enumerate(turns):
        if found and _joined(turns[number - 1], turn, batches):
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


def _joined(before: Said, turn: Said, batches: Counter[str]) -> bool:
    if turn.captured_at and turn.captured_at == before.captured_at and batches[turn.captured_at] <= BATCH:
        return True
    if is_assistant(turn) or (_THANKS.match(turn.text.strip()) and len(turn.text) < 60):
        return True
    return turn.speaker != before.speaker and not is_assistant(before) and _asks(before.text)


def _asks(text: str) -> bool:
    return text.rstrip('"”』」) ').endswith(("?", "？"))


def cut(turns: Sequence[Said]) -> list[int]:
    """Numbers of the turns that begin an episode; the first turn always does."""
    parts = rounds(turns)
    bags = [_bag(turns[a:b]) for a, b in parts]
    weight = _rarity(bags)
    starts = [0] if turns else []
    open_bag: Counter[str] = Counter()
    for number, (first, _) in enumerate(parts):
        if number and _ends(turns, parts, number, starts[-1], open_bag, bags, weight):
            starts.append(first)
            open_bag = Counter()
        for word in open_bag:
            open_bag[word] = open_bag[word] * 0.8  # type: ignore[assignment]
        open_bag += bags[number]
    return starts


def _ends(
    turns: Sequence[Said],
    parts: list[tuple[int, int]],
    number: int,
    start: int,
    before: Counter[str],
    bags: list[Counter[str]],
    weight: dict[str, float],
) -> bool:
    first, beyond = parts[number]
    length = first - start
    if beyond - start > CAP:
        return True
    score = _gap(turns[first - 1], turns[first]) + _cues(turns[first:beyond])
    score += _cohesion(before, bags[number], weight)
    if number + 1 < len(parts):
        score += 0.3 * _cohesion(before, bags[number + 1], weight)
    return score + 0.3 * (length / CAP) >= THRESHOLD


def _gap(before: Said, turn: Said) -> float:
    """Seconds between two turns, as a push towards a boundary."""
    try:
        gap = (datetime.fromisoformat(turn.at) - datetime.fromisoformat(before.at)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return 1.2 if gap > LONG_GAP else 0.4 if gap > SHORT_GAP else 0.0


def _cues(part: Sequence[Said]) -> float:
    """What the round's first words say of it: an opener, a going-on; and whether the answer greets."""
    text = part[0].text.strip()
    score = 0.75 if _OPENER.match(text) else 0.0
    if _GOES_ON.match(text):
        score -= 0.55
    if len(part) > 1 and is_assistant(part[1]) and _WELCOME.match(part[1].text.strip()):
        score += 0.6
    return score


def _bag(part: Sequence[Said]) -> Counter[str]:
    """A round's words; what a person says weighs double."""
    bag: Counter[str] = Counter()
    for turn in part:
        found = words_of(turn.text)
        for word, count in found.items():
            bag[word] += min(count, 3) * (1 if is_assistant(turn) else 2)
    return bag


def _rarity(bags: list[Counter[str]]) -> dict[str, float]:
    seen = Counter(word for bag in bags for word in bag)
    return {word: math.log(1 + len(bags) / count) for word, count in seen.items()}


def _cohesion(before: Counter[str], bag: Counter[str], weight: dict[str, float]) -> float:
    """0 where the round's words were there before, up to 0.9 where none was."""
    if not bag or not before:
        return 0.2
    a = sum((n * weight.get(w, 1.0)) ** 2 for w, n in before.items()) ** 0.5
    b = sum((n * weight.get(w, 1.0)) ** 2 for w, n in bag.items()) ** 0.5
    dot = sum(n * before[w] * weight.get(w, 1.0) ** 2 for w, n in bag.items() if w in before)
    alike = dot / (a * b) if a and b else 0.0
    return max(0.0, 0.9 - 4.5 * alike)


def is_small(turn: Said) -> bool:
    """A turn that carries nothing durable: a greeting, thanks, a word of assent."""
    text = turn.text.strip()
    if is_chinese(text):
        return bool(re.match(words_zh.SMALL_TALK, text, re.I)) and len(chinese.content(text)) < 5
    return bool(re.match(words_en.SMALL_TALK, text, re.I)) and len(english.content(text)) < 3
