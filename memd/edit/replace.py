"""Find and replace, literally, in one note. Knows text. Never guesses: what is not there, or there twice, is refused."""

from __future__ import annotations

from memd.edit.splice import Splice, newline
from memd.model.errors import Refused


def replace_text(text: str, find: str, replace: str, all: bool = False) -> tuple[Splice, ...]:
    """One splice a place where `find` stands; none where `replace` is the same text.

    Line ends in `find` and `replace` are those of the note. Raises Refused: invalid_params for an empty `find`,
    find_not_found, find_ambiguous (with `count`) for more than one place unless `all`.
    """
    if not find:
        raise Refused("invalid_params", "find is empty: give the text to be replaced, or append to the note instead")
    find, replace = _ended(find, text), _ended(replace, text)
    places = _places(text, find, step=1 if not all else len(find))
    if not places:
        raise Refused("find_not_found", "the note does not hold that text: read the note and copy the text exactly")
    if len(places) > 1 and not all:
        advice = "give more of the text around it, or all: true"
        raise Refused("find_ambiguous", f"the text stands in {len(places)} places: {advice}", count=len(places))
    return tuple(Splice(at, at + len(find), replace) for at in places)


def _ended(given: str, text: str) -> str:
    """The text with the note's line ends where it came with bare line feeds and the note has none of these."""
    if "\n" not in given or "\r" in given or newline(text) == "\n" or text.count("\n") != text.count("\r\n"):
        return given
    return given.replace("\n", "\r\n")


def _places(text: str, find: str, step: int) -> list[int]:
    places: list[int] = []
    at = text.find(find)
    while at >= 0:
        places.append(at)
        at = text.find(find, at + step)
    return places
