"""Any bytes at every reader: inputs that were kept, and inputs like them.

`MEMD_FUZZ=100000` asks for more inputs a target than each run tries; with `MEMD_HYPOTHESIS=hunt` they are others each time,
and one that breaks a promise is kept in `corpus/` as `found`: mended, it gets a name and stays.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.abuse.targets import TARGETS
from tests.fakes.abuse import Figures

FUZZ = int(os.environ.get("MEMD_FUZZ", "300"))
HUNTS = os.environ.get("MEMD_HYPOTHESIS") == "hunt"
CORPUS = Path(__file__).parent / "corpus"
KEPT = {name: sorted(path for path in (CORPUS / name).iterdir()) for name in TARGETS}


@st.composite
def near(draw: st.DrawFn, kept: list[bytes]) -> bytes:
    """A kept input with a few pieces of itself, of another one or of noise put in, and others taken out."""
    data = draw(st.sampled_from(kept))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        other = draw(st.sampled_from(kept))
        begin = draw(st.integers(0, len(other)))
        piece = draw(st.binary(max_size=6) | st.just(other[begin : begin + draw(st.integers(0, 40))]))
        data = data[:start] + piece + data[start + draw(st.integers(0, 20)) :]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_were_kept_are_taken(name: str, figures: Figures) -> None:
    """What once broke a reader, and the odd things it was written for, keep its promises."""
    for path in KEPT[name]:
        TARGETS[name](path.read_bytes())
    figures.add(inputs=len(KEPT[name]))


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_like_them_are_taken(name: str, figures: Figures) -> None:
    """So do thousands of inputs made of their pieces."""
    last = b""

    @settings(max_examples=FUZZ)
    @given(near([path.read_bytes() for path in KEPT[name]]))
    def hunt(data: bytes) -> None:
        nonlocal last
        last = data
        TARGETS[name](data)
        figures.add(inputs=1)

    try:
        hunt()
    except BaseException:
        if HUNTS:
            (CORPUS / name / "found").write_bytes(last)
        raise
