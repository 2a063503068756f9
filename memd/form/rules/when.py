"""The day on which a turn was said. Knows turns; a time that nobody knows stays unknown."""

from __future__ import annotations

from datetime import date

from memd.model.memory import Said


def said_on(turn: Said) -> date | None:
    """By the turn's own offset; None where nobody knows when."""
    try:
        return date.fromisoformat(turn.at[:10]) if turn.at else None
    except ValueError:
        return None
