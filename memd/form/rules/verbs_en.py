"""Agreement: the verb that followed `I` as it follows a name. Knows verb forms; never what they mean."""

from __future__ import annotations

PAST = frozenset(
    """was were went had did got made took came saw gave found told said knew thought felt left kept began brought bought
    built caught chose drew drove ate fell flew forgot grew heard held hid hurt knew laid led lent lost meant met paid
    ran rode rang rose sang sat sent shook shone shot slept sold sought spoke spent stood stole stuck struck swam swore
    taught threw understood woke wore won wrote broke became beat bit blew bent bound bred burnt learnt dreamt dealt dug
    drank fed fought fled forgave froze hung knelt lay lit mistook overcame proved rewrote sank slid spun split spoilt spilt
    sprang stung swept swung tore wept withdrew wound outgrew undertook overslept quit""".split()
)
SAME = frozenset("put cut set let hit read cost shut hurt quit spread split bet cast burst upset beat".split())
"""The past is spelt as the present."""
_BASE_ED = frozenset(
    "need feed speed breed bleed exceed proceed succeed embed shed wed heed seed weed bed knead plead".split()
)
_MODAL = frozenset(
    """will would can could shall should may might must won't wouldn't can't couldn't shouldn't cannot mustn't
    didn't hadn't wasn't used ought""".split()
)
_SPECIAL = {
    "am": "is",
    "have": "has",
    "haven't": "hasn't",
    "don't": "doesn't",
    "do": "does",
    "go": "goes",
    "be": "is",
    "are": "are",
    "were": "was",
    "ain't": "isn't",
    "aren't": "isn't",
}
COMMON = frozenset(
    """run swim cycle walk work live play teach study cook bake write read sing paint draw knit sew climb ski skate row
    sail fish hunt hike jog dance drive ride fly travel commute volunteer coach train manage own rent keep grow raise
    breed collect repair fix build make sell buy trade drink eat smoke sleep wake get go take bring help clean wash feed
    love like hate prefer need want plan hope use speak know think believe feel see hear watch meet visit call email
    text wear carry pay earn save spend owe lead lend hold stand sit stay leave start finish close open avoid skip miss
    practise practice rehearse perform record film edit design code program test translate edit water weed mow prune
    stretch lift meditate pray attend join host organise organize chair serve edit add order check track log post share
    store park charge recycle donate foster babysit tutor mentor""".split()
)

IN_LY = frozenset("fly apply rely reply supply comply multiply".split())
"""Verbs that are spelt as adverbs are."""


def third(verb: str) -> str:
    """The form after a name of the form that follows `I`; a past or a modal stays as it is."""
    low = verb.lower()
    if low in _SPECIAL:
        return _SPECIAL[low]
    if low in _MODAL or is_past(low) or low in SAME:
        return verb
    return inflect(verb)


def is_past(low: str) -> bool:
    return low in PAST or (low.endswith("ed") and len(low) > 3 and low not in _BASE_ED)


def inflect(verb: str) -> str:
    """Base form plus -s, as spelling has it."""
    low = verb.lower()
    if not low.isalpha() or not low.isascii():
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
