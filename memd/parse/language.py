"""The main language of a text, cheaply: by its script, and in Latin and Cyrillic script by its commonest small words.

Answers a two-letter code of a language that Snowball stems, or zh, ja, ko; "" where it is not sure. Looks at the
beginning of a text only.
"""

from __future__ import annotations

import re

_SAMPLE = 300
_WORDS = 40
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_KANA = re.compile(r"[\u3041-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")

_SCRIPTS = (
    ("ar", "\u0600", "\u06ff"),
    ("el", "\u0370", "\u03ff"),
    ("hy", "\u0530", "\u058f"),
    ("yi", "\u05d0", "\u05f4"),
    ("hi", "\u0900", "\u097f"),
    ("ta", "\u0b80", "\u0bff"),
)
"""Scripts that one language here uses, by their first and last character."""

_SMALL_WORDS = {
    "en": "the of and to in is that it was for on are with as at be this have from or had by not but what were we when your can said there use an each which she how their if will up about out many then them these so some would make like him into has look two more go see no way could my than been call who its now",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man ich wir",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont mais comme ou si leur y dont aux avec cette ces été elle nous je vous était son sa ses être fait",
    "es": "de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante es fue son",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre são",
    "it": "di e il la che è per un in del non una i le da con si al dei come più lo ma della nel alla sono ha gli anche su o se ci questo quando delle era essere stato io loro mi ho tutti fra",
    "nl": "de en van het een in is dat op te zijn met voor niet aan er om dan ze door maar ook als bij of uit wordt nog naar worden heeft hij ik over tot je hebben deze wij meer geen kan dit",
    "sv": "och i att det som en på är av för med den till inte om har de ett han men var jag så kan man vi när från eller hade nu sin också efter under mycket skulle",
    "da": "og i at det er en til på som af for med den har ikke de et der jeg var men han om vi så kan hvad fra eller nu skal blev sig også ud efter meget op",
    "no": "og i å det er en til på som av for med den har ikke de et jeg var men han om vi så kan hva fra eller nå skal ble seg også ut etter mye opp hun",
    "fi": "ja on ei se että oli hän mutta kun niin tai ole myös sen ovat joka mitä jos kuin minä olen nyt vain sitten jo mukaan voi ollut tämä hänen kanssa",
    "hu": "a az és hogy nem is egy ez de van volt meg csak már ha mint vagy még el lesz lehet mert azt ki ezt így fel minden nagyon amit kell",
    "ro": "și de la în a cu pe un o nu din care mai este pentru că ce se au fost sau dar lui sunt după fi prin către ca era ale",
    "tr": "ve bir bu da de için ile çok olarak daha ne gibi olan kadar en sonra var değil ama o mi ben ya her şey onu bana",
    "ca": "de la i el que a en els les per amb un no és una del al es com més però va ha seva ser són aquest també",
    "id": "yang dan di untuk dengan ini dari itu dalam tidak akan pada juga ke karena ada oleh saya atau sudah bisa telah kami mereka seperti",
    "lt": "ir kad yra į su ne tai iš buvo kaip bet jo už apie po ar jis aš prie dar tik jau",
    "ga": "an agus na a ar is go i bhí ag sé sí tá leis níl mar seo sin bhfuil ach",
    "eu": "eta da ez bat du dira izan zen dela ere hau baina egin duen dute baino",
    "ru": "и в не на я что он с как это по но они мы все она так его за был то от меня из у же ты для бы вы если уже или когда только нет",
    "sr": "и је у да се на не за са су од што као али то које или који све већ само када",
}


def _index() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _SMALL_WORDS.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_BY_WORD = _index()


def language(text: str, start: int = 0) -> str:
    """The code of the language that the text from an offset on is mostly in."""
    sample = text[start : start + _SAMPLE]
    if sample.isascii():
        return _by_words(_WORD.findall(sample.lower()))
    words = _WORD.findall(sample.lower())
    if east := _east_asian(sample, len(words)):
        return east
    return _by_script("".join(words)) or _by_words(words)


def _east_asian(sample: str, words: int) -> str:
    """zh, ja or ko where their characters outweigh the words of other scripts."""
    han, kana, hangul = (len("".join(script.findall(sample))) for script in (_HAN, _KANA, _HANGUL))
    count = han + kana + hangul
    if count < 2 or count < words:
        return ""
    if hangul * 2 > count:
        return "ko"
    return "ja" if kana * 10 > count else "zh"


def _by_script(letters: str) -> str:
    """The language whose script the greater part is in; looks only where a letter in the middle is of none of Europe's."""
    middle = letters[len(letters) // 2 : len(letters) // 2 + 1]
    for code, low, high in _SCRIPTS:
        if low <= middle <= high and sum(low <= sign <= high for sign in letters) * 2 > len(letters):
            return code
    return ""


def _by_words(words: list[str]) -> str:
    """The language with most small words, where it has enough of them and clearly more than the next."""
    votes: dict[str, int] = {}
    words = words[:_WORDS]
    for word in words:
        if word in _BY_WORD:
            for code in _BY_WORD[word]:
                votes[code] = votes.get(code, 0) + 1
    if not votes:
        return ""
    best = max(votes, key=lambda code: votes[code])
    first = votes.pop(best)
    second = max(votes.values(), default=0)
    return best if first >= 2 and first * 8 >= len(words) and first > second else ""
