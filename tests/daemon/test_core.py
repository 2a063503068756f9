"""What the core's parts rest on, without a vault."""

from __future__ import annotations

import asyncio

import pytest

from memd.daemon import core


def test_a_late_part_is_had_when_the_system_gives_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without descriptors a library cannot be loaded: it is tried again until it can be."""
    monkeypatch.setattr(core, "RETRY_AFTER", 0.0)
    outcomes = iter([OSError(24, "Too many open files"), OSError(24, "Too many open files"), "vectors"])

    async def load() -> str:
        outcome = next(outcomes)
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    assert asyncio.run(core.until_had(load)) == "vectors"
