"""Splices taken back: what a test holds against a change that must leave everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence

from memd.edit.splice import Splice


def reverse(text: str, splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """Splices on the text after that give back the text before."""
    back: list[Splice] = []
    shift = 0
    for splice in sorted(splices, key=lambda s: (s.start, s.end)):
        start = splice.start + shift
        back.append(Splice(start, start + len(splice.text), text[splice.start : splice.end]))
        shift += len(splice.text) - (splice.end - splice.start)
    return tuple(back)
