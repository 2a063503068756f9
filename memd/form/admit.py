"""Whether an atom becomes a leaf: the first of the two decisions (design section 4, "Admission and ownership").

Knows confidences and how often a thing was said. Never knows whose leaf it would be.
"""

from __future__ import annotations

from msgspec import Struct

from memd.model.config import FormationConfig
from memd.model.memory import Atom, Confidence


class Admission(Struct, frozen=True):
    """`weak`: admitted only because something else says it too, so that it may not bear the leaf alone."""

    admitted: bool
    reason: str
    weak: bool = False


def confidence_of(atom: Atom) -> Confidence:
    """A bare number is the confidence of admission."""
    given = atom.confidence
    return given if isinstance(given, Confidence) else Confidence(admission=float(given))


def admit(atom: Atom, config: FormationConfig, *, turns: int, elsewhere: bool) -> Admission:
    """`turns`: how many turns say it; `elsewhere`: whether another episode states it, or was refused for saying it."""
    sure = confidence_of(atom).admission
    if not atom.text.strip():
        return Admission(False, "there is no proposition in it")
    if sure >= config.admit:
        return Admission(True, "")
    if sure >= config.admit_corroborated:
        if turns > 1:
            return Admission(True, f"said in {turns} turns")
        if elsewhere:
            return Admission(True, "another episode says it too", weak=True)
        return Admission(
            False,
            f"confidence {sure:.2f} is under {config.admit:.2f} and nothing else says it yet; "
            "it stays evidence until it is said again",
        )
    return Admission(False, f"confidence {sure:.2f} is under {config.admit_corroborated:.2f}; it stays evidence")
